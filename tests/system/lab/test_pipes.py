"""Lab pipes, as far as it goes without QEMU of its own: plans, what guests tell, rows, goals."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from takt.cli.labs import lab
from takt.errors import UserError
from takt.paths import ROOT

lab.available()
from takt_lab_pipes import (  # noqa: E402
    campaign,
    debian,
    fill,
    initramfs,
    plan,
    qemu,
    record,
    scenario,
    simulate,
    table3,
)
from takt_lab_pipes.told import Channel, Told  # noqa: E402

CONSOLE = """\
boot noise @ channel
@ ready 4100000000
@ channel 4 2750 3 0 4210
@ seconds 4 1374 1376
@ soon 4 1373 1376
@ bins 4 0:2700 16:50
@ bins 3 17:3
@ hog 0 28571
@ hog 1 28600
@ writer 3 128 0
@ fact bound_us 33000
@ end
[    6.3] reboot: Power down
"""
REPORT = "overruns 2\npeak_bytes 4096\nchannel.4.heard 2753\nchannel.3.second.2 3063\n"
TALLY = """
#include "guest.h"
int main(void)
{
    static struct tally tally = {.start = 1000000000};
    const uint32_t number[] = {0, 1, 4, 3, 5}, made = 1000100; /* all on the bus in second 0 */
    for (unsigned at = 0; at < 5; at++) {
        uint32_t word[2] = {number[at], made};
        tally_frame(&tally, (const uint8_t *)word, 1000600000u + at * 1000000000ull);
    }
    tally_print(&tally, 2, 5);
}
"""


def system(name: str) -> campaign.System:
    return next(one for one in campaign.systems() if one.name == name)


def seen(overruns: int = 0, received: int = 100, hogs: tuple[int, ...] = ()) -> campaign.Seen:
    channels = {4: Channel(received, 0, 0, 900)} if received else {}
    told = Told(channels, list(hogs))
    told.device = {"overruns": overruns, "peak_bytes": 640}
    return campaign.Seen(told, {4: 100} if received else {}, scenario.TABLE2[2])


def test_what_a_guest_tells_is_read() -> None:
    told = simulate.read(CONSOLE, REPORT)
    one = told.channels[4]
    assert (one.received, one.lost, one.repeated, one.latest_us) == (2750, 3, 0, 4210)
    assert told.second == {4: [1374, 1376]}
    assert told.soon == {4: [1373, 1376]}
    assert told.bins == {0: 2700, 16: 50, 17: 3}
    assert told.hogs == [28571, 28600]
    assert told.writers == {3: [128, 0]}
    assert told.sent == {3: [0, 0, 3063]}
    assert told.facts == {"bound_us": 33000}
    assert told.device["channel.4.heard"] == 2753


def test_a_guest_that_fails_or_does_not_end_is_an_error() -> None:
    with pytest.raises(UserError, match="sched_setattr: Invalid"):
        simulate.read("@ failed sched_setattr: Invalid argument\n", "")
    with pytest.raises(UserError, match="did not come to its end"):
        simulate.read(CONSOLE.replace("@ end", ""), REPORT)


def test_a_run_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def simulated(guest: simulate.Guest, lines: list[str], seconds: float) -> simulate.Told:
        asked.append(guest.key)
        return simulate.read(CONSOLE, REPORT)

    monkeypatch.setattr(simulate, "RUNS", tmp_path)
    monkeypatch.setattr(simulate, "_simulate", simulated)
    monkeypatch.setattr(simulate.qemu, "key", lambda: "qemu")
    guests = [simulate.Guest(key, lambda folder: []) for key in ("one", "two")]
    told = [simulate.run(guests[at], ["kind 0"], 1) for at in (0, 1, 0)]
    assert asked == ["one", "two"]
    assert told[2] == told[0]


def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[campaign.System, list[str]]:
    """A system, and the parts of a run of scenario 3 with seed 2 that is in the record."""
    linux = system("linux-rt")
    monkeypatch.setattr(record, "FOLDER", tmp_path / "record")
    monkeypatch.setattr(simulate, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(qemu, "key", lambda: "qemu")
    monkeypatch.setattr(type(linux), "guest", lambda *_: simulate.Guest("guest", lambda _: []))
    record._loaded.cache_clear()
    three = scenario.TABLE2[2]
    lines, _ = campaign.planned(three, 2)
    of = simulate.made(linux.guest(three), lines)
    record.add(linux.name, "what it was", "3", 2, of, simulate.read(CONSOLE, REPORT))
    return linux, list(of)


def test_a_recorded_run_is_shown_where_its_parts_are_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linux, _ = recorded(tmp_path, monkeypatch)
    three = scenario.TABLE2[2]
    found = campaign.runs([(linux, three)], {"kept": True, "seeds": 3})
    ((one,),) = found.values()
    assert one.where == record.RECORDED
    assert one.told.channels[4].received == 2750
    assert one.told.bins == {0: 2700, 16: 50, 17: 3}
    monkeypatch.setattr(qemu, "key", lambda: "another")
    with pytest.raises(UserError, match="no runs are kept"):
        campaign.runs([(linux, three)], {"kept": True})


def test_a_record_tells_which_part_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linux, of = recorded(tmp_path, monkeypatch)
    assert record.differs(linux.name, "3", 2, (of[0], of[1], of[2])) == ""
    assert record.differs(linux.name, "3", 2, (of[0], "x", "y")) == "guest, traffic"
    assert record.differs(linux.name, "3", 1, ("x", "y", "z")) == ""


def test_without_the_set_up_the_record_is_shown_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linux, _ = recorded(tmp_path, monkeypatch)

    def missing() -> str:
        raise debian.NotSetUp("its QEMU is not here")

    monkeypatch.setattr(qemu, "key", missing)
    ((one,),) = campaign.runs([(linux, scenario.TABLE2[2])], {"kept": True}).values()
    assert one.where == record.UNCOMPARED


def test_a_run_here_is_preferred_and_the_record_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linux, of = recorded(tmp_path, monkeypatch)
    told = simulate.read(CONSOLE.replace("2750 3 0", "2751 2 0"), REPORT)
    monkeypatch.setattr(simulate, "_simulate", lambda *_: told)
    campaign.simulate(linux, scenario.TABLE2[2], 2)
    ((one,),) = campaign.runs([(linux, scenario.TABLE2[2])], {"kept": True}).values()
    assert (one.where, one.told.channels[4].received) == (campaign.HERE, 2751)
    record.add(linux.name, "what it is", "3", 2, (of[0], of[1], of[2]), told)
    assert record.about(linux.name) == "what it is"
    assert len(record.load(linux.name).lines) == 1


def test_a_record_has_what_tables_need_and_no_more() -> None:
    told = simulate.read(CONSOLE, REPORT)
    names = {"channels", "hogs", "writers", "facts", "device", "bins"}
    assert set(record.short(told, "3")) == names
    assert record.short(told, "3")["device"] == {"overruns": 2, "peak_bytes": 4096}
    assert "bins" not in record.short(told, "6")
    assert record.short(told, "input")["second"] == {4: [1374, 1376]}
    again = Told.from_dict(record.short(told, "3"))
    assert (again.channels, again.bins, again.hogs) == (told.channels, told.bins, told.hogs)


def test_what_fills_the_record_has_every_case_once_and_what_tells_most_first() -> None:
    cases = [(one.name, case.name) for one, case in fill.every()]
    assert len(set(cases)) == len(cases)
    assert {name for name, _ in cases} >= {"takt", "takt-11ms", "linux-rt", "linux-rt-vendor"}
    assert {case for _, case in cases} == set(fill.ORDER)
    assert [case for _, case in cases[:2]] == ["3", "3"]


def test_keys_are_of_code_not_of_comments_or_places(tmp_path: Path) -> None:
    texts = ("int a;  /* one\n * two */\nint b;", "int a; // other\n\nint b;", "int a; int c;")
    made = []
    for at, text in enumerate(texts):
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "x.c").write_text(text)
        made.append(b"".join(qemu.code([folder / "x.c"]).split()))
    assert made[0] == made[1] != made[2]


def test_what_admission_refuses_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    takt = system("takt")
    monkeypatch.setattr(type(takt), "admission", lambda *_: "refused: too much")
    with pytest.raises(UserError, match="takt 3 is refused: too much"):
        campaign.simulate(takt, scenario.TABLE2[2], 1)


def test_traffic_lasts_until_the_end_and_differs_by_seed() -> None:
    start_ns, seconds = 6_000_000_000, 30
    plans = []
    for seed in (1, 2):
        lines, frames = plan.traffic(plan.TABLE1, seed, start_ns, seconds)
        plans.append(lines)
        for line, bus in zip(lines, plan.TABLE1, strict=True):
            channel, first, shortest, longest, _, count = map(int, line.split()[1:7])
            assert (shortest, longest) == (bus.shortest_ns, bus.longest_ns)
            assert start_ns - plan.LEAD_NS <= first < start_ns
            assert first + count * shortest >= start_ns + seconds * plan.NS_PER_S
            assert first + count * longest < start_ns + (seconds + 0.5) * plan.NS_PER_S
            assert frames[channel] == count
    assert plans[0] != plans[1]


def test_losses_are_counted_and_goals_are_takts() -> None:
    rows = table3.rows(system("linux-rt"), "3", [seen(), seen(overruns=2, received=97)])
    values = {row["metric"]: (row["value"], row["goal"]) for row in rows}
    assert values["seeds"] == (2, None)
    assert values["overruns"] == (2, None)
    assert values["lost_frames"] == (3, None)
    assert values["lost_frames_least"] == (0, None)


def test_errors_of_loops() -> None:
    expected = 30_000_000 / 7000 * 100
    one = seen(hogs=(round(expected * 1.01), round(expected * 0.995)))
    error = one.loop_errors_pct()
    assert error == pytest.approx([1.0, -0.5], abs=1e-3)
    rows = campaign.loop_rows("linux-rt-3", [one])
    assert rows[1]["value"] == pytest.approx(1.0, abs=1e-3)


def test_the_tally_of_frames(tmp_path: Path) -> None:
    (tmp_path / "tally.c").write_text(TALLY)
    program = tmp_path / "tally"
    include = f"-I{ROOT / 'lab' / 'pipes'}"
    subprocess.run(
        ["gcc", "-Wall", "-Werror", include, "-o", program, tmp_path / "tally.c"], check=True
    )
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    seconds = "@ seconds 2 1 1 1 0 1\n@ soon 2 1 0 0 0 0\n"
    assert said == f"@ channel 2 4 2 1 4000500\n{seconds}@ bins 2 2:1 999:3\n"


def test_the_archive_is_in_newc_form() -> None:
    entry = initramfs.entry("lib/a.ko", initramfs.FILE, b"12345")
    assert entry[:6] == b"070701" and len(entry) % 4 == 0
    numbers = [int(entry[6 + 8 * at : 14 + 8 * at], 16) for at in range(13)]
    assert numbers[1] == initramfs.FILE and numbers[6] == 5 and numbers[11] == len("lib/a.ko") + 1
    assert entry[110:119] == b"lib/a.ko\0" and entry[120:125] == b"12345"


def test_strange_groups_are_refused() -> None:
    with pytest.raises(UserError, match="no labs 'elli' that need setting up"):
        lab.set_up("elli", lambda *_: None)


def test_all_leaves_out_what_needs_a_set_up() -> None:
    assert "pipes.schedule" in {one.name for one in lab.chosen("all")}
    assert "pipes.table3" not in {one.name for one in lab.chosen("all")}
    assert "pipes.table3" in {one.name for one in lab.chosen("pipes.all")}
