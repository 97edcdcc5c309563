"""A card on the boards' own SPI, with a program that needs no library."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("board", ("pico", "uno"), indirect=True, scope="session")
def test_a_block_goes_there_and_back(run, board, tmp_path) -> None:
    done = run("sd_card").to(0.5)
    assert done.values("over") == [1], done.text
    said = {name: done.values(name)[0] for name in ("idle", "version", "write", "sum")}
    assert said == {"idle": 1, "version": 1, "write": 0, "sum": 2 * sum(range(256))}
    assert done.values("signature") == [0xAA55] and done.values("accepted") == [0x05]
    assert 50 <= done.values("ready")[0] <= 56
    assert 2900 <= done.values("busy")[0] <= 3100
    found = done.session.bench.summary()["card"]
    assert found == {"blocks read": 2, "blocks written": 1, "commands": found["commands"],
                     "initialised": True}  # fmt: skip
    done.session.bench.files()["card.img"](tmp_path / "card.img")
    assert (tmp_path / "card.img").read_bytes()[9 * 512 : 10 * 512] == bytes(range(256)) * 2
