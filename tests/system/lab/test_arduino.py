"""Arduino's functions: every row is there, and goals that are reached stay so."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.cli.labs import lab
from takt.errors import UserError

lab.available()
from takt_lab_arduino import core, cycles, examples, excepted, sizes  # noqa: E402

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


EXCEPTED = {
    "x.ino:1:1: no header avr/wdt.h: it is AVR's fix: build": "for AVR",
    "x.ino:1:1: no header Other.h fix: put its library": "wants another library: Other.h",
    'x.ino:7 (L/l.h:2:2): #error "Interrupts are unknown"': "knows no such board, and says so",
    'x.ino:7 (libraries/Wire/src/Wire.h:2:2): #error "Wire: this board has no I2C"': "",
    "x.ino:3:1: 'PIN_IN' was not declared in this scope": "defines PIN_IN for other boards only",
    "x.ino:3:1: 'NOWHERE' was not declared in this scope": "",
    "x.ino:1:1: no header hardware/dma.h: it is": "",
    "x.ino:1:1: no header SoftwareSerial.h fix: put": "",
    "the sketch needs 3 bytes more than the flash": "",
}


def test_what_is_written_for_other_boards_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "l.h").write_text("#ifdef ESP8266\n# define PIN_IN 3\n#endif\n")
    found = {error: excepted.reason(error, None, tmp_path, "pico") for error in EXCEPTED}
    assert found == EXCEPTED
    assert (
        excepted.reason("the sketch needs", "error: no", tmp_path, "uno") == "nor by Arduino's core"
    )


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
    beside = examples.BUILDER.is_file()  # and says the same of four()
    shares = (100, 100) if beside else (66.7, 75)
    assert (found["all", "pico share"], found["all", "uno share"]) == shares
    if beside:
        assert (found["Good", "arduino built"], found["Bad", "arduino built"]) == (2, 0)
        assert found["Bad", "pico excepted"] == found["Bad", "uno excepted"] == 1
    assert "'four' was not declared" in told.config["not built"]["Bad/Wrong (pico)"]
    with pytest.raises(UserError, match="needs a folder"):
        lab.refuse_strange("arduino.libraries", {})
    with pytest.raises(UserError, match=r"takes no FOLDER|arduino.sizes takes no"):
        lab.refuse_strange("arduino.sizes", {"folder": tmp_path})
