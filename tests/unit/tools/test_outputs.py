"""Pictures, pages and listings of a simulated run."""

from __future__ import annotations

import json
import struct
from itertools import repeat
from types import SimpleNamespace

import numpy as np
import pytest
from simsched import Sim, SimThread
from takt.admit.admission import apart
from takt.durations import bound_text, duration_text, span_text
from takt.result import listing
from takt.result.pictures import html, perfetto, timeline, vcd
from takt.result.pictures.scene import PinTrace, Scene, close_up, overview
from takt.result.stats import analyse
from takt.result.trace import EVENT, decode

END = 2_000_000


@pytest.fixture(scope="module")
def run():
    threads = [
        SimThread("loop 1", 0, 20_000, 100_000, repeat((60, 100_000))),
        SimThread("loop 2", 1, 30_000, 100_000, repeat((9_000, 60_000))),
        SimThread("loop 3", 2, 25_000, 100_000),
    ]
    data = Sim(threads, isr_every=7_000, isr_us=40).run(END)
    trace = decode(data, END)
    stats = analyse(trace, threads, {})
    times = [float(t + d) for t in range(50_000, END, 90_000) for d in (0, 500)]
    pins = [PinTrace("lamp", 25, True, times, [1, 0] * (len(times) // 2))]
    return Scene("probe", "pico", trace, stats, pins, {13: "pins"}), data


@pytest.fixture
def scene(run):
    return run[0]


def unpacked(flat):
    """[(start, end)] of the page's lists of differences."""
    edges = np.cumsum(flat)
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def result_of(scene):
    rows = [
        vars(thread) | {"stack_used": 1, "stack_size": 2, "stack_guard": 0}
        for thread in scene.threads
    ]
    events = [found.as_dict() for found in scene.stats.deliveries]
    return SimpleNamespace(
        threads=lambda: rows, verdict="admitted", world={"lamp": {"lit": True}},
        serial="</script><b>", pictures={}, events=lambda: events,
    )  # fmt: skip


def test_page_holds_the_same_stretches_as_the_trace(scene):
    data = json.loads(json.dumps(html.data_of(scene, result_of(scene))))
    for thread, shown in zip(scene.threads, data["threads"], strict=True):
        assert unpacked(shown["foreground"]) == [
            tuple(row) for row in scene.stretches(thread.place, False).tolist()
        ]
    assert np.cumsum(data["pins"][0]["changes"]).tolist() == scene.pins[0].times
    assert data["pins"][0]["first"] == 0
    assert len(data["isr_source"]) == len(data["handlers"]) // 2


def test_page_cannot_be_broken_by_its_data(scene, tmp_path):
    html.write(scene, result_of(scene), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert text.count("</script>") == 2
    assert "@DATA@" not in text and "@JS@" not in text


def test_overview_shows_five_periods_and_the_close_up_lies_inside(scene):
    start, end = overview(scene)
    assert end - start == 500_000
    assert scene.stats.origin_us <= start and end <= END
    inner = close_up(scene, (start, end))
    assert inner and start <= inner[0] < inner[1] <= end
    assert inner[1] - inner[0] <= (end - start) / 5


def test_slow_pins_widen_the_overview(scene):
    slow = PinTrace("slow", 1, True, [1e6 * n for n in range(1, 9)], [1, 0] * 4)
    wide = Scene("x", "pico", scene.trace, scene.stats, [slow])
    assert wide.stats.span_us == pytest.approx(overview(wide)[1] - overview(wide)[0], rel=0.01)


def test_without_periods_the_overview_shows_all_that_pins_do() -> None:
    trace = decode(b"", END)
    nobody = analyse(trace, [], {})
    seldom = PinTrace("lamp", 13, True, [1.5e6, 1.6e6], [1, 0])
    still = PinTrace("lamp", 13, True, [], [])
    for pin, length in ((seldom, END), (still, 500_000)):
        start, end = overview(Scene("x", "uno", trace, nobody, [pin]))
        assert end - start == length


def test_a_program_without_budgets_is_not_said_to_have_any(scene, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(timeline.Figure, "legend", lambda self, **how: drawn.append(how["labels"]))
    trace = decode(b"", END)
    plain = Scene("x", "uno", trace, analyse(trace, [], {}))
    for one in (scene, plain):
        timeline.draw(one, tmp_path / "t.png")
    budgets, without = ({label for label in labels if "budget" in label} for labels in drawn)
    assert len(budgets) == 4 and not without
    assert scene.has_budgets and not plain.has_budgets


def test_tasks_lie_on_top_of_one_another(tmp_path) -> None:
    """slow 10..100; quick on top of it 30..40 and 60..65; then quick alone, which does not end."""
    told = [(10, 20, 1), (30, 20, 0), (40, 21, 0), (60, 20, 0), (65, 21, 0), (100, 21, 1)]
    told += [(END - 50, 20, 0)]
    data = b"".join(struct.pack("<IIBBH", at, 0, kind, place, 0) for at, kind, place in told)
    trace = decode(data, END)
    stats = analyse(trace, [], {})
    stats.tasks = [SimpleNamespace(name=name) for name in ("quick", "slow")]
    scene = Scene("x", "uno", trace, stats)
    (quick, begun, top), (slow, under, own) = scene.tasks
    assert (quick, slow) == ("quick", "slow")
    assert begun.tolist() == top.tolist() == [[30, 40], [60, 65], [END - 50, END]]
    assert under.tolist() == [[10, 100]]
    assert own.tolist() == [[10, 30], [40, 60], [65, 100]]
    timeline.draw(scene, tmp_path / "t.png")


def test_empty_trace_can_be_drawn(tmp_path):
    threads = [SimThread("loop", 0, 80_000, 100_000)]
    trace = decode(b"", END)
    empty = Scene("none", "pico", trace, analyse(trace, threads, {}))
    timeline.draw(empty, tmp_path / "t.png")
    html.write(empty, result_of(empty), tmp_path / "t.html")
    vcd.write(empty, tmp_path / "t.vcd")
    assert (tmp_path / "t.png").stat().st_size > 5000


def test_picture(scene, tmp_path):
    timeline.draw(scene, tmp_path / "a.png")
    timeline.draw(scene, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_perfetto_slices_are_the_stretches(scene):
    slices = [e for e in perfetto.events(scene) if e["ph"] == "X" and e.get("cat") == "run"]
    total = sum(e["dur"] for e in slices)
    runs = scene.trace.runs
    assert total == int((runs.end - runs.start)[runs.place < 3].sum())


def test_each_cpu_has_its_tracks():
    """Of the threads that run there, and of its own interrupts."""
    rows = []
    for cpu in (0, 1):
        threads = [SimThread(f"loop {cpu}", cpu, 20_000, 100_000, repeat((60, 100_000)))]
        data = Sim(threads, isr_every=7_000 + cpu, isr_us=40).run(500_000)
        own = np.frombuffer(data, dtype=EVENT).copy()
        own["cpu"] = cpu
        rows.append(own)
    rows = np.concatenate(rows)
    trace = decode(rows[np.argsort(rows["time"], kind="stable")].tobytes(), 500_000)
    both = [SimThread(f"loop {cpu}", cpu, 20_000, 100_000) for cpu in (0, 1)]
    scene = Scene("probe", "pc", trace, analyse(trace, both, {}))
    found = perfetto.events(scene)
    names = {e["args"]["name"]: e["pid"] for e in found if e.get("name") == "process_name"}
    assert names == {"probe on pc, CPU 0": 2, "probe on pc, CPU 1": 3}
    tracks = {(e["pid"], e["tid"]) for e in found if e.get("name") == "thread_name"}
    assert tracks == {(2, 900), (2, 1), (3, 900), (3, 2)}
    handled = [[e["ts"] for e in found if e["pid"] == pid and e.get("cat") == "interrupt"]
               for pid in (2, 3)]  # fmt: skip
    assert handled[0][:2] == [7_000, 14_000] and handled[1][:2] == [7_001, 14_002]
    assert {(e["pid"], e["tid"]) for e in found if e.get("cat") == "run"} == {(2, 1), (3, 2)}


def test_vcd_levels_alternate(scene, tmp_path):
    vcd.write(scene, tmp_path / "s.vcd")
    lines = (tmp_path / "s.vcd").read_text().splitlines()
    codes = {line.split()[4]: line.split()[3] for line in lines if line.startswith("$var")}
    assert {"lamp_25", "loop_1", "loop_1_spare", "pins"} <= set(codes)
    code = codes["lamp_25"]
    body = lines[lines.index("$end", lines.index("$dumpvars")) :]
    levels = [line[0] for line in body if line[1:] == code]
    assert levels == ["1", "0"] * (len(levels) // 2) and len(levels) == len(scene.pins[0].times)


def test_vcd_is_ascii_and_its_names_differ(scene, tmp_path):
    names = ("lämpchen", "灯", "光")
    pins = [PinTrace(name, 3 + n, True, [1.0], [1]) for n, name in enumerate(names)]
    named = Scene("wörld 世界", "pico", scene.trace, scene.stats, pins)
    vcd.write(named, tmp_path / "s.vcd")
    lines = (tmp_path / "s.vcd").read_bytes().decode("ascii").splitlines()
    names = [line.split()[4] for line in lines if line.startswith("$var")]
    assert names[:3] == ["lampchen_3", "signal_4", "signal_5"]


def test_listing_in_words(run):
    scene, data = run
    names = {thread.place: thread.name for thread in scene.threads}
    rows = list(listing.rows(decode(data), names, [], {"13": "pins"}))
    assert rows[0].text == "kernel starts, 3 threads"
    texts = {(row.who, row.text) for row in rows}
    assert ("loop 3", "budget used up") in texts
    assert ("loop 3", "runs in spare time") in texts
    assert ("irq pins", "handler took 40 us") in texts
    assert ("loop 1", "blocks: sleep") in texts
    assert all(row.line().startswith(" ") for row in rows)


@pytest.mark.parametrize(
    ("us", "text"),
    [(5, "5 us"), (999, "999 us"), (1500, "1.5 ms"), (2e6, "2 s"), (50_003, "50 ms")],
)
def test_durations(us, text):
    assert duration_text(us) == text


@pytest.mark.parametrize(
    ("us", "text"),
    [(0, "0 us"), (999, "999 us"), (73_485, "73.49 ms"), (73_480, "73.48 ms"),
     (999_901, "1 s"), (1_000_001, "1.001 s"), (20_000, "20 ms")],
)  # fmt: skip
def test_bounds_are_rounded_up(us, text):
    assert bound_text(us) == text


def test_numbers_that_differ_look_different():
    assert apart(0.7574, 0.7571) == ("0.7574", "0.7571")
    assert apart(0.9, 0.828) == ("0.900", "0.828")
    assert apart(0.5, 0.5) == ("0.500", "0.500")


def test_places_of_pins():
    places = [PinTrace("x", pin, True, [], [], terminal).place
              for pin, terminal in ((4, ""), (1022, ""), (104, "gpio.2.3"))]  # fmt: skip
    assert places == ["pin 4", "GPIO 22", "gpio.2.3"]


@pytest.mark.parametrize(
    ("least", "most", "text"),
    [(12, 16, "12 .. 16 us"), (50_001, 50_004, "50.001 .. 50.004 ms"), (500, 500, "500 us"),
     (0, 1500, "0 .. 1.5 ms")],
)  # fmt: skip
def test_spans(least, most, text):
    assert span_text(least, most) == text
