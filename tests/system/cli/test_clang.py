"""takt build --compiler clang, for each core that clang compiles for: the program says the same as
GCC's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import needed
import pytest
from takt.build.cmake import CLANGS

SKETCH = """#include <Takt.h>

Channel<float> found;

void setup() { Serial.begin(115200); }

void loop(1, 5, 50) {
  float sum = 0;
  for (int n = 1; n < 40; n++)
    sum += 1.0f / (float)n;
  found.write(sum);
  delay(100);
}

void loop(2, 10, 100) {
  delay(300);
  Serial.println(found.read(), 4);
}
"""
SUM = "4.2535"  # of 1 / n, n from 1 to 39
CPUS = {"pico": "cortex-m0plus", "lm3s6965evb": "cortex-m3", "mps2-an386": "cortex-m4"}


@pytest.mark.parametrize("board", CPUS)
def test_a_sketch(board: str, takt: Callable, write: Callable) -> None:
    if not any(map(shutil.which, CLANGS)):
        needed.lacks("no clang")
    folder = write("sums", SKETCH)
    ran = takt("run", folder, "--board", board, "--compiler", "clang", "--seconds", "1", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["serial"].split() == [SUM] * 3
    assert [thread["misses"] for thread in ran.json["threads"]] == [0, 0]
    (costs,) = [line for line in ran.json["assumed"] if "the kernel's own costs" in line]
    assert "this is clang 1" in costs or "this is clang 2" in costs
    shown = takt("report", folder, "--board", board)
    built = takt("build", folder, "--board", board, "--compiler", "clang")
    assert costs in shown.out and costs in built.out
    files = ran.json["files"]
    commands = json.loads((Path(files["serial"]).parent / "compile_commands.json").read_text())
    (words,) = [one["arguments"] for one in commands if one["file"].endswith("sums.ino")]
    assert "clang" in words[0] and f"-mcpu={CPUS[board]}" in words
    assert ("-mfloat-abi=hard" in words) == (board == "mps2-an386")
