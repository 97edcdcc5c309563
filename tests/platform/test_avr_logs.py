"""AVR: the trace, logs of stores, break addresses."""

from __future__ import annotations

from pathlib import Path

from avr_board import assembled, ram, run_to


def test_bytes_of_the_trace(tmp_path: Path) -> None:
    source = "_start:\n" + "ldi r16, 7\nout IO(GPIOR1), r16\n" * 3 + "end: rjmp end"
    m = assembled(tmp_path, source)
    m.run(100)
    assert m.rtt_take(1) == b"\7\7\7" and m.rtt_take(1) == b"" and m.rtt_take(0) == b""


def test_stores(tmp_path: Path) -> None:
    """To RAM and registers; the second cycle of the instruction, of OUT the only one."""
    source = """
_start:
    ldi r16, 9
first:
    sts 0x300, r16
    out IO(PORTB), r16
    sbi IO(PORTB), 5
    push r16
end: rjmp end
"""
    m = assembled(tmp_path, source)
    for address in (0x300, 0x25, 0x8FF):
        m.log_write(0x800000 + address)
    at = run_to(m, "first")
    m.run(100)
    assert m.stores() == [
        (at + 1, 0x800300, 9),
        (at + 2, 0x800025, 0xFF09),
        (at + 4, 0x800025, 0x2029),
        (at + 6, 0x8008FF, 9),
    ]
    m.reset()
    m.stop_on_write(0x800300)
    stop = m.run(100)
    assert stop.reason == "write" and stop.cycle == at + 1 and ram(m, 0x300) == b"\x09"


def test_a_break_leaves_skips_as_long_as_they_are(tmp_path: Path) -> None:
    source = """
_start:
    clr r16
    sbrs r16, 0
    rjmp over
    sbrc r16, 0
there: call nowhere
over: sbrc r16, 0
long: call nowhere
end: rjmp end
nowhere: rjmp nowhere
"""
    m = assembled(tmp_path, source)
    code = m.read(m.symbol("long"), 4)
    m.break_at(m.symbol("long"))
    assert m.read(m.symbol("long"), 4) == code
    skip = run_to(m, "over")
    assert run_to(m, "end") == skip + 3
