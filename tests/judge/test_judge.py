"""The judge itself, on edges made by hand: what is right passes, each thing that is not is told."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fitting import fit
from kinds import Greedy, Handler, Job, Pipe, Reader, Sleeper, Talker
from pins import SETUP_ENDS
from rules import RULES
from sketches import Sketch, _wanted, draw
from verdict import found_itself
from work import work_of

HZ = 1_000_000  # a cycle is a microsecond
UNIT = 10
END = 1_000_000
BOUND = 30_000


def view_of(edges: dict[int, list[int] | np.ndarray], said: bytes = b"", eaten: bool = True):
    """What the judge sees of a program on a pico whose clock has 1 MHz."""
    return SimpleNamespace(
        rule=RULES["pico"],
        sketch=SimpleNamespace(spare_is_eaten=eaten, tasks_us=None),
        edges=lambda pin: np.array(edges.get(pin, []), np.int64),
        cycles=lambda us: round(us),
        us=lambda cycles: np.asarray(cycles, float),
        start=0,
        set_up=0,
        end=END,
        said=said,
        bound=lambda name: BOUND,
        event_bound=lambda name: 5_000,
        is_first=lambda kind: True,
    )


def units(spans: list[tuple[int, int]]) -> np.ndarray:
    """Edges of units of work in these stretches of time, each of which begins with an edge."""
    return np.concatenate([np.arange(start, end, UNIT) for start, end in spans])


def greedy(done: list[int], offset: int = 0) -> list[str]:
    """Of 100 ms each, with so many microseconds of work in each."""
    spans = [(k * 100_000 + offset, k * 100_000 + offset + us) for k, us in enumerate(done)]
    kind = Greedy(1, 100_000, 1.0, 5_000, (3,))
    return kind.judge(view_of({3: units(spans)}))


def test_a_loop_that_has_its_budget() -> None:
    assert not greedy([5_000] * 10) and not greedy([5_005] * 10, offset=60_000)


@pytest.mark.parametrize("short", [0, 1, 9])
def test_a_loop_that_falls_short_once(short: int) -> None:
    """By more than 1 % and 5 us: 4945 are promised, and what is uncertain is a unit."""
    done = [5_000] * 10
    done[short] = 4_930
    assert len(greedy(done, offset=100)) == 1
    done[short] = 4_960
    assert not greedy(done, offset=100)


def test_a_loop_that_has_too_much() -> None:
    assert len(greedy([5_000] * 4 + [5_200] + [5_000] * 5)) == 1


def test_a_loop_that_never_ran() -> None:
    assert greedy([0] * 10)


def test_a_section_may_end_late() -> None:
    done = [5_000] * 4 + [4_930] + [5_000] * 5
    spans = [(k * 100_000, k * 100_000 + us) for k, us in enumerate(done)]
    kind = Greedy(1, 100_000, 1.0, 5_000, (3,), "lock.lock(); spin(500); lock.unlock(); ")
    assert not kind.judge(view_of({3: units(spans)}))
    kind.extra = "lock.lock(); spin(2); lock.unlock(); "
    assert len(kind.judge(view_of({3: units(spans)}))) == 1


def test_work_in_a_unit_that_was_interrupted_is_known_up_to_what_is_uncertain() -> None:
    """A unit from 40 on takes until 150."""
    work = work_of(np.array([0, 10, 20, 30, 40, 150, 160, 170]))
    assert work is not None and work.unit == 10
    at = np.array([35, 45, 100, 145, 155, 1_000])
    assert work.most(at).tolist() == [35, 45, 50, 50, 55, 80]
    assert work.least(at).tolist() == [35, 40, 40, 45, 55, 70]


def test_rises_and_falls_may_take_different_times() -> None:
    work = work_of(np.array([0, 10, 22, 32, 44, 54, 66]))
    assert work is not None
    assert work.total.tolist() == [0, 10, 22, 32, 44, 54, 66] and work.unit == 11


def sleeper(**changed: int) -> list[str]:
    """Sleeps 20 ms; of the third time, what is changed."""
    kind = Sleeper(1, 100_000, 1.0, 5_000, (3,), sleep_us=20_000, light=True)
    edges, now = [], 100
    for number in range(8):
        asleep = changed.get("asleep", 20_010) if number == 3 else 20_010
        runs = changed.get("runs", 100) if number == 3 else 100
        edges += [now, now + runs]
        now += runs + asleep
    return kind.judge(view_of({3: edges}))


def test_a_loop_that_sleeps() -> None:
    assert not sleeper()
    assert len(sleeper(asleep=19_999)) == 1
    assert not sleeper(asleep=20_000 + BOUND)
    assert len(sleeper(asleep=20_000 + BOUND + 21)) == 1
    assert len(sleeper(runs=BOUND + 21)) == 1


def job(policy: str = "", needs: int = 30, **odd: int) -> list[str]:
    """Jobs of `needs` units in 100 ms with a budget of 500 us, from 700 on; one is odd."""
    kind = Job(1, 100_000, 1.0, 500, (3, 4, 5), units=needs, policy=policy)
    starts, ends, work = [], [], []
    for k in range(10):
        late = odd.get("late", 0) if k == 5 else 0
        has = odd.get("has", needs) if k == 5 else min(needs, 50)
        if k == 5 and "gone" in odd:
            continue
        begin = 700 + 100_000 * k + 13 * k + late
        starts.append(begin)
        work += [begin + 1 + UNIT * n for n in range(has)]
        if has == needs:
            ends.append(begin + 1 + UNIT * has)
    return kind.judge(view_of({3: starts, 4: ends, 5: work}))


def test_a_job_that_needs_less_than_it_has() -> None:
    assert not job()
    assert not job(late=BOUND - 1_000)
    assert job(late=BOUND + 21)
    assert len(job(has=20)) == 1 and "ended" in job(has=20)[0]
    assert len(job(gone=1)) == 1 and "no job" in job(gone=1)[0]


def test_a_job_that_needs_more_has_its_budget() -> None:
    assert not job(needs=80)
    assert len(job(needs=80, has=35)) == 1


def handler(*delays: int) -> list[str]:
    """Edges at 100 ms, 200 ms, ... and the handler so much later."""
    times = [100_000 * (k + 1) for k in range(len(delays))]
    kind = Handler(1, 10_000, 0, 500, (3,), "", 26, wanted=tuple(times), quiet=tuple(times))
    calls = [at + delay for at, delay in zip(times, delays, strict=True) if delay]
    return kind.judge(view_of({3: calls}))


def test_a_handler() -> None:
    assert not handler(100, 200, 5_000)
    assert len(handler(100, 5_021, 100)) == 1
    assert len(handler(100, 0, 100)) == 1


def test_after_the_last_of_many_edges_the_handler_begins_again() -> None:
    kind = Handler(1, 10_000, 0, 500, (3,), "", 26, wanted=(100, 600, 900), quiet=(100,),
                   last=(900,))  # fmt: skip
    assert not kind.judge(view_of({3: [500, 1_500]}))
    assert len(kind.judge(view_of({3: [500, 700]}))) == 1


def test_a_handler_is_called_for_edges_only() -> None:
    """Fewer calls than edges are right. BOUND of an event: 5 ms, so that what was merged is over
    15 ms later."""
    many, single = (100_000, 100_010, 100_020, 100_030), 200_000
    kind = Handler(1, 10_000, 0, 500, (3,), "", 26, wanted=(*many, single), quiet=(100_000, single))
    after = [single + 100]

    def judged(calls: list[int]) -> list[str]:
        return kind.judge(view_of({3: calls}))

    assert not judged([100_005, 100_400, *after]) and not judged([100_500, *after])
    assert not judged([100_005, 100_015, 100_025, 100_035, *after])
    assert len(judged([50_000, 100_005, *after])) == 1
    assert len(judged([100_005, 100_006, *after])) == 1
    assert len(judged([100_500, *after, single + 150])) == 1
    assert len(judged([100_500, 100_510, 100_520, 100_530, 100_540, *after])) == 1


def test_edges_that_a_mode_is_for() -> None:
    at, groups = [10.0, 20.0, 30.0, 40.0], [(0, 1), (1, 3)]
    assert _wanted("RISING", at, groups)["wanted"] == (10.0, 30.0)
    assert _wanted("FALLING", at, groups)["wanted"] == (20.0, 40.0)
    assert _wanted("CHANGE", at, groups) == {
        "wanted": (10.0, 20.0, 30.0, 40.0),
        "quiet": (10.0, 20.0),
        "last": (40.0,),
    }


def test_bytes_that_are_lost() -> None:
    reader = Reader(1, 100_000, 1.0, 5_000, (3,), sent=3)
    assert not reader.judge(view_of({3: [1, 2, 3]})) and reader.judge(view_of({3: [1, 2]}))
    pipe = Pipe(1, 0, 0, 1_000, (3, 4), sent=3)
    assert not pipe.judge(view_of({3: [1, 2, 3]})) and pipe.judge(view_of({3: [1, 2, 3], 4: [5]}))


def test_words_that_are_lost() -> None:
    talker = Talker(1, 100_000, 1.0, 5_000, (3,))
    rounds = {3: list(range(50))}
    text = b"".join(b"%d\r\n" % n for n in range(45))
    assert not talker.judge(view_of(rounds, text))
    assert talker.judge(view_of(rounds, text.replace(b"7\r\n", b"", 1)))
    assert talker.judge(view_of(rounds, text[:40])) and talker.judge(view_of(rounds))


def test_words_that_are_damaged_or_out_of_order() -> None:
    talker = Talker(1, 100_000, 1.0, 5_000, (3,))
    lines = [b"%d" % n for n in range(45)]

    def judged(*said: bytes, rest: bytes = b"") -> list[str]:
        return talker.judge(view_of({3: list(range(50))}, b"\r\n".join([*said, rest])))

    assert not judged(*lines) and not judged(*lines, rest=b"4")
    assert judged(*lines[:17], b"1x", *lines[18:])
    assert judged(b"x", *lines[10:])
    assert judged(b"x", *lines[::-1])
    assert judged(*lines[:20], b"", *lines[20:])
    assert judged(*lines, b"46")


def test_what_a_sketch_finds_itself() -> None:
    assert not found_itself(view_of({SETUP_ENDS: [100]}))
    assert len(found_itself(view_of({SETUP_ENDS: [100, 500]}))) == 1


@pytest.mark.parametrize("board", RULES)
def test_each_section_checks_that_it_excludes(board: str) -> None:
    """Each of its locks; and a handler, that no section with interrupts off is under way."""
    sketches = [draw(seed, board) for seed in range(60)]
    sections = [k for s in sketches for k in s.kinds if k.section_us(s.rule)]
    assert len(sections) > 20
    for kind in sections:
        locks = len(re.findall(r"lock\(\); enter|Critical section\S+ enter", kind.extra))
        assert locks == kind.extra.count("enter(") == kind.extra.count("leave(") > 0
    handlers = [k for s in sketches for k in s.kinds if isinstance(k, Handler)]
    assert handlers and all("if (inCritical) wrong();" in k.globals() for k in handlers)
    assert all(SETUP_ENDS not in k.pins for s in sketches for k in s.kinds)


@pytest.mark.parametrize("kind", [Reader(1, 9_000, 1.0, 500, (3,)), Pipe(1, 0, 0, 500, (3, 4))])
def test_bytes_are_numbered_and_a_sketch_checks_their_order(kind: Reader | Pipe) -> None:
    assert "!= n++) wrong();" in kind.text() and "static uint8_t n;" in kind.text()
    for sketch in (draw(seed, "pico") for seed in range(20)):
        for port in (0, 1):
            data = b"".join(one.data for one in sketch.sent if one.port == port)
            assert data == bytes(n % 256 for n in range(len(data)))


@pytest.mark.parametrize("board", RULES)
def test_a_seed_is_a_sketch(board: str) -> None:
    """The same every time, and another for another seed."""
    texts = [draw(seed, board).with_budgets(0.1).text() for seed in range(30)]
    assert texts == [draw(seed, board).with_budgets(0.1).text() for seed in range(30)]
    assert len(set(texts)) == 30


@pytest.mark.parametrize("board", RULES)
def test_every_kind_of_thread_is_drawn(board: str) -> None:
    kinds = {type(k).__name__ for seed in range(60) for k in draw(seed, board).kinds}
    wanted = {"Greedy", "Sleeper", "Job", "Talker", "Reader", "Handler", "Task"}
    wanted |= {"Pipe"} if RULES[board].pipes else set()
    assert kinds == wanted | ({"First", "Company"} if RULES[board].company[1] else set())


@pytest.mark.wide
def test_fitting_keeps_what_was_drawn(tmp_path: Path) -> None:
    """fit() drops threads, sections or the endless task where they do not fit: seldom."""
    whole, used = 0, []
    for seed in range(20):
        drawn = draw(seed, "pico")
        fitted = fit(drawn, tmp_path / str(seed))
        whole += parts(drawn) == parts(fitted.sketch)
        assert fitted.built.admission
        used.append(fitted.built.admission.u_total)
    assert whole >= 18
    assert np.mean(used) > 0.6


def parts(sketch: Sketch) -> tuple:
    return [(kind.name, kind.extra) for kind in sketch.kinds], sketch.spare_is_eaten
