"""The delivery bounds as the tools reach them."""

from __future__ import annotations

from takt.admit.admit_library import Delivery, EventPath, Interrupt, IoVcpu, Loop, NativeSet

HANDLER = Loop("handler", 3000, 10_000)
PATH = EventPath(0, 0, 10_000, 10_000, 0, (2330,))


def bounds(path: EventPath = PATH, share: tuple[int, int] = (2, 10)) -> Delivery:
    return NativeSet([HANDLER], [], [IoVcpu("interrupts", *share)]).delivery(path)


def test_the_first_case_of_table_v() -> None:
    assert bounds() == Delivery(34_080, 25_330, 25_330)


def test_a_bottom_half_of_whole_budgets_shows_the_papers_slip() -> None:
    found = bounds(EventPath(0, 0, 10_000, 10_000, 0, (4000,)))
    assert (found.paper_us, found.corrected_us) == (25_000, 27_000)


def test_pieces_and_waits() -> None:
    found = bounds(EventPath(0, 0, 10_000, 10_000, 7, (100, 100), (5000,)))
    assert found == Delivery(7 + 8000 + 100 + 5000 + 100 + 15_750, 7000 + 8000 + 200 + 5000, 20_200)


def test_no_share_no_bound() -> None:
    assert bounds(share=(0, 1)) == Delivery(None, None, None)


def test_interrupts_lengthen_the_safe_bound_only() -> None:
    io = IoVcpu("interrupts", 2, 10)
    busy = NativeSet([HANDLER], [Interrupt("pins", 50_000, 1 << 30)], [io]).delivery(PATH)
    assert busy.safe_us is not None
    assert busy.safe_us > 34_080
    assert busy.paper_us == 25_330
