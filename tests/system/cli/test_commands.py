"""Every command does its work, and says it as JSON too."""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from takt.paths import ROOT

COMMANDS = [
    "new",
    "build",
    "run",
    "check",
    "size",
    "report",
    "trace",
    "boards",
    "doctor",
    "test",
    "flash",
]
TWO = """\
void setup() { Serial.begin(115200); }
void loop(1, 20, 100) { hello(); delay(50); }
void loop(2, 70, 100) { digitalWrite(LED_BUILTIN, HIGH); delay(200); }
void hello() { Serial.println("hello"); }
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_json(takt: Callable, command: str) -> None:
    text = takt(command, "--help").out
    assert f"Example: takt {command}" in text
    assert "--json" in text


def test_boards(takt: Callable) -> None:
    boards = {board["name"]: board for board in takt("boards", "--json").json["boards"]}
    assert boards["pico"]["ram_bytes"] == 264 * 1024 - 8 * 1024
    assert boards["pico"]["clock_hz"] == 125_000_000


def test_starting_is_quick() -> None:
    """Bootstrap and command line together, once set up: under 0.5 s of CPU time, best of five."""

    def cpu() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    times = []
    for _ in range(5):
        start = cpu()
        subprocess.run([ROOT / "takt", "boards"], check=True, capture_output=True)
        times.append(cpu() - start)
    assert min(times) < 0.5


def test_runs_from_anywhere_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "a link"
    link.symlink_to(ROOT / "takt")
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')\n")
    ran = subprocess.run([link, "boards"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "pico" in ran.stdout


def test_new_builds_and_runs(takt: Callable, tmp_path: Path) -> None:
    made = takt("new", "first try", "--json", cwd=tmp_path)
    assert made.code == 0
    assert [Path(f).name for f in made.json["files"]] == ["first try.ino", "world.toml"]
    ran = takt("run", "first try", "--seconds", "2", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.json["serial"].splitlines()[:2] == ["0", "1000"]
    again = takt("new", "first try", cwd=tmp_path)
    assert again.code == 2
    assert "already there" in again.err


def test_build_outputs(takt: Callable, write: Callable) -> None:
    folder = write("two", TWO)
    ran = takt("build", folder, "--json")
    assert ran.code == 0, ran.err
    built = ran.json
    sizes = {kind: Path(path).stat().st_size for kind, path in built["files"].items()}
    assert sizes["bin"] == built["flash_bytes"]
    assert sizes["uf2"] == -(-sizes["bin"] // 256) * 512
    assert [t["name"] for t in built["threads"]] == ["loop 1", "loop 2"]
    assert all(t["stack_size"] == t["stack_need"] for t in built["threads"])
    image = Path(built["files"]["bin"]).read_bytes()
    assert int.from_bytes(image[0x100:0x104], "little") == 0x20042000  # initial stack pointer
    assert int.from_bytes(image[0x104:0x108], "little") & 1  # reset handler, Thumb


def test_without_trace_it_needs_less_ram(takt: Callable, write: Callable) -> None:
    folder = write("two", TWO)
    traced = takt("build", folder, "--json").json
    plain = takt("build", folder, "--no-trace", "--json").json
    # without it the usual switches are done at once, by code that takes as much as the recorder
    assert plain["flash_bytes"] < traced["flash_bytes"] + 200
    assert plain["ram_bytes"] < traced["ram_bytes"] - 512 * 12 + 100


def test_without_trace_nothing_is_made_up(takt: Callable, write: Callable) -> None:
    ran = takt("run", write("two", TWO), "--no-trace", "--seconds", "1")
    assert "no trace: nothing of time was measured" in ran.out
    told = takt("run", write("two", TWO), "--no-trace", "--seconds", "1", "--json").json
    assert told["kernel_overhead_pct"] is None
    assert all(t["misses"] is None and t["cpu_us_min"] is None for t in told["threads"])
    assert all(t["stack_used"] > 0 for t in told["threads"])


def test_a_second_build_compiles_nothing(takt: Callable, write: Callable) -> None:
    folder = write("two", TWO)
    takt("build", folder)
    objects = {p: p.stat().st_mtime_ns for p in (folder / "build").rglob("*.o")}
    first = (folder / "build" / "pico" / "two.elf").read_bytes()
    assert takt("build", folder).code == 0
    assert {p: p.stat().st_mtime_ns for p in (folder / "build").rglob("*.o")} == objects
    assert (folder / "build" / "pico" / "two.elf").read_bytes() == first


def test_check(takt: Callable, write: Callable) -> None:
    ran = takt("check", write("two", TWO), "--json")
    assert ran.code == 0
    admission = ran.json["admission"]
    assert admission["verdict"] == "admitted"
    assert admission["exact"]["holds"]
    assert not admission["eq1"]["holds"]  # 0.90 > 0.828
    text = takt("check", write("two", TWO)).out
    assert "Eq. 1 fails" in text
    refused = TWO.replace("20, 100", "60, 100")
    ran = takt("check", write("over", refused), "--json")
    assert ran.code == 1
    assert ran.json["admission"]["verdict"] == "refused"
    assert "loop 2" in ran.json["refusals"][0]


HANDLED = """\
void f() {}
void setup() { attachInterruptVcpu(3, f, RISING, 1, 10); interruptsVcpu(10, 100); }
void loop(1, %s, 100) {}
"""


def test_a_refused_program_has_no_bounds_of_events(takt: Callable, write: Callable) -> None:
    fits = takt("check", write("fits", HANDLED % 20), "--json").json["events"][0]
    assert fits["bound_safe_us"] > 0
    folder = write("refused", HANDLED % 95)
    ran = takt("check", folder, "--json")
    assert ran.code == 1
    keys = ("bound_safe_us", "bound_paper_us", "bound_paper_corrected_us")
    assert [ran.json["events"][0][key] for key in keys] == [None] * 3
    text = takt("check", folder).out
    assert "no bounds" in text and "holds for any other loops" not in text


def test_size(takt: Callable, write: Callable) -> None:
    ran = takt("size", write("two", TWO), "--json")
    assert ran.code == 0
    size = ran.json
    assert sum(row["flash"] for row in size["sections"]) <= size["flash_bytes"]
    assert sum(row["ram"] for row in size["sections"]) == size["ram_bytes"]
    stacks = next(row["ram"] for row in size["sections"] if row["name"] == ".takt.stack")
    of_threads = sum(t["stack_size"] for t in size["threads"])
    assert 0 <= stacks - of_threads < 256 * len(size["threads"]), "each begins with a guard"
    assert 0 < size["interrupt_stack"]["need"] <= size["interrupt_stack"]["size"] == 4096


def test_run_report_and_trace(takt: Callable, write: Callable) -> None:
    folder = write("two", TWO)
    assert takt("report", folder).code == 1  # nothing has run yet
    ran = takt("run", folder, "--seconds", "1", "--json")
    assert ran.code == 0, ran.err
    result = ran.json
    assert result["serial"].startswith("hello\r\n")
    assert all(Path(path).stat().st_size for path in result["files"].values())
    for thread in result["threads"]:
        assert 0 < thread["stack_used"] <= thread["stack_size"]
        assert thread["misses"] == 0
    assert takt("report", folder, "--json").json["threads"] == result["threads"]
    events = takt("trace", folder, "--thread", "loop 1", "--limit", "5", "--json").json["events"]
    assert len(events) == 5
    assert {event["who"] for event in events} == {"loop 1"}


KNOB = """\
[parts.knob]
type = "potentiometer"
pin = "A0"
voltage = "1 V"
[parts.lamp]
type = "led"
pin = 3
"""


def test_voltages_have_no_lane_of_levels(takt: Callable, write: Callable) -> None:
    folder = write("knob", "void setup() { analogRead(A0); }\nvoid loop() { delay(5); }\n",
                   world_DOT_toml=KNOB)  # fmt: skip
    page = takt("run", folder, "--seconds", "0.1", "--json").json["files"]["timeline_html"]
    data = Path(page).read_text().split('type="application/json">')[1].split("</script>")[0]
    assert [pin["name"] for pin in json.loads(data)["pins"]] == ["lamp"]


def test_doctor(takt: Callable) -> None:
    ran = takt("doctor", "--json")
    found = {finding["name"]: finding for finding in ran.json["findings"]}
    assert found["arm-none-eabi-gcc"]["ok"]
    assert ran.code == (0 if ran.json["healthy"] else 1)


def test_lab_list(takt: Callable) -> None:
    names = [lab["name"] for lab in takt("lab", "list", "--json").json["labs"]]
    assert "platform.speed" in names


@pytest.mark.parametrize("name", ["rover", "eight-loops"])
def test_a_picture_for_people(takt: Callable, name: str, tmp_path: Path) -> None:
    """Not for tools; that of an earlier run does not stay."""
    words = "run", ROOT / "examples" / name, "--seconds", "1", "--out", tmp_path
    picture = tmp_path / "timeline.png"
    assert picture.name in takt(*words).out
    data = picture.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20], "big") > 1200
    files = takt(*words, "--json").json["files"]
    assert not picture.exists() and str(picture) not in files.values()
    assert all(Path(file).exists() for file in files.values())
    assert picture.name not in takt("report", ROOT / "examples" / name, "--out", tmp_path).out
