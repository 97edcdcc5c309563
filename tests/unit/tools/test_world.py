"""Reading of world files: what is accepted, and how each mistake is named."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from takt import boards
from takt.errors import UserError
from takt.world import toml_lines
from takt.world.parts import PARTS
from takt.world.stimuli import SETTINGS as STIMULUS
from takt.world.world import load

PINS = {f"GP{n}": n for n in range(30)} | {"A0": 26, "A1": 27, "LED_BUILTIN": 25}
BOARD = SimpleNamespace(pins=PINS)


def read(folder, text):
    (folder / "world.toml").write_text(text)
    return load(folder, BOARD)


def test_no_world_file_is_an_empty_world(tmp_path):
    world = load(tmp_path, BOARD)
    assert world.parts == {} and world.stimuli == []


def test_parts_pins_by_name_and_units(tmp_path):
    world = read(tmp_path, """
[world]
name = "bench"
[parts.lamp]
type = "led"
pin = "LED_BUILTIN"
[parts.sonar]
type = "hc-sr04"
trig = 11
echo = "GP2"
distance = [["0 s", "1.5 m"], ["2 s", "20 mm"]]
[[stimuli]]
at = "1500 us"
pin = 3
level = "high"
pulse = "10 us"
""")  # fmt: skip
    assert world.name == "bench"
    assert world.parts["lamp"].pin == 25
    assert world.parts["sonar"].distance.points == ((0, 150.0), (2_000_000_000, 2.0))
    assert world.stimuli[0].values["at"] == 1_500_000
    assert world.labels() == {25: "lamp", 11: "sonar trig", 2: "sonar echo"}


LED = '[parts.lamp]\ntype = "led"\npin = 25\n'
MISTAKES = {
    "unknown key of a part": (
        LED + "colour = 3\n", 4, "unknown key 'colour' in a led", "known keys: pin, active"),
    "unknown key, near miss": (
        '[parts.lamp]\ntype = "led"\npins = 25\n', 3, "unknown key 'pins'", "did you mean 'pin'?"),
    "unknown section": ("[world]\n[partz.lamp]\n", 2, "unknown key 'partz'", "'parts'"),
    "unknown top key": ("name = 1\n", 1, "unknown key 'name'", "known keys"),
    "unknown key of world": ("[world]\ntitle = 1\n", 2, "unknown key 'title'", "name"),
    "unknown part": (
        '[parts.lamp]\npin = 25\ntype = "leds"\n', 3, "unknown part 'leds'", "did you mean 'led'"),
    "part without type": ("[parts.lamp]\npin = 25\n", 1, "part 'lamp' has no type", "known parts"),
    "no such pin": (
        '[parts.lamp]\ntype = "led"\npin = 30\n', 3, "pin: the board has no pin 30", "0 to 29"),
    "no such pin name": (
        '[parts.lamp]\ntype = "led"\npin = "D99"\n', 3, "no pin 'D99'", "LED_BUILTIN"),
    "missing key": ('[parts.lamp]\ntype = "led"\n', 1, "a led needs 'pin'", "add a line pin"),
    "two outputs on one wire": (
        ('[parts.a]\ntype = "button"\npin = 3\n[parts.b]\ntype = "square-wave"\n'
        'frequency = "1 kHz"\npin = 3\n'), 7,
        "part 'a' and part 'b' both drive pin 3", "another pin"),
    "stimulus on a driven pin": (
        '[parts.a]\ntype = "button"\npin = 3\n[[stimuli]]\nat = "1 s"\nlevel = "high"\npin = 3\n',
        7, "two outputs on one wire", "another pin"),
    "number without unit": (
        '[parts.a]\ntype = "button"\npin = 3\nbounce = 5\n', 4, "5 is not a time", '"5 s"'),
    "wrong unit": (
        '[parts.a]\ntype = "button"\npin = 3\nbounce = "5 cm"\n', 4, "'cm' is not a unit of time",
        "ns, us, ms, s"),
    "negative time": (
        '[parts.a]\ntype = "button"\npin = 3\nbounce = "-5 ms"\n', 4, "negative", "start"),
    "wrong choice": (LED + 'active = "on"\n', 4, "active: 'on' is not a choice", "high or low"),
    "reference to nothing": (
        '[parts.s]\ntype = "hc-sr04"\ntrig = 1\necho = 2\ndistance = "wheels.distance_cm"\n', 5,
        "no other part 'wheels'", "parts here: none"),
    "reference to a missing quantity": (
        LED + '[parts.s]\ntype = "hc-sr04"\ntrig = 1\necho = 2\ndistance = "lamp.height"\n', 8,
        "'lamp' has no quantity 'height'", "it has: none"),
    "press during a press": (
        '[parts.a]\ntype = "button"\npin = 3\npress = [["1 s", "2 s"], ["2 s", "1 s"]]\n', 4,
        "still lasts", "shorten"),
    "values that do not go together": (
        '[parts.a]\ntype = "button"\npin = 3\nevery = "1 s"\n', 1, "go together", "hold"),
    "potentiometer on a digital pin": (
        '[parts.p]\ntype = "potentiometer"\npin = 3\nvoltage = "1 V"\n', 3, "no analog input",
        "A0, A1"),
    "frequency beyond what can be": (
        '[parts.s]\ntype = "square-wave"\npin = 3\nfrequency = "25 MHz"\n', 4,
        "'25 MHz' is too large", "use at most 20 MHz"),
    "frequency below what can be": (
        '[parts.s]\ntype = "square-wave"\npin = 3\nfrequency = "0 Hz"\n', 4,
        "'0 Hz' is too small", "use at least 0.001 Hz"),
    "angle beyond what can be": (
        '[parts.r]\ntype = "rover"\nleft = [8, 9]\nright = [6, 7]\nbeam = "61 deg"\n', 5,
        "'61 deg' is too large", "use at most 60 deg"),
    "baud rate beyond what can be": (
        '[parts.g]\ntype = "gps-receiver"\nbaud = 5000000\n', 3,
        "5000000 is too large", "use at most 4000000"),
    "size below what can be": (
        '[parts.r]\ntype = "rover"\nleft = [8, 9]\nright = [6, 7]\ntrack = "1 mm"\n', 5,
        "'1 mm' is too small", "use at least 1 cm"),
    "voltage beyond the supply": (
        '[parts.p]\ntype = "potentiometer"\npin = 26\nvoltage = "5 V"\n', 4, "too large", "3.3 V"),
    "stimulus with nothing to do": (
        '[[stimuli]]\nat = "1 s"\npin = 3\n', 1, "does one thing", "level, volts, send"),
    "second stimulus wrong": (
        '[[stimuli]]\nat = "1 s"\nsend = "x"\n[[stimuli]]\nat = "1 s"\nlevle = "high"\n', 6,
        "unknown key 'levle'", "'level'"),
    "rover inside a wall": (
        '[parts.r]\ntype = "rover"\nleft = [8, 9]\nright = [6, 7]\nstart = ["5 cm", "1 m"]\n', 1,
        "inside a wall", "move"),
    "rover with one pin twice": (
        '[parts.r]\ntype = "rover"\nleft = [8, 9]\nright = [9, 7]\n', 1, "share a pin", "four"),
    "not a pair": (
        '[parts.r]\ntype = "rover"\nleft = 8\nright = [6, 7]\n', 3, "not a pair", "[8, 9]"),
    "frames faster than a bus": (
        '[parts.c]\ntype = "usb-can"\nperiods = ["10 us"]\n', 1, "faster than a bus", "longer"),
    "more buses than the adapter has": (
        '[parts.c]\ntype = "usb-can"\nadapter = "gs_usb"\nperiods = ["1 ms", "1 ms"]\n', 1,
        "2 periods", "for each bus"),
    "an unknown fault of an adapter": (
        '[parts.c]\ntype = "usb-can"\nperiods = ["1 ms"]\nfaults = [["1 s", "smoke"]]\n', 4,
        "'smoke' is not a choice", "stall"),
    "an inline table": (
        '[parts]\na = {type = "led", pin = 3}\n\nb = {type = "led", pin = 30}\n', 4,
        "no pin 30", "0 to 29"),
    "an inline table over lines of an array": (
        'stimuli = [\n  {at = "1 s", send = "x"},  # {\n  {at = "1 s", levle = "high"},\n]\n', 3,
        "unknown key 'levle'", "'level'"),
    "a dotted key": (
        'parts.a.type = "led"\nparts.a.pin = 3\nparts."b c".type = "led"\nparts."b c".pin = 30\n',
        4, "no pin 30", "0 to 29"),
    "a header in a string": (
        '[world]\nname = """\n[parts.a]\npin = 30"""\n[parts.a]\ntype = "led"\npin = 30\n', 7,
        "no pin 30", "0 to 29"),
    "a part whose name begins that of another": (
        '[parts.ab]\ntype = "led"\npin = 3\n[parts.a]\ntype = "led"\npin = 30\n', 6,
        "no pin 30", "0 to 29"),
    "a list of types": (
        '[parts.s]\ntype = ["hc-sr04"]\n', 2, "the type of part 's' is not text: ['hc-sr04']",
        'type = "hc-sr04"'),
    "a table of types": ('[parts.s]\ntype = {a = 1}\n', 2, "not text: {'a': 1}", 'type = "led"'),
    "a type that is a number": ('[parts.s]\ntype = 4\n', 2, "not text: 4", 'type = "led"'),
    "stimuli that are no tables": ('stimuli = [1]\n', 1, "not a list of tables", "[[stimuli]]"),
    "part that is no table": ("[parts]\nlamp = 3\n", 2, "not a table", "[parts.lamp]"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES, ids=lambda name: name.replace(" ", "-"))
def test_mistakes_are_named_with_line_and_fix(tmp_path, case):
    text, line, what, fix = MISTAKES[case]
    with pytest.raises(UserError) as caught:
        read(tmp_path, text)
    error = caught.value
    assert what in error.what
    assert fix in error.fix
    assert "e+" not in error.fix
    assert error.where.endswith(f"world.toml:{line}")
    assert error.exit_code == 1


ONE_PORT = SimpleNamespace(pins=PINS, raw={"serial": {"ports": [{"name": "Only"}]}})
NO_SUCH_PORT = {
    "a serial port that the board lacks": (
        '[parts.a]\ntype = "led"\npin = 3\n[parts.g]\ntype = "gps-receiver"\nport = 1\n', 6,
        "no serial port 1", "0 (Only); a part may be wired to two pins instead: tx and rx"),
    "one that it lacks unless told": (
        '[parts.g]\ntype = "gps-receiver"\n', 1, "no serial port 1", "tx and rx"),
    "typed on one that it lacks": (
        '[[stimuli]]\nat = "1 s"\nsend = "x"\nport = 1\n', 4, "no serial port 1", "0 (Only)"),
    "a port and pins": (
        '[parts.g]\ntype = "gps-receiver"\nport = 0\ntx = 3\n', 1, "a port and to pins", "keep"),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_SUCH_PORT, ids=lambda name: name.replace(" ", "-"))
def test_ports_that_the_board_lacks(tmp_path, case):
    text, line, what, fix = NO_SUCH_PORT[case]
    (tmp_path / "world.toml").write_text(text)
    with pytest.raises(UserError) as caught:
        load(tmp_path, ONE_PORT)
    assert what in caught.value.what and fix in caught.value.fix
    assert caught.value.where.endswith(f"world.toml:{line}")


def test_not_toml(tmp_path):
    with pytest.raises(UserError, match="not a TOML file"):
        read(tmp_path, "[parts\n")


SKETCHES = sorted((Path(__file__).parents[3] / "lab/arduino/libraries").glob("*/*"))


@pytest.mark.parametrize("folder", SKETCHES, ids=lambda folder: folder.parent.name)
@pytest.mark.parametrize("board", ["pico", "uno"])
def test_worlds_of_sketches_for_libraries(folder, board):
    assert (folder / f"{folder.name}.ino").is_file()
    found = load(folder, boards.load(board))
    assert found.parts
    if (folder / "says.txt").exists():
        assert all((folder / "says.txt").read_text().splitlines())


def test_every_part_and_key_is_documented():
    text = (Path(__file__).parents[3] / "docs" / "worlds.md").read_text()
    sections = dict(part.split("\n", 1) for part in re.split(r"^#{2,3} ", text, flags=re.M)[1:])
    for kind, part in PARTS.items():
        for key, setting in part.settings.items():
            assert f"| `{key}` |" in sections[kind] and setting.help in sections[kind]
    for key in STIMULUS:
        assert f"| `{key}` |" in sections["Stimuli"]


ODD = (4, -1, 1.5, True, "", "x", [], ["hc-sr04"], [[]], [["1 s"]], [[1, 2]], {"a": 1}, [{"a": 1}])


@pytest.mark.parametrize("kind", PARTS)
def test_whatever_a_key_is_given_is_a_message(tmp_path, kind):
    for key in PARTS[kind].settings:
        for value in ODD:
            text = toml_of(value)
            try:
                read(tmp_path, f'[parts.a]\ntype = "{kind}"\n{key} = {text}\n')
            except UserError as error:
                assert re.search(r"world\.toml:[1-3]$", error.where), (key, value)


def toml_of(value):
    """A value as TOML has it; JSON is that but for tables."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml_of(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_of, value))}]"
    return json.dumps(value)


WHERE = """# a file in which each number is that of its line
a = 2
b = {c = 3, "d.e" = {f = 3}, 'g' = [{h = 3}, {h = 3}]} # b = 9
i.j.k = 4
i . "j".l = 5
s = '''
m = 9
'''
t = "\\" [u] ' \\\\" # v
x = 10
[t1]
[t1.t2] # [t1.t3]
y = 13
[[w]]
  z = 15
[w.sub]
z = 17
[[w]]
z = 19
[[w.more]]
z = 21
[[w.more]]
z = 23
["q r".s]
z = [ # ]
  {z = 26}, # {z = 9}
  # z = 9
  {z = 28, y = [1.0,
  '{'], x = 29},
]
z2 = 31
"""


def test_where_keys_stand():
    found = toml_lines.lines(WHERE)
    numbers = list(leaves(tomllib.loads(WHERE)))
    assert len(numbers) == 18
    for path, value in numbers:
        assert found[path] == value, path
    assert found["w", 1] == 18 and found["t1", "t2"] == 12 and found["q r", "s"] == 24


def leaves(value, path=()):
    """(path, number) of each number."""
    if isinstance(value, int):
        yield path, value
    elif isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            yield from leaves(one, (*path, key))


WIRED = {"select": 10, "dc": 9, "at": '"1 s"', "a": 5, "b": 6, "interrupt": 7}  # as a part needs
ON_BUS = [(kind, bus) for kind, part in PARTS.items() for bus in ("i2c", "spi")
          if bus in part.settings]  # fmt: skip


@pytest.mark.parametrize("board", ["uno", "atmega324p", "pc", "sim"])
@pytest.mark.parametrize(("kind", "bus"), ON_BUS)
def test_a_bus_that_the_board_does_not_have_is_named(tmp_path, board, kind, bus):
    settings = PARTS[kind].settings
    needed = {key for key, setting in settings.items() if setting.required}
    needed |= {"select", "dc"} & set(settings) if bus == "spi" else set()
    lines = [f'type = "{kind}"', *(f"{key} = {WIRED[key]}" for key in sorted(needed))]
    text = "\n".join(["[parts.x]", *lines, f"{bus} = 1", ""])
    (tmp_path / "world.toml").write_text(text)
    if board in ("pc", "sim") and "select" in needed:
        pytest.skip("their pins have other numbers")
    with pytest.raises(UserError, match=f"part 'x' is on {bus.upper()} 1, which the board") as told:
        load(tmp_path, boards.load(board))
    assert told.value.where.endswith(f"world.toml:{len(lines) + 2}")
    assert ("= 0" in told.value.fix) == (board in ("uno", "atmega324p"))


def test_each_bus_that_the_board_has_may_be_used(tmp_path):
    for bus in (0, 1):
        text = f'[parts.x]\ntype = "ssd1306"\ni2c = {bus}\n'
        (tmp_path / "world.toml").write_text(text)
        assert load(tmp_path, boards.load("pico")).parts["x"].on_bus() == ("i2c", bus)
