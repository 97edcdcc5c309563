"""Handlers with budgets on the simulated board."""

from __future__ import annotations

from pathlib import Path

from takt import boards
from takt.build.build import build
from takt.machine.sim import SimMachine

SOURCE = """
volatile int level;
void rise() { digitalWrite(5, level = !level); }
void any() { digitalWrite(6, digitalRead(4)); }
void setup() {
  pinMode(5, OUTPUT);
  pinMode(6, OUTPUT);
  interruptsVcpu(10, 100);
  attachInterruptVcpu(3, rise, RISING, 1, 10);
  attachInterrupt(4, any, CHANGE);
}
void loop(1, 20, 100) { delay(1); }
"""


def loaded(text: str, tmp_path: Path) -> SimMachine:
    """The board with this sketch."""
    folder = tmp_path / "probe"
    folder.mkdir()
    (folder / "probe.ino").write_text(text)
    machine = SimMachine()
    machine.load_elf(build(folder, boards.load("sim"), out=tmp_path / "out").elf)
    return machine


def test_events_reach_their_handlers(tmp_path: Path) -> None:
    machine = loaded(SOURCE, tmp_path)
    for pin in (5, 6):
        machine.log_pin(pin)
    for pin in (3, 4):
        machine.pin_drive(pin, 0)
    for n in range(20):
        for pin in (3, 4):
            machine.pin_drive(pin, 1 - n % 2, at=10_000 + 5000 * n + 100 * pin)
    assert machine.run(200_000).reason == "time"
    assert machine.fault() is None
    edges = machine.pin_edges()
    assert [level for _, pin, level in edges if pin == 5] == [1, 0] * 5
    assert [level for _, pin, level in edges if pin == 6] == [1, 0] * 10
    rises = [at for at, pin, _ in edges if pin == 5]
    assert all(at - 10_300 - 10_000 * n < 10 for n, at in enumerate(rises))


WITH_ARGUMENT = """
int ones = 100, others = 200;
void count(void *number) { ++*static_cast<int *>(number); }
void once() { detachInterrupt(9); ones += 1000; }
void setup() {
  Serial.begin(115200);
  attachInterruptParam(7, count, RISING, nullptr);  // another argument follows
  attachInterruptParam(7, count, RISING, &ones);
  attachInterruptParam(8, count, CHANGE, &others);
  attachInterruptParam(9, count, CHANGE, &others);  // and another handler
  attachInterrupt(9, once, RISING);
}
void loop(1, 1, 100) { delay(150); Serial.print(ones); Serial.print(' '); Serial.println(others); }
"""


def test_a_handler_gets_its_argument(tmp_path: Path) -> None:
    machine = loaded(WITH_ARGUMENT, tmp_path)
    for n in range(12):
        for pin in (7, 8, 9):
            machine.pin_drive(pin, n % 2, at=10_000 + 10_000 * n + 100 * pin)
    assert machine.run(200_000).reason == "time"
    said = bytes(byte for _, byte in machine.uart_take(0)).decode()
    assert said.split() == ["1106", "211"]
