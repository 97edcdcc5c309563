"""docs/parts.md does what it says, and what a user's own parts do wrong ends as it should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import takt
from parts_page import PAGE, made
from tutorial import blocks

PROBE = (
    "#include <Wire.h>\n#include <SPI.h>\n"
    + """
void setup() {
  Serial.begin(115200);
  Wire.begin();
  SPI.begin();
  digitalWrite(17, HIGH);
  pinMode(17, OUTPUT);
}

void loop() {
  Serial.println(millis());
  Wire.requestFrom(0x48, 2);
  digitalWrite(17, LOW);
  SPI.transfer(1);
  digitalWrite(17, HIGH);
  delay(100);
}
"""
)
I2C, SPI = '[parts.a]\ntype = "mine"\n', '[parts.a]\ntype = "mine"\nselect = 17\n'
FAILING = """from takt.world import I2cPart, SpiPart, i2c_settings, spi_settings
class Mine({base}):
    kind = "mine"
    settings = {settings}
    {method}: {deed}
    def summary(self): return {{"times": self.transactions}}
"""
LATER = "return 1 / 0 if self.transactions > 3 else {}"
CASES = {
    "an exception on I2C": (
        "I2cPart", "i2c_settings(0x48)", "def read(self, last)", LATER.format(0), I2C,
        "in read(): ZeroDivisionError: division by zero"),
    "an exception on SPI": (
        "SpiPart", "spi_settings()", "def transfer(self, byte, bits)", LATER.format(0), SPI,
        "in transfer(): ZeroDivisionError: division by zero"),
    "no answer on SPI": (
        "SpiPart", "spi_settings()", "def transfer(self, byte, bits)",
        "return None if self.transactions > 3 else 0", SPI, "transfer() returned None"),
    "exit": (
        "I2cPart", "i2c_settings(0x48)", "def addressed(self, read)",
        "return exit(0) if self.transactions > 3 else True", I2C, "in addressed(): SystemExit: 0"),
}  # fmt: skip


def test_the_page(tmp_path: Path) -> None:
    text = PAGE.read_text()
    assert made(text, tmp_path) == text, "run tests/system/tutorial/parts_page.py"


def test_what_is_said_of_a_failing_part_is_an_exit_code_too(tmp_path: Path) -> None:
    page = PAGE.read_text()
    for block in blocks(PAGE):
        if block.file.startswith("warm/") and block.kind != "diff":
            file = tmp_path / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
    assert "self.heats = level" in page
    part = tmp_path / "warm/parts/heated_room.py"
    assert takt("check", "warm", cwd=tmp_path).returncode == 0
    part.write_text(part.read_text().replace("return self.celsius", "return self.celsius)"))
    for command in (["check", "warm"], ["run", "warm", "--seconds", "0.1"]):
        done = takt(*command, cwd=tmp_path)
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert done.stderr.startswith("error: warm/parts/heated_room.py:44: not Python: unmatched")


@pytest.mark.parametrize("case", CASES, ids=lambda name: name.replace(" ", "-"))
def test_a_part_that_fails_on_a_bus_ends_the_run_and_loses_nothing(
    case: str, tmp_path: Path
) -> None:
    base, settings, method, deed, world, what = CASES[case]
    folder = tmp_path / "probe"
    (folder / "parts").mkdir(parents=True)
    (folder / "probe.ino").write_text(PROBE)
    (folder / "world.toml").write_text(world)
    source = FAILING.format(base=base, settings=settings, method=method, deed=deed)
    (folder / "parts" / "mine.py").write_text("# mine\n" + source)
    done = takt("run", "probe", "--json", cwd=tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    result = json.loads(done.stdout)
    assert 0.3 <= result["virtual_s"] < 0.31
    assert what in result["failures"][0] and "probe/parts/mine.py:6" in result["failures"][0]
    assert result["serial"].split()[:3] == ["0", "100", "200"]
    assert result["world"] == {"a": {"times": 4}}
    assert Path(result["files"]["timeline_html"]).exists()
    shown = takt("run", "probe", cwd=tmp_path)
    assert shown.returncode == 1 and "error: probe/parts/mine.py:6: part 'a'" in shown.stderr
    assert "times 4" in shown.stdout
    assert what in takt("report", "probe", cwd=tmp_path).stdout.replace("\n", "")
