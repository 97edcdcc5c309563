"""What the examples with displays and lamps are for."""

from __future__ import annotations

import re
from itertools import pairwise

from conftest import EXAMPLES
from PIL import Image

SECONDS = 4  # as every example runs
COLUMNS, DOTS = 16, 5


def rows(result, name):
    return ["".join(text for text, _ in row) for row in result["pictures"][name]["rows"]]


def test_the_bar_is_as_long_as_the_voltage_is_high(run):
    result = run("character-display", SECONDS)
    found = result["world"]["display"]
    text, bar = found["lines"]
    millivolts = int(re.fullmatch(r"A0 is at (\d{4}) mV", text)[1])
    assert abs(millivolts - 0.47 * 3300) < 15
    lit = millivolts * COLUMNS * DOTS // 3300
    expected = "₅" * (lit // DOTS) + "₁₂₃₄₅"[lit % DOTS - 1] * (lit % DOTS > 0)
    assert bar == expected
    assert found["lost_while_busy"] == found["hasty_pulses"] == 0 and found["not_modelled"] == []
    assert rows(result, "display")[1] == f"│{text}│"


def test_the_busy_flag_is_what_the_sketch_waits_for(run, sketch):
    """Without it bytes come too soon, and the display tells."""
    folder = EXAMPLES / "character-display"
    source = (folder / "character-display.ino").read_text()
    assert "while (high & 8);" in source
    hasty = sketch(
        source.replace("while (high & 8);", "while (false);"), (folder / "world.toml").read_text()
    )
    found = run(hasty, 1)["world"]["display"]
    assert found["lost_while_busy"] > 0 and found["first_lost_ms"] > 50


def test_the_curve_is_the_voltage_of_the_last_second(run):
    result = run("dot-display", SECONDS)
    lines = result["pictures"]["display"]["hex"]
    dots = [[int(line, 16) >> 127 - x & 1 for x in range(128)] for line in lines]
    curve = {x: {y for y in range(64) if dots[y][x]} - {0, 32, 63} for x in range(128)}
    flat = [x for x in curve if curve[x] == {64 - round(0.9 * 64)}]
    assert len(flat) >= 18 and flat == list(range(flat[0], flat[0] + len(flat)))  # 0.2 s at 90 %
    (edge,) = [x for x in curve if len(curve[x]) > 30]  # the step from 90 to 30 %
    assert edge == flat[-1] + 1
    found = result["world"]["display"]
    assert found["lit_dots"] == sum(map(sum, dots)) and found["data_bytes"] % 1024 == 0
    assert found["unknown_commands"] == found["not_modelled"] == []
    image = Image.open(result["files"]["world.display.png"]).convert("L")
    shown = [
        [image.getpixel((13 + 4 * x, 13 + 4 * y)) > 100 for x in range(128)] for y in range(64)
    ]
    assert shown == [[bool(dot) for dot in line] for line in dots]


def test_the_dot_runs_up_and_down(run):
    result = run("lamp-strip", SECONDS)
    found = result["world"]["strip"]
    assert found["malformed_bits"] == found["frames_cut_short"] == found["frames_too_long"] == 0
    assert 95 <= found["frames"] <= 100
    frames = [colours.split() for _, colours in result["pictures"]["strip frames"]["frames"]]

    def brightest(frame):
        return max(range(10), key=lambda lamp: sum(bytes.fromhex(frame[lamp])))

    there_and_back = [*range(10), *range(8, 0, -1)]
    assert [brightest(one) for one in frames[:50]] == (there_and_back * 3)[:50]
    assert frames[0][0] == "ff2800" and frames[1][0] == f"{255 * 5 // 8:02x}{40 * 5 // 8:02x}00"
    assert found["colours"] == frames[-1]
    times = [at for at, _ in result["pictures"]["strip frames"]["frames"]]
    assert all(40 < b - a < 41.5 for a, b in pairwise(times))
