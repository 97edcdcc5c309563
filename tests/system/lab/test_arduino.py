"""Arduino's functions: every row is there, and goals that are reached stay so."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.cli.labs import lab
from takt.errors import UserError

lab.available()
from takt_lab_arduino import core, cycles, examples, sizes  # noqa: E402

UNO = boards.load("uno")


def test_every_call_is_reached() -> None:
    rows = cycles.measure(UNO, {})["rows"]
    assert {row["case"] for row in rows} == {cycles.shown(name) for name in cycles.names()}
    own = [row for row in rows if row["metric"] == "cycles"]
    assert all(row["value"] <= row["goal"] for row in own if row["goal"]), own


@pytest.mark.parametrize("name", ["empty", "Blink"])
def test_sizes_of_plain_loops(name: str) -> None:
    flash, ram = sizes.ours(name, sizes.UNO)
    assert (flash or 0) <= sizes.GOALS[name][0] and (ram or 0) <= sizes.GOALS[name][1]


def test_arduinos_core_is_as_published() -> None:
    """To the byte, where it is the same sketch: so it is compiled as there."""
    if not core.is_here():
        pytest.skip("Debian's package arduino-core-avr is not here")
    for name, published in sizes.PUBLISHED.items():
        assert sizes.theirs(name) == published


def library(folder: Path, name: str, architectures: str, **examples: str) -> None:
    place = folder / name
    (place / "src").mkdir(parents=True)
    told = {"name": name, "version": "1.0.0", "author": "a", "maintainer": "a", "sentence": "s"}
    told |= {"paragraph": "p", "category": "Other", "url": "u", "architectures": architectures}
    lines = [f"{key}={value}\n" for key, value in told.items()]
    (place / "library.properties").write_text("".join(lines))
    (place / "src" / f"{name}.h").write_text("#pragma once\ninline int three() { return 3; }\n")
    for example, body in examples.items():
        (place / "examples" / example).mkdir(parents=True)
        text = f"#include <{name}.h>\nvoid setup() {{ {body} }}\nvoid loop() {{}}\n"
        (place / "examples" / example / f"{example}.ino").write_text(text)


def test_examples_of_libraries_are_counted(tmp_path: Path) -> None:
    """One that is not for the board is not, and of one that fails the first error is told."""
    library(tmp_path, "Good", "*", One="three();", Two="pinMode(13, three());")
    library(tmp_path, "Bad", "*", Wrong="four();")
    library(tmp_path, "OfAvr", "avr", Alone="PORTB = three();")
    (told,) = lab.run("arduino.libraries", None, {"folder": tmp_path, "jobs": 1})
    found = {(one["case"], one["metric"]): one["value"] for one in told.rows}
    assert found["Good", "pico built"] == found["Good", "uno built"] == 2
    assert found["Bad", "pico examples"] == 1 and found["Bad", "pico built"] == 0
    assert ("OfAvr", "pico examples") not in found and found["OfAvr", "uno built"] == 1
    assert found["all", "pico share"] == 66.7 and found["all", "uno share"] == 75
    if examples.BUILDER.is_file():
        assert (found["Good", "arduino built"], found["Bad", "arduino built"]) == (2, 0)
    assert "'four' was not declared" in told.config["not built"]["Bad/Wrong (pico)"]
    with pytest.raises(UserError, match="needs a folder"):
        lab.refuse_strange("arduino.libraries", {})
    with pytest.raises(UserError, match=r"takes no FOLDER|arduino.sizes takes no"):
        lab.refuse_strange("arduino.sizes", {"folder": tmp_path})
