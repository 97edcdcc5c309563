"""Pipes from SPI devices: asked once in every period, whatever else runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.errors import UserError
from takt.result.result import Result
from takt.world import world

SKETCH = """#include <SpiPipe.h>
#include <Takt.h>
const byte ask[] = {{0xC4, 0x00}};  // AD7298: input 3, again and again
long count, wrong;
int value;
spiSource(adc, 1000000, SPI_MODE0, {select}, ask, {source});
void pipe(values, spiIn(adc), {qos}) {{
  byte answer[2];
  while (values.read(answer)) {{
    count++;
    value = (answer[0] & 15) << 8 | answer[1];
    wrong += count > 2 && answer[0] >> 4 != 3;
  }}
}}
void setup() {{ Serial.begin(115200); }}
void loop(hog, 4, 20) {{ volatile int x = 0; for (int i = 0; i < 50; i++) x += i; }}
void loop(report, 3, 100) {{
  Serial.print(value);
  Serial.print(' ');
  Serial.println(wrong);
  delay(500);
}}
"""
WORLD = """
[parts.adc]
type = "ad7298"
select = {select}
[parts.knob]
type = "potentiometer"
pin = "adc.3"
position = "30 %"
[parts.terminal]
type = "serial-terminal"
"""
SOURCE, QOS = "300_us, 1_ms", "qos(1000, 64, 500_us)"


def ran(folder: Path, board: str, source: str = SOURCE, qos: str = QOS) -> Result:
    sketch = folder / "sketch"
    sketch.mkdir()
    select = 17 if board == "pico" else 10
    (sketch / "sketch.ino").write_text(SKETCH.format(select=select, source=source, qos=qos))
    (sketch / "world.toml").write_text(WORLD.format(select=select))
    data = boards.load(board)
    built = build(sketch, data, out=folder / "build")
    return run.run(built, world.load(sketch, data), 2.0)


@pytest.mark.parametrize(
    ("board", "rate", "how"),
    [
        ("pico", 1000, (SOURCE, QOS)),
        ("stm32f051", 500, ("400_us, 2_ms", "qos(500, 64, 500_us)")),
        ("uno", 50, ("3_ms, 20_ms", "qos(50, 16, 3_ms)")),
    ],
)
def test_every_answer_arrives_in_time(
    board: str, rate: int, how: tuple[str, str], tmp_path: Path
) -> None:
    result = ran(tmp_path, board, *how)
    (pipe,) = result.stats.pipes
    assert (pipe.per_s_min, pipe.per_s_max) == (rate, rate) or pipe.handled > 1.9 * rate - 8
    assert pipe.lost == pipe.late == result.missed == 0
    assert pipe.latency_max_us <= pipe.pipe.bounds.delay_us
    last = result.serial.splitlines()[-1].split()
    supply = 5 if board == "uno" else 3.3
    assert abs(int(last[0]) - 0.3 * supply / 2.5 * 4095) <= 20 and last[1] == "0"


def test_a_faster_pipe_than_its_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        ran(tmp_path, "pico", qos="qos(1001, 64, 500_us)")
    assert "the pipes of adc ask for" in refused.value.what


def test_a_source_has_to_have_time_for_its_device(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        ran(tmp_path, "pico", source="100_us, 1_ms")
    assert refused.value.what.endswith(
        "what comes from adc in one period may take its thread 167 us, and it has 100 us"
    )
