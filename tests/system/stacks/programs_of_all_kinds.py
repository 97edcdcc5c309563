"""Programs that have, together, what threads and handlers there are, as far as a board can."""

from __future__ import annotations

from pathlib import Path

from takt import boards
from takt.boards import Board

MCUS = [n for n in boards.names() if boards.load(n).core not in ("", "host", "x86_64")]
SKETCH = """\
#include <Takt.h>
Mutex locked;
volatile unsigned n;
void more() { n++; }
void (*volatile chosen)() = more;
void periodic(job, 1_ms, 200_ms) { n += 2; }
void setup() { Serial.begin(115200); }
void loop(1, 4, 200) { locked.lock(); n++; locked.unlock(); }
void loop(2, 4, 300) { Serial.println(n); chosen(); delay(3); }
"""
PINS = """\
#include <Takt.h>
volatile unsigned n;
void moved() { n++; }
void setup() {
    attachInterrupt(2, moved, CHANGE);
}
void loop(1, 4, 200) { n++; }
"""
TASKS = """\
#include <takt/task.h>
#include <takt/thread.h>
volatile unsigned n;
TAKT_TASK(quick, 1, 10000) { n++; }
TAKT_EVENT_TASK(asked, 2) { volatile char room[40]; room[0] = n; n += room[0]; }
TAKT_TASK(slow, 3, 50000) { takt_task_trigger(&takt_task_event_asked); }
TAKT_TASKS(5, %d)
int main(void) { takt_start(); }
"""
ALONE = """\
#include <port_task.h>
volatile unsigned n;
TAKT_TASK(quick, 1, 10000) { n++; }
TAKT_TASK(slow, 3, 50000) { n += 2; }
int main(void) { takt_tasks_run%s(); }
"""


def written(board: Board, folder: Path) -> list[Path]:
    """Folders, one for each program."""
    avr = board.core == "avr"
    texts = {
        "sketch.ino": SKETCH,
        "tasks.c": TASKS % (400 if avr else 3000 if "fpu" in board.capabilities else 1500),
    }
    if "edge" in board.capabilities and board.name != "atmega324p":  # where RAM is too small for it
        texts["pins.ino"] = PINS
    if avr:
        texts |= {"alone.c": ALONE % "", "turn.c": ALONE % "_in_turn"}
    for name, text in texts.items():
        own = folder / name.partition(".")[0]
        own.mkdir()
        (own / name).write_text(text)
    return [folder / name.partition(".")[0] for name in texts]
