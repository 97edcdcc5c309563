"""An interrupt at every cycle of a switch, a preemption, the way back from it, and of idling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest
from everywhere import OURS
from takt.paths import ROOT
from windows import BASE, HIGH, LINKING, LOW, MID, TOP, Broken, Shot, Windows

SOURCES = ("windows.c", "kept.S", "../kernel/preempt/registers.S")
PORT = ROOT / "port" / "armv6m"
FIRST = 20  # cycle of the first of two interrupts
HELD = 150  # QUIET: base has known values in its registers
SLEPT = 300  # ASLEEP: when base is woken
PILE = 4
FRAME = 40  # bytes an interrupt pushes, with those that keep the stack aligned
MARGIN = 3  # a window's last cycles: what comes there belongs to the next

# Whom the two interrupts wake, what a window needs to end, and the code it is about.
SCENES: dict[str, tuple[tuple[int, int], tuple[Shot, ...], set[str]]] = {
    "SWITCH": ((TOP, MID), (), {"takt_sem_wait", "takt_sem_signal"}),
    "QUIET": (
        (TOP, MID),
        (),
        {"isr_pendsv", "takt_sem_leave", "takt_sem_back", "port_resume"},
    ),
    "ASLEEP": ((TOP, BASE), ((LOW, SLEPT),), {"takt_sem_wait", "takt_sem_leave"}),
    "LOCKED": (
        (TOP, MID),
        (),
        {"takt_mutex_lock", "takt_mutex_unlock", "takt_dispatch_locked", "takt_sem_leave"},
    ),
}
LONE = ((BASE, MID), ((HIGH, SLEPT),), {"takt_sem_leave"})  # in ASLEEP: nothing else wakes base

# Where interrupts may come again and again.
PREEMPTION = {"isr_pendsv", "port_resume", "isr_svcall", "takt_sem_leave", "takt_sem_back"}

UNSAVED = ("    push_frame\n", "    mov     r9, r8\n    push_frame\n")

# What the switch is part of where it is inlined, and how many points there are.
INLINED = {
    "SWITCH": ({"base_thread", "wait_for"}, 5000),
    "QUIET": ({"isr_pendsv", "port_frame", "wait_for"}, 9000),
    "ASLEEP": ({"wait_for", "takt_sem_leave"}, 1000),
    "LOCKED": ({"takt_mutex_unlock", "takt_sem_wait", "wait_for_interrupts"}, 9000),
}
LTO = ("-flto", "-O2", "-DINLINED")

ON, ON_C = '"cpsie i\\n\\t"', "interrupts_on();"
CHANGED = f'"mov sp, r1\\n\\t"\n                     {ON}'
TAKEN = f"sem->count--;\n        {ON_C}"

MOVED = "".join(f"    mov     r{n}, r{n + 4}\n" for n in range(4, 8))
REMARK = "/* if nothing was, that is below S */"
PUT_BACK = f"{REMARK}\n{MOVED}"

# What the stress must notice: a file, a line of it, what stands there instead, and the scene.
MUTANTS = {
    "what a preempted thread has taken back is not put back": (
        "preempt.S",
        f"{PUT_BACK}    stmia   r0!, {{r4-r7}}\n",
        f"{REMARK}\n",
        "QUIET",
    ),
    "or from where an abandoned pop leaves anything": (
        "preempt.S",
        PUT_BACK,
        f"{REMARK}\n",
        "QUIET",
    ),
    "every preemption makes a frame": ("preempt.S", "    bcs     back\n", "", "QUIET"),
    "one that is over is not recognised": ("preempt.S", "    bhi     1f\n", "", "QUIET"),
    "and leaves its mark": ("preempt.S", "    str     r0, [r2, r1]    /* no mark", "/*", "QUIET"),
    "a register is not saved": ("sem.S", UNSAVED[0], UNSAVED[1], "QUIET"),
    "nor when it is a call that switches": ("sem.S", UNSAVED[0], UNSAVED[1], "SWITCH"),
    "a dispatcher at work is sent to itself": ("preempt.S", "    bcc     2f\n", "", "QUIET"),
    "the end of a preemption is not recognised": (
        "preempt.S",
        "    ldr     r2, =port_resume\n    cmp     r1, r2\n",
        "    ldr     r2, =port_resume\n    cmp     sp, r2\n",
        "QUIET",
    ),
    "a wake-up before sleeping is lost": (
        "sem.S",
        "    dsb\n    wfi\n    cpsie   i\n",
        "    cpsie   i\n    isb\n    wfi\n",
        "ASLEEP",
    ),
    "a woken wait has a result by chance": (
        "sem.S",
        "    movs    r0, #0\n    pop",
        "    pop",
        "QUIET",
    ),
    "the compiler is not told of a lost register": ("sem_lto.c", '"r5", ', "", "SWITCH"),
    "nor of a high one": ("sem_lto.c", '"r8", ', "", "SWITCH"),
    "interrupts stay off after a switch": ("sem_lto.c", CHANGED, CHANGED.replace(ON, ""), "SWITCH"),
    "and after a unit was there": ("sem_lto.c", TAKEN, TAKEN.replace(ON_C, ""), "QUIET"),
    "a preemption ignores the ceiling": ("preempt.S", "    bics    r0, r1\n", "", "LOCKED"),
    "a signal does": (
        "sem.S",
        "    tst     r1, r3\n    beq     switch\n",
        "    b       switch\n",
        "LOCKED",
    ),
    "and a thread that leaves": (
        "sem.S",
        "    less_kept r3, r1\n    rsbs    r1, r3, #0\n    ands    r1, r3              /*",
        "    rsbs    r1, r3, #0\n    ands    r1, r3              /*",
        "LOCKED",
    ),
    "a holder may wait": ("sem.S", "    bne     holder\n", "", "LOCKED"),
    "one that may not stays a waiter": (
        "sem.S",
        "    bics    r3, r1\n    str     r3, [r0, #WAITERS]\n    movs    r0, #ECONTEXT\n",
        "    movs    r0, #ECONTEXT\n",
        "LOCKED",
    ),
    "unlocking preempts no thread": (
        "sem.S",
        "    blo     switch\n    cpsie   i\n",
        "    cpsie   i\n",
        "LOCKED",
    ),
    "inlined, a signal ignores the ceiling": ("sem_lto.c", " && !(first & kept())", "", "LOCKED"),
}

# The kernel's own dispatchers; with budgets, also where the last thread has none.
KINDS = [("-DBUDGETS",), ("-DBUDGETS", "-DLAST_HAS_NONE"), ("-DDISPATCHER_IN_C",)]
BOTTOM = ("-DBUDGETS", "-DFIRST_IS_BOTTOM")

# How the program of a file, or of a mutant, is built.
FLAGS = {
    "sem_lto.c": LTO,
    "a dispatcher at work is sent to itself": ("-DBUDGETS",),
    "the end of a preemption is not recognised": ("-DBUDGETS",),
}


def points(scene: str, windows: Windows, triples: int = 40) -> Iterator[tuple[Shot, ...]]:
    """What to inject; the last of each is where the point is."""

    def length(*shots: Shot) -> range:
        return range(windows.window((*windows.calm, *shots)) - MARGIN)

    if scene in {"SWITCH", "LOCKED"}:
        for irq in (HIGH, LOW):
            yield from (((irq, n),) for n in length())
        for before in (2, 40, 90, 150, 250):  # a third thread is asked for, or already running
            yield from (((LOW, n - before), (HIGH, n)) for n in length() if n >= before)
    elif scene == "QUIET":
        yield from (((LOW, n),) for n in length())
        for first, second in ((LOW, HIGH), (HIGH, LOW), (LOW, LOW), (HIGH, HIGH)):
            yield from (((first, FIRST), (second, n)) for n in length((first, FIRST)))
        yield from (((LOW, HELD), (HIGH, n)) for n in length((LOW, HELD)) if n > HELD)
        for nested in range(2 * FIRST, 400, triples):
            two = (LOW, FIRST), (HIGH, nested)
            yield from ((*two, (LOW, n)) for n in length(*two))
    else:
        yield from ((*windows.calm, (HIGH, n)) for n in length())


def alone() -> Iterator[tuple[Shot, ...]]:
    """One interrupt, without which base would sleep for ever."""
    yield from (((HIGH, n),) for n in range(2 * SLEPT))


@pytest.fixture
def windows(start) -> Callable[..., Windows]:
    """windows(board, scene, more sources and flags) -> the program in its first window."""

    def begin(board: str, scene: str, *more: str, **how) -> Windows:
        program = start(board, *SOURCES, *more, f"-DSCENE={scene}", *LINKING)
        wakes, calm, _ = SCENES[scene]
        return Windows(board, program.elf, **{"wakes": wakes, "calm": calm} | how)

    return begin


def inject(windows: Windows, everything: Iterable[tuple[Shot, ...]]) -> None:
    """However many interrupts come, base needs the stack one preemption needs, and the frame of
    another interrupt."""
    alone = once = 0
    for shots in everything:
        if len(shots) == 1:
            alone += 1
        elif alone and not once:
            once = windows.deepest()[BASE]
        windows.window(shots, seen=True)
    if once and windows.deepest()[BASE] > once + FRAME:
        raise Broken((), f"base used {windows.deepest()[BASE]} bytes of stack, {once} at first")


def everything_hit(windows: Windows, scene: str, functions: set[str]) -> None:
    """The window is live: whatever it executes, in these functions too, has been interrupted."""
    first = () if scene in {"SWITCH", "LOCKED"} else ((LOW, FIRST),)
    path = windows.path(windows.calm or first)
    passed = {at for n, at in path if FIRST < n < path[-1][0] - MARGIN}
    assert passed <= set(windows.pcs)
    where = windows.named(windows.pcs.elements())
    print(f"{windows.points} points: {dict(where.most_common())}; stacks: {windows.deepest()}")
    assert functions <= set(where)


def piled(windows: Windows) -> Iterator[tuple[Shot, ...]]:
    """An interrupt, then another whenever the core is at the same instruction of a preemption."""
    path = windows.path([(LOW, FIRST)])
    yield from (((LOW, n),) for n, _ in path)
    for address in sorted({at for _, at in path if windows.name(at) in PREEMPTION}):
        shots: tuple[Shot, ...] = ((LOW, FIRST),)
        for _ in range(PILE):
            last = shots[-1][1] + MARGIN
            found = (n for n, at in windows.path(shots) if n > last and at == address)
            if (cycle := next(found, None)) is None:
                break
            shots += ((LOW, cycle),)
            yield shots


@pytest.mark.parametrize("board", OURS)
@pytest.mark.parametrize("scene", SCENES)
def test_nothing_is_lost_or_changed(windows, board: str, scene: str) -> None:
    live = windows(board, scene)
    inject(live, points(scene, live))
    assert live.points >= {"SWITCH": 4000, "QUIET": 20_000, "ASLEEP": 900, "LOCKED": 6000}[scene]
    everything_hit(live, scene, SCENES[scene][2])


@pytest.mark.parametrize("board", OURS)
def test_a_wake_up_while_falling_asleep(windows, board: str) -> None:
    wakes, calm = (BASE, MID), ((HIGH, SLEPT),)
    live = windows(board, "ASLEEP", wakes=wakes, calm=calm)
    inject(live, alone())
    assert live.points == 2 * SLEPT and live.named(live.pcs)["takt_sem_leave"] >= 3


@pytest.mark.parametrize("board", OURS)
def test_interrupts_at_the_same_instruction_do_not_pile_up(windows, board: str) -> None:
    live = windows(board, "QUIET")
    inject(live, piled(live))
    assert live.points > 500


@pytest.mark.parametrize("board", OURS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_wake_up_while_falling_asleep_with_other_dispatchers(
    windows, board: str, kind: tuple[str, ...]
) -> None:
    live = windows(board, "ASLEEP", *kind, wakes=(BASE, MID), calm=((HIGH, SLEPT),), exact=False)
    inject(live, (((HIGH, n),) for n in range(4 * SLEPT)))


# In SWITCH a window ends with a thread that is more urgent than the one the bottom half works for.
OTHERS = [(kind, scene) for kind in KINDS for scene in SCENES]
OTHERS += [(BOTTOM, scene) for scene in SCENES if scene != "SWITCH"]


@pytest.mark.wide
@pytest.mark.parametrize("board", OURS)
@pytest.mark.parametrize(("kind", "scene"), OTHERS)
def test_other_dispatchers(windows, board: str, scene: str, kind: tuple[str, ...]) -> None:
    live = windows(board, scene, *kind, exact=False)
    live.limit *= 4 if kind == BOTTOM else 1  # it works several times in a window
    inject(live, points(scene, live, triples=180))


@pytest.mark.parametrize("board", OURS)
def test_a_bottom_half_misses_nothing(windows, board: str) -> None:
    live = windows(board, "QUIET", *BOTTOM, exact=False)
    live.limit *= 2  # it works twice in a window
    begun = ((HIGH, FIRST),)
    inject(live, ((*begun, (HIGH, n)) for n in range(FIRST, live.window(begun) - MARGIN)))


@pytest.mark.parametrize("scene", SCENES)
def test_inlined(windows, scene: str) -> None:
    """Optimised at link time: whoever waits or signals has the switch in his own code."""
    # In QUIET and LOCKED, words that only align frames hold what was there before.
    live = windows("stm32f051", scene, *LTO, exact=scene in {"SWITCH", "ASLEEP"})
    called = {"takt_sem_wait", "takt_sem_signal"} & set(live.names)
    assert not called or scene == "LOCKED"  # which calls them in two places
    inject(live, points(scene, live, triples=180))
    functions, least = INLINED[scene]
    everything_hit(live, scene, functions)
    assert live.points >= least


@pytest.mark.wide
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mistake_in_the_port_is_noticed(windows, mutant: str, tmp_path) -> None:
    name, line, instead, scene = MUTANTS[mutant]
    text = (PORT / name).read_text()
    assert line in text, "the port has changed: so must this test"
    (tmp_path / name).write_text(text.replace(line, instead))
    with pytest.raises(Broken) as noticed:
        flags = FLAGS.get(mutant, FLAGS.get(name, ()))
        live = windows("stm32f051", scene, str(tmp_path / name), *flags, exact=not flags)
        inject(live, points(scene, live, triples=180))
        inject(live, piled(live))
    print(noticed.value)
