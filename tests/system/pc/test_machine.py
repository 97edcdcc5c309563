"""The PC in QEMU as a machine in virtual time: exact, the same in every run, fair to all CPUs."""

from __future__ import annotations

import itertools

import pytest
from takt import boards
from takt.machine.pc import BEHIND, HPET_NS, PcMachine

MS = 1_000_000
LAMP, BUTTON = 3, 5
CLOSE = 2 * BEHIND * HPET_NS + 40  # ns: what QEMU moves on while it stands, some instructions


@pytest.fixture
def life(linked, request):
    """life(cpus) -> the machine with counters.c, at its beginning."""
    elf = linked("pc", [request.path.parent / "counters.c"])
    machines: list[PcMachine] = []

    def begin(cpus: int = 1) -> PcMachine:
        machines.append(PcMachine(boards.load("pc"), cpus))
        machines[-1].load_elf(elf)
        return machines[-1]

    yield begin
    for machine in machines:
        machine.close()


def counts(machine: PcMachine) -> list[int]:
    return [machine.word(machine.symbol("counts") + 4 * n) for n in range(4)]


def test_stops_are_exact(life) -> None:
    machine = life()
    machine.run(2 * MS)
    for ns in (3 * MS, 3 * MS + 777, 4 * MS + 1, 5 * MS + 500, 40 * MS + 123):
        stop = machine.run(ns)
        assert stop.reason == "time" and 0 <= stop.cycle - ns <= CLOSE
        assert abs(machine.clock_us() * 1000 - ns) <= CLOSE


def test_stops_may_be_close(life) -> None:
    """Nearer to one another than what QEMU moves on while it stands."""
    machine = life()
    machine.run(2 * MS)
    for ns in range(10 * MS, 10 * MS + 200, HPET_NS):
        machine.run(ns)
        assert 0 <= machine._counter() - machine._start - ns <= 2 * CLOSE


def test_time_goes_on_as_instructions_do(life) -> None:
    machine = life()
    machine.run(10 * MS)
    before = sum(counts(machine))
    for ms in range(11, 21):  # stops take none
        machine.run(ms * MS)
    with_stops = sum(counts(machine)) - before
    machine.run(30 * MS)
    without = sum(counts(machine)) - before - with_stops
    assert abs(with_stops - without) <= without // 1000 + 2


@pytest.mark.parametrize("cpus", (1, 2, 4))
def test_two_runs_are_the_same(life, cpus: int) -> None:
    first = 15 * cpus + 20
    times = [ms * MS for ms in (first, first + 7, first + 8, first + 20)]

    def told(machine: PcMachine) -> list[object]:
        return [(machine.run(ns).reason, counts(machine)) for ns in times]

    assert told(life(cpus)) == told(life(cpus))


@pytest.mark.parametrize("cpus", (2, 3, 4))
def test_all_cpus_have_their_turns(life, cpus: int) -> None:
    machine = life(cpus)
    machine.run(80 * MS)
    before = counts(machine)
    machine.run(130 * MS)
    done = [now - then for now, then in zip(counts(machine), before, strict=True)]
    where = [machine.read(machine.symbol("takt_cpu_of") + 1 + n, 1)[0] for n in range(4)]
    by_cpu = [sum(n for n, cpu in zip(done, where, strict=True) if cpu == c) for c in range(cpus)]
    assert min(by_cpu) > 0.85 * max(by_cpu), by_cpu


def test_pins_tell_when_they_changed(life) -> None:
    machine = life()
    machine.log_pin(LAMP)
    machine.run(21 * MS)
    edges = machine.pin_edges()
    assert [level for _, _, level in edges[:4]] == [1, 0, 1, 0] and len(edges) >= 20
    distances = [b - a for (a, _, _), (b, _, _) in itertools.pairwise(edges)]
    assert all(abs(distance - MS) < 20_000 for distance in distances)


def test_it_stops_where_a_watched_pin_changes(life) -> None:
    machine = life()
    machine.log_pin(LAMP)
    machine.run(5 * MS)
    machine.pin_edges()
    machine.watch_pin(LAMP)
    stop = machine.run(10 * MS)
    ((cycle, pin, _),) = machine.pin_edges()
    assert stop.reason == "pin" and pin == LAMP and 0 <= stop.cycle - cycle < 1000
    machine.watch_pin(LAMP, False)
    assert machine.run(10 * MS).reason == "time"


def test_pins_interrupt_when_they_are_driven(life) -> None:
    machine = life()
    machine.pin_drive(BUTTON, 1, 7 * MS + 345_678)
    machine.run(9 * MS)
    assert machine.word(machine.symbol("presses")) == 1
    assert 0 <= machine.word(machine.symbol("pressed_at")) - 7345 <= 60


@pytest.mark.parametrize(("flag", "vector"), [("-DDOUBLE_FAULT", 8), ("-DMACHINE_CHECK", 18)])
def test_the_last_exceptions_are_told(linked, request, flag: str, vector: int) -> None:
    """They come in on the stack of the interrupt that stops, which is watched, and a run that ends
    at the next stop tells them."""
    machine = PcMachine(boards.load("pc"))
    machine.load_elf(linked("pc", [request.path.parent / "last_stack.c"], flag))
    reasons = [machine.run(ms * MS).reason for ms in (15, 20, 25)]
    text = bytes(byte for _, byte in machine.uart_take(0)).decode()
    machine.close()
    assert reasons == ["time", "time", "halt"]
    assert f"takt: exception {vector:016X}" in text and "hard fault at 0x" in text
