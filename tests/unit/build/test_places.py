"""Where loops, pipes and adapters stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.admit.places import places

SKETCH = """#include <Takt.h>
canAdapter(car, hydra, 1_ms, 5_ms);
canSender(car, hydra, 1_ms, 6_ms);
void pipe(engine, canIn(car, 0), qos(400, 64, 500_us)) {}
void loop(1, 10, 100) {}
void loop( fast, 1, 10) {}
void periodic(beat, 1, 20) {}
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("can_car_rx", 2),
        ("can_car_tx", 3),
        ("pipe engine", 4),
        ("loop 1", 5),
        ("loop fast", 6),
        ("periodic beat", 7),
    ],
)
def test_by_the_name_in_tables(name: str, line: int, tmp_path: Path) -> None:
    first, second = tmp_path / "a.ino", tmp_path / "b.ino"
    first.write_text("void setup() {}\n")
    second.write_text(SKETCH)
    assert places([first, second])(name).endswith(f"b.ino:{line}")


@pytest.mark.parametrize("name", ["loop", "loop 2", "usb_devices", "pipe fast"])
def test_the_first_file_where_it_is_not_seen(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.ino"
    file.write_text(SKETCH)
    assert places([file])(name).endswith("a.ino")
