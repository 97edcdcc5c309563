"""Misuse on the target ends in a named fatal line or a defined code, never in silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import BOARDS, OURS, PC, SIM
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.errors import UserError
from takt.world import world

UNLOCKED = "returned with a mutex locked"
FATAL = {
    UNLOCKED: """
        #include <Takt.h>
        Mutex m;
        void setup() {}
        void loop(1, 5, 100) { delay(1); }
        void loop(2, 10, 100) { if (millis() > 20) m.lock(); delay(1); }""",
    "the program called exit or abort": """
        #include <stdlib.h>
        void setup() {}
        void loop() { delay(5); abort(); }""",
    "stack overflow": """
        void setup() {}
        void loop(1, 5, 100, 500) {
          volatile int n = 1000; char v[n]; v[0] = 1; v[n - 1] = 2; delay(1); }""",
}

FROM_HANDLER = """
volatile bool told;
void tell() { if (!told) { told = true; Serial.println("from the handler"); } }
void setup() {
  Serial.begin(115200);
  pinMode(14, INPUT_PULLUP);
  pinMode(15, OUTPUT);
  attachInterruptIsr(15, tell, RISING);
}
void loop() {
  static int n;
  digitalWrite(15, n & 1);
  Serial.println(n++);
  delay(10);
}
"""


def go(source: str, tmp_path: Path, name: str) -> dict:
    folder = tmp_path / "misuse"
    folder.mkdir()
    if name in (SIM, PC):
        source = source.replace("n = 1000", "n = 131000")  # its stacks are large
    (folder / "misuse.ino").write_text(source)
    board = boards.load(name)
    built = build(folder, board)
    return run.run(built, world.load(folder, board), 0.5).as_dict()


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("why", FATAL)
def test_a_fatal_error_is_named(why: str, board: str, tmp_path: Path) -> None:
    if (why, board) == ("stack overflow", "uno"):
        pytest.skip("an array larger than half of its RAM takes the registers along")
    with pytest.raises(UserError) as raised:
        go(FATAL[why], tmp_path, board)
    assert why in str(raised.value)
    assert raised.value.exit_code == 1


@pytest.mark.parametrize("board", (*OURS, SIM))
def test_printing_in_a_handler_leaves_serial_working(board: str, tmp_path: Path) -> None:
    said = go(FROM_HANDLER, tmp_path, board)["serial"]
    assert "from the handler" in said
    assert "\n30\r\n" in said, "the loop goes on printing"
