"""Parts of a user's own: what they can do, and how each mistake is told."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.world import load

BOARD = SimpleNamespace(pins={f"GP{n}": n for n in range(30)} | {"A0": 26, "LED_BUILTIN": 25})
MS = 125_000  # cycles
WORLD = '[parts.mine]\ntype = "my-part"\n'
HEAD = """from takt.world import Duration, I2cPart, Part, Pin, Quantity, SettingError, SpiPart, Wire
from takt.world import i2c_settings, spi_settings
class Mine(Part):
    kind = "my-part"
"""  # the class begins in line 3, what a test adds in line 5


def world(folder, own, text=WORLD):
    (folder / "parts").mkdir(exist_ok=True)
    for name, source in (own if isinstance(own, dict) else {"mine.py": own}).items():
        (folder / "parts" / name).write_text(source)
    (folder / "world.toml").write_text(text)
    return load(folder, BOARD)


def bench_of(folder, own, text=WORLD, edges=()):
    machine = FakeMachine(edges)
    return Bench(machine, world(folder, own, text), machine.hz)


def test_a_default_stands_as_in_a_world_file(tmp_path):
    own = (
        HEAD
        + '    settings = {"t": Duration("time", default="2 ms"), "pin": Pin("p", default="A0")}\n'
    )
    assert world(tmp_path, own).parts["mine"].values == {"t": 2_000_000, "pin": 26}


def test_other_parts_use_its_quantity(tmp_path):
    own = HEAD + '    quantities = ["half"]\n    def quantity(self, name, cycle): return 0.5\n'
    text = WORLD + '[parts.knob]\ntype = "potentiometer"\npin = "A0"\nposition = "mine.half"\n'
    bench = bench_of(tmp_path, own, text)
    bench.run(2 * MS)
    assert bench.machine.analog[0][1:] == (0, 1.65)


def test_it_knows_bytes_at_once_where_it_answers(tmp_path):
    own = HEAD + (
        "    def ports(self): return [0]\n"
        "    def on_byte(self, port, byte, cycle): self.bench.send(port, bytes([byte + 1]))\n"
    )
    bench = bench_of(tmp_path, own)
    bench.machine.output = [(3 * MS, 65)]
    bench.run(10 * MS)
    assert bench.machine.listened == {0}
    assert bench.machine.sent == [(3 * MS, 0, b"B")]


# What is wrong: (the file, line, what is said, what the fix names)
FILES = {
    "no Python": ("class Mine(Part)\n", 1, "not Python: expected ':'", "mend"),
    "no text": ("x = 1\0\n", 1, "not Python", "mend"),
    "an import of nothing": ("\nimport nothing_at_all\n", 2, "ModuleNotFoundError", "mend"),
    "it raises": ("x = 1\ny = x / 0\n", 2, "ZeroDivisionError: division by zero", "mend"),
    "it ends": ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3", "mend"),
    "no part": ("x = 1\n", 1, "the file has no part", "class MyPart(Part)"),
    "a class without kind": (
        "from takt.world import Part\n\nclass Mine(Part):\n    pass\n", 3,
        "class Mine has no name", 'kind = "my-part"'),
    "two parts": (
        HEAD + 'class Other(Part):\n    kind = "other"\n', 5,
        "two parts in one file: Mine and Other", "a file of its own"),
    "a kind that is none": (
        HEAD.replace("my-part", "My Part"), 4, "'My Part' is no name", "lower-case"),
    "a kind that is a number": (HEAD.replace('"my-part"', "4"), 4, "4 is no name", "lower-case"),
    "a kind of Takt": (HEAD.replace("my-part", "led"), 4, "has a part named 'led'", '"my-led"'),
    "settings that are a list": (HEAD + "    settings = [1]\n", 5, "not a dictionary", "Pin("),
    "a setting that is none": (HEAD + '    settings = {"a": 3}\n', 5, "'a' is 3", "Pin("),
    "a setting named type": (
        HEAD + '    settings = {"type": Pin("x")}\n', 5, "named 'type'", "another name"),
    "a setting without its help": (HEAD + '    settings = {"a": Pin()}\n', 5, "TypeError", "mend"),
    "quantities without comma": (HEAD + '    quantities = ("a")\n', 5, "not a tuple", "comma"),
    "a method with other arguments": (
        HEAD + "    def on_pin(self, pin): pass\n", 5, "on_pin() is called with (self, pin, level",
        "def on_pin(self, pin, level, cycle):"),
    "a method that is none": (
        HEAD + "    summary = {}\n", 5, "summary is not a method", "def summary(self):"),
    "__init__ that raises": (
        HEAD + "    def __init__(self, name, values):\n        self.x\n", 6,
        "AttributeError", "mend"),
    "__init__ alone": (
        HEAD + "    def __init__(self, name, values):\n        pass\n", 5,
        "__init__() does not call", "super().__init__(name, values)"),
    "check that raises": (
        HEAD + "    def check(self):\n        return 1 / 0\n", 6, "in check(): ZeroDivisionError",
        "mend"),
    "pins that are numbers": (
        HEAD + "    def pins(self): return [3]\n", 5, "part 'mine': pins() returned [3]", "Wire("),
    "a wire to nothing": (
        HEAD + '    def pins(self): return [Wire("a", None)]\n', 5,
        "pins() returned [Wire", "Wire("),
    "claims without a key": (HEAD + "    def claims(self): return []\n", 5, "returned []", "texts"),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES, ids=lambda name: name.replace(" ", "-"))
def test_mistakes_in_the_file_are_named_with_line_and_fix(tmp_path, case):
    source, line, what, fix = FILES[case]
    with pytest.raises(UserError) as caught:
        world(tmp_path, source)
    error = caught.value
    assert what in error.what
    assert fix in error.fix
    assert error.where.endswith(f"parts/mine.py:{line}")
    assert error.exit_code == 1


def test_two_parts_of_one_name(tmp_path):
    with pytest.raises(UserError) as caught:
        world(tmp_path, {"a.py": HEAD, "b.py": "# other\n" + HEAD})
    assert "two parts are named 'my-part'" in caught.value.what and "a.py:4" in caught.value.what
    assert caught.value.where.endswith("b.py:5")


def test_a_file_that_cannot_be_read(tmp_path):
    (tmp_path / "parts" / "x.py").mkdir(parents=True)
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        world(tmp_path, HEAD)


@pytest.mark.parametrize(
    ("table", "line", "what"),
    [
        ('pin = "A9"\n', 3, "the board has no pin 'A9'"),
        ('pins = 4\n', 3, "unknown key 'pins' in a my-part"),
        ("", 1, "a my-part needs 'pin' (where it hangs)"),
        ("pin = 3\nwarm = 40\n", 4, "40 is not a temperature with a unit"),
        ("pin = 4\n", 1, "four is unlucky"),
        ("pin = 3\n[parts.other]\ntype = \"button\"\npin = 3\n", 6, "both drive pin 3"),
        ("pin = 3\n[parts.other]\ntype = \"my-prat\"\npin = 3\n", 5, "unknown part 'my-prat'"),
    ],
)  # fmt: skip
def test_mistakes_in_the_world_are_told_as_of_any_part(tmp_path, table, line, what):
    own = HEAD + (
        '    settings = {"pin": Pin("where it hangs", required=True),\n'
        '                "warm": Quantity("how", family="temperature")}\n'
        '    def pins(self): return [Wire("pin", self.values["pin"], drives=True)]\n'
        "    def check(self):\n"
        '        if self.values["pin"] == 4: raise SettingError("four is unlucky", "use five")\n'
    )
    with pytest.raises(UserError) as caught:
        world(tmp_path, own, WORLD + table)
    assert what in caught.value.what
    assert caught.value.where.endswith(f"world.toml:{line}")


# Methods that fail while the world runs: the lines from 5 on, and what is said of line 6.
WIRED = '    def pins(self): return [Wire("a", 3), Wire("b", 4, drives=True)]\n'
AFTER = r" after 0\.010000 s"
RUNS = {
    "on_pin": ("def on_pin(self, pin, level, cycle): 1 / 0", f"{AFTER} in on_pin.*ZeroDivision"),
    "on_byte": ("def on_byte(self, port, byte, cycle): 1 / 0", f"{AFTER} in on_byte"),
    "at": ("def on_pin(self, *_): self.at(self.bench.now + 5, lambda: self.values[0])", "KeyError"),
    "at no cycle": ("def on_pin(self, *_): self.at(1.5, self.x)\n    def x(self): 0",
        "1.5 is no cycle"),
    "at no action": ("def on_pin(self, *_): self.at(1, 3)", "3 cannot be called as action"),
    "at with argument": ("def on_pin(self, p, l, c): self.at(c, self.on_pin)", "cannot be called"),
    "at without end": (
        "def on_pin(self, *_): self.at(self.bench.now, lambda: self.on_pin())", "without end"),
    "recursion": ("def on_pin(self, *a): self.on_pin(*a)", "RecursionError"),
    "drive what it looks at": (
        "def on_pin(self, p, l, c): self.bench.drive(3, 1, c)", r"no Wire\(..., 3, drives=True\)"),
    "drive no level": ("def on_pin(self, p, l, c): self.bench.drive(4, 'low', c)", "no level"),
    "drive late": (
        "def on_pin(self, p, l, c): self.bench.drive(4, l, c)", "9000 us late: .*prompt=True"),
    "analog": ("def on_pin(self, p, l, c): self.bench.analog(4, 1.0)", "analog=True"),
    "send": ("def on_pin(self, p, l, c): self.bench.send(0, 'text')", "not 0 and 'text'"),
    "finish": ("def finish(self, cycle): exit()", "SystemExit"),
    "summary": ("def summary(self): return {'a': object()}", r"summary\(\) returned .*object"),
    "summary not a number": ("def summary(self): return {'a': float('nan')}", "returned .*nan"),
    "files": ("def files(self): return {'../x': 'y'}", r"files\(\) returned"),
    "files of Takt": ("def files(self): return {'report.json': 'y'}", r"files\(\) returned"),
    "pictures": ("def pictures(self): return [{'room': 3}]", r"pictures\(\) returned"),
}  # fmt: skip


@pytest.mark.parametrize("case", RUNS)
def test_what_fails_in_a_run_is_told_and_nothing_else_is_lost(tmp_path, case):
    source, what = RUNS[case]
    text = WORLD + '[parts.lamp]\ntype = "led"\npin = 3\n'
    bench = bench_of(tmp_path, f"{HEAD}{WIRED}    {source}\n", text, [(MS, 3, 1), (2 * MS, 3, 0)])
    bench.machine.output = [(MS, 65)]
    for slice_ in range(1, 4):
        if not bench.failed:
            assert bench.run(slice_ * 10 * MS) is None
    bench.finish()
    found = bench.summary()
    bench.files(), bench.pictures()
    assert found["lamp"]["toggles"] == 2
    error = bench.failed
    assert error and "part 'mine'" in error.what
    with pytest.raises(UserError, match=what):
        raise error
    assert error.where.endswith("parts/mine.py:6")


def test_the_way_to_the_line_is_told(tmp_path):
    own = HEAD + (
        "    def finish(self, cycle):\n"
        "        deeper()\n"
        "def deeper():\n"
        "    raise ValueError('here')\n"
    )
    bench = bench_of(tmp_path, own)
    bench.finish()
    assert bench.failed.where.endswith("mine.py:8")
    assert bench.failed.what == "part 'mine' failed after 0.000000 s in finish(): ValueError: here"
    assert bench.failed.detail.endswith("mine.py:6 finish")


def test_a_quantity_that_fails_while_another_part_asks(tmp_path):
    own = HEAD + "    quantities = ('q',)\n    def quantity(self, name, cycle): return None\n"
    text = WORLD + '[parts.knob]\ntype = "potentiometer"\npin = "A0"\nposition = "mine.q"\n'
    with pytest.raises(UserError, match=r"quantity\(\) returned None") as caught:
        bench_of(tmp_path, own, text)
    assert caught.value.where.endswith("mine.py:6")


BUSES = {
    "I2cPart": ("i2c_settings(0x30)", {"addressed": "read", "write": "byte", "read": "last"}),
    "SpiPart": ("spi_settings()", {"transfer": "byte, bits"}),
}


@pytest.mark.parametrize(
    ("base", "method"), [(base, m) for base, (_, ms) in BUSES.items() for m in ms]
)
def test_what_bus_methods_return(tmp_path, base, method):
    made, methods = BUSES[base]
    own = HEAD.replace("Mine(Part)", f"Mine({base})") + (
        f"    settings = {made}\n    def {method}(self, {methods[method]}): return None\n"
    )
    bench = bench_of(tmp_path, own, WORLD + ("select = 5\n" if base == "SpiPart" else ""))
    with pytest.raises(UserError, match=rf"{method}\(\) returned None"):
        if base == "SpiPart":
            bench.machine.spi_transfer(5, 1)
        elif method == "write":
            bench.machine.i2c_write(0x30, 1)
        else:
            bench.machine.i2c_read(0x30, 1)


def test_what_it_prints_is_no_result(tmp_path, capsys):
    own = "print('read')\n" + HEAD + "    def finish(self, cycle): print('ended')\n"
    bench_of(tmp_path, own).finish()
    out, err = capsys.readouterr()
    assert out == "" and err == "read\nended\n"
