// Boots a .uf2 in rp2040js and prints what its pins and serial ports did as one JSON object:
//
//   node boot.mjs FILE.uf2 SECONDS [PIN...]
//   {"edges": {"25": [[us, level], ...]}, "serial": ["...", "..."], "warnings": ["..."], "us": N}
//
// There is no boot ROM here: execution begins at boot2, which runs in place.
import { readFileSync } from 'node:fs';
import { GPIOPinState, Simulator } from 'rp2040js';

const FLASH = 0x10000000;
const NANOS_PER_CYCLE = 8; // 125 MHz
const BLOCK = { size: 512, magic: [0x0a324655, 0x9e5d5157], end: 0x0ab16f30, family: 0xe48bff56 };

function loadUf2(file, flash) {
  const data = readFileSync(file);
  for (let at = 0; at < data.length; at += BLOCK.size) {
    const word = (n) => data.readUInt32LE(at + 4 * n);
    const good = word(0) === BLOCK.magic[0] && word(1) === BLOCK.magic[1] && word(127) === BLOCK.end;
    if (!good || word(7) !== BLOCK.family) throw new Error(`${file}: bad UF2 block at byte ${at}`);
    flash.set(data.subarray(at + 32, at + 32 + word(4)), word(3) - FLASH);
  }
}

function watch(machine, clock, pins) {
  const edges = {};
  for (const pin of pins) {
    edges[pin] = [];
    machine.gpio[pin].addListener((state) => {
      const level = state === GPIOPinState.High ? 1 : state === GPIOPinState.Low ? 0 : null;
      edges[pin].push([clock.nanos / 1000, level]);
    });
  }
  return edges;
}

function run(machine, clock, until) {
  while (clock.nanos < until) {
    if (machine.core.waiting) {
      clock.tick(Math.max(1, Math.min(clock.nanosToNextAlarm || until, until - clock.nanos)));
    } else {
      clock.tick(machine.core.executeInstruction() * NANOS_PER_CYCLE);
    }
  }
}

const [file, seconds, ...pins] = process.argv.slice(2);
const { clock, rp2040: machine } = new Simulator();
const warnings = [];
const note = (component, message) => warnings.push(`${component}: ${message}`);
machine.logger = { debug() {}, info() {}, warn: note, error: note };
const serial = ['', ''];
machine.uart.forEach((uart, port) => {
  uart.onByte = (byte) => (serial[port] += String.fromCharCode(byte));
});
loadUf2(file, machine.flash);
const edges = watch(machine, clock, pins.map(Number));
machine.core.PC = FLASH;
run(machine, clock, Number(seconds) * 1e9);
console.log(JSON.stringify({ edges, serial, warnings, us: clock.nanos / 1000 }));
