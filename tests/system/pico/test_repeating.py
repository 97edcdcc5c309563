"""Functions that an interrupt calls again and again, by the names of the pico's SDK."""

from __future__ import annotations

import itertools
from pathlib import Path

from takt import boards
from takt.build.build import build
from takt.machine.machines import machine_of

HZ = 125_000_000
FROM_START, FROM_END, DONE = 6, 7, 8  # pins
COST_US, COVERED_US = 10, 5  # board.toml; of the function
SKETCH = """
#include <Takt.h>
#include <pico/time.h>
repeating_timer_t fast, slow;
int left = 4;
bool toggle(repeating_timer_t *) {
  static int n;
  digitalWrite(6, ++n & 1);
  return true;
}
bool four(repeating_timer_t *timer) {
  int *left = (int *)timer->user_data;
  digitalWrite(7, *left & 1);
  busy_wait_us(COVERED);
  return --*left > 0;
}
void setup() {
  for (int pin = 6; pin < 9; pin++) pinMode(pin, OUTPUT);
  add_repeating_timer_us(-50, toggle, nullptr, &fast);
  add_repeating_timer_us(2000, four, &left, &slow);
  if (add_repeating_timer_us(0, toggle, nullptr, &fast)) digitalWrite(8, HIGH);
}
void loop(1, 2, 100) {
  delay(30);
  bool was = cancel_repeating_timer(&fast), gone = !cancel_repeating_timer(&slow);
  digitalWrite(8, was && gone);
  delay(1000);
}
""".replace("COVERED", str(COVERED_US - 1))


def test_they_come_on_time_and_end(tmp_path: Path) -> None:
    folder = tmp_path / "timers"
    folder.mkdir()
    (folder / "timers.ino").write_text(SKETCH)
    machine = machine_of(boards.load("pico"))
    machine.load_elf(build(folder, boards.load("pico")).elf)
    for pin in (FROM_START, FROM_END, DONE):
        machine.log_pin(pin)
    machine.run(HZ // 10)
    assert machine.fault() is None
    seen: dict[int, list[float]] = {FROM_START: [], FROM_END: [], DONE: []}
    for cycle, pin, _ in machine.pin_edges():
        seen[pin].append(cycle * 1e6 / HZ)
    (done,) = seen[DONE]
    start = seen[FROM_START][0]
    late = [us - start - 50 * n for n, us in enumerate(seen[FROM_START])]
    assert min(late) > -COST_US and max(late) < 2 * COST_US, "no error adds up"
    assert len(late) == int((done - start) / 50) + 1, "until it was cancelled"
    assert 590 <= len(late) <= 610
    ends = seen[FROM_END]
    assert len(ends) == 3, "four calls; the first sets what was low"
    for a, b in itertools.pairwise(ends):
        assert 2000 + COVERED_US - 1 <= b - a <= 2000 + 3 * COST_US
