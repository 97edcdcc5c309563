// Runs programs on a PIO state machine of rp2040js and prints what it did. Standard input: a list of
//
//   {"memory": [32 words], "sm": number, "registers": [CLKDIV, EXECCTRL, SHIFTCTRL, PINCTRL],
//    "actions": [["go", steps] | ["tx", word] | ["rx"] | ["pin", pin, level] | ["force", flags]
//                | ["clear", flags] | ["debug"] | ["dump"], ...]}
//
// Output: for each a list of answers, one an action:
//
//   go: [[cycles, pc, levels, directions, flags, FIFO levels, wait], ...], a state after each step, up
//       to the first that waits; cycles: of instructions and delays since the start, without waits
//   rx: [the word, the wait that has ended with it]; debug: FDEBUG; dump: [ISR, X, Y, OSR]
//   tx, pin, force, clear: null, or [delay, kind] of the wait that has ended with it
import { readFileSync } from 'node:fs';
import { Simulator } from 'rp2040js';

const TXF = 0x10;
const RXF = 0x20;
const IRQ = 0x30;
const FORCE = 0x34;
const MEMORY = 0x48;
const REGISTERS = [0xc8, 0xcc, 0xd0, 0xdc];
const STRIDE = 0x18;
const PUSH = 0x8000;
const MOV_ISR = 0xa0c0; // from the register of this number
const PAD = 0x56; // as after the chip's reset; rp2040js begins with inputs off
const X = 1;
const Y = 2;
const OSR = 7;

const { rp2040: machine } = new Simulator();
const Block = machine.pio[0].constructor;

class Run {
  constructor({ memory, sm, registers }) {
    machine.gpio.forEach((pin) => {
      pin.padValue = PAD;
      pin.setInputValue(false);
    });
    this.block = machine.pio[0] = new Block(machine, 'PIO0', 7, 0);
    this.number = sm;
    this.sm = this.block.machines[sm];
    memory.forEach((word, n) => this.write(MEMORY + 4 * n, word));
    registers.forEach((value, n) => this.write(REGISTERS[n] + STRIDE * sm, value));
    this.sm.restart();
  }
  write(offset, value) {
    this.block.writeUint32Atomic(offset, value, 0);
  }
  state() {
    const { sm, block } = this;
    const levels = sm.txFIFO.itemCount | (sm.rxFIFO.itemCount << 4);
    const pads = [block.pinValues >>> 0, block.pinDirections >>> 0];
    return [sm.cycles, sm.pc, ...pads, block.irq, levels, sm.waiting ? sm.waitType : 0];
  }
  go(steps) {
    const states = [];
    for (let n = 0; n < steps && !this.sm.waiting; n++) {
      this.sm.step();
      states.push(this.state());
    }
    return states;
  }
  ended(change) {
    const { waiting, waitType, waitDelay } = this.sm;
    change();
    this.sm.checkWait();
    return waiting && !this.sm.waiting ? [waitDelay, waitType] : null;
  }
  tx(word) {
    return this.ended(() => this.write(TXF + 4 * this.number, word));
  }
  rx() {
    let word;
    const ended = this.ended(() => (word = this.block.readUint32(RXF + 4 * this.number)));
    return [word, ended];
  }
  pin(pin, level) {
    return this.ended(() => machine.gpio[pin].setInputValue(level === 1));
  }
  force(flags) {
    return this.ended(() => this.write(FORCE, flags));
  }
  clear(flags) {
    return this.ended(() => this.write(IRQ, flags));
  }
  debug() {
    return this.block.fdebug;
  }
  dump() {
    const { sm } = this;
    sm.waiting = false;
    while (!sm.rxFIFO.empty) sm.readFIFO();
    const take = (source) => {
      if (source !== undefined) sm.executeInstruction(MOV_ISR | source);
      sm.executeInstruction(PUSH);
      return sm.readFIFO();
    };
    return [take(), take(X), take(Y), take(OSR)];
  }
}

const answers = JSON.parse(readFileSync(0, 'utf8')).map((one) => {
  const run = new Run(one);
  return one.actions.map(([what, ...details]) => run[what](...details));
});
console.log(JSON.stringify(answers));
