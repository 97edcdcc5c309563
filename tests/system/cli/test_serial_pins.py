"""Serial devices of a world at the two pins of a SoftwareSerial."""

from __future__ import annotations

from collections.abc import Callable

import pytest

ECHO = """
#include <SoftwareSerial.h>
SoftwareSerial line(4, 3);
void setup() { Serial.begin(115200); line.begin(2400); line.println("ready"); }
void loop() {
  int c = line.read();
  if (c >= 0) { Serial.write(c); line.write(c + 1); }
}
"""
PHONE = """
[parts.phone]
type = "serial-terminal"
tx = 4
rx = 3
baud = 2400
send = [["1 s", "hello\\n"]]
"""


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_a_terminal_both_ways(takt: Callable, write: Callable, board: str) -> None:
    folder = write("echo", ECHO, world_DOT_toml=PHONE)
    ran = takt("run", folder, "--board", board, "--seconds", "2", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["serial"] == "hello\n"
    assert ran.json["world"]["phone"] == {
        "sent_bytes": 6, "received_bytes": 7 + 6, "lines": 1, "malformed_bytes": 0
    }  # fmt: skip


def test_a_gps_receiver_on_a_board_with_one_port(takt: Callable, write: Callable) -> None:
    sketch = ECHO.replace("2400", "9600").replace(" line.write(c + 1);", "")
    world = '[parts.gps]\ntype = "gps-receiver"\ntx = 4\nbaud = 9600\nstop = "1 s"\n'
    folder = write("gps", sketch, world_DOT_toml=world)
    ran = takt("run", folder, "--board", "uno", "--seconds", "2", "--json")
    sentences = ran.json["serial"].splitlines()
    assert len(sentences) == ran.json["world"]["gps"]["sentences"] > 10
    for line in sentences:
        body, check = line[1:].split("*")
        total = 0
        for letter in body.encode():
            total ^= letter
        assert line[0] == "$" and int(check, 16) == total
    lacking = write("gps", sketch, world_DOT_toml=world.replace("tx = 4", "port = 1"))
    ran = takt("run", lacking, "--board", "uno")
    assert ran.code == 1 and "world.toml:3: the board has no serial port 1" in ran.err
