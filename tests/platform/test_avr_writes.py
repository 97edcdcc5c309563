"""Which pins a store to a port means."""

from avr_board import assembled, run_to

STORES = """
_start: sbi IO(DDRB), 0
    sbi IO(PORTB), 1
    in r16, IO(PORTB)
    ori r16, 1
    out IO(PORTB), r16
    ldi r16, 2
    out IO(PINB), r16
end: rjmp end
"""


def test_a_whole_port_is_not_sure_which_pins_are_meant(tmp_path):
    m = assembled(tmp_path, STORES)
    for pin in (8, 9):  # PB0, PB1
        m.log_pin_writes(pin)
    run_to(m, "end")
    assert [(pin, sure) for _, pin, sure in m.pin_writes()] == [
        (9, True),
        (8, False),
        (9, False),
        (9, True),
    ]
