"""An Ethernet chip on the boards' own SPI, with a program that needs no library."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("board", ("pico", "uno"), indirect=True, scope="session")
def test_a_datagram_is_answered(run, board) -> None:
    done = run("w5500").to(0.3)
    assert done.values("over") == [1], done.text
    said = {name: done.values(name)[0] for name in ("version", "open", "size", "first", "last")}
    assert said == {"version": 4, "open": 0x22, "size": 11, "first": ord("y"), "last": ord("s")}
    assert 4000 <= done.values("took")[0] <= 6000  # ARP and the datagram, there and back
    found = done.session.bench.summary()["ethernet"]
    assert found["frames sent"] == found["frames received"] == 2
    assert "not modelled" not in found
