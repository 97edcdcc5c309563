"""Qduino's evaluation, shortened: names, goals, pictures. What it measures is in lab/qduino."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from takt import boards
from takt.cli.labs import lab
from takt.cli.labs.lab import Outcome
from takt.errors import UserError

lab.available()
from takt_lab_qduino.cases import built  # noqa: E402

SHORT = {
    "fig5": {"edges": 200},
    "fig6": {"window_ms": 50},
    "fig7": {},
    "fig8": {"periods": 10, "cases": ["case-1", "case-6", "bursts-4-loops"]},
    "fig9": {"seconds": 5, "cases": ["case-1", "case-5", "galileo-case-1"]},
    "fig10": {"runs": 3},
    "fig11": {"runs": 1, "rates": (10_000, 1_000_000), "limit_ms": 3000},
    "fig12": {"seconds": 4},
    "table8": {},
}
METRICS = {
    "fig5": {"digital_write_cycles", "digital_read_cycles", "irq_rate_max_hz"},
    "fig6": {"duty_pct", "frequency_hz"},
    "fig7": {"cycles"},
    "fig8": {"counter_spread_pct"},
    "fig9": {"delivery_max_us", "bound_safe_us", "bound_paper_us"},
    "fig10": {"slowdown_pct"},
    "fig11": {"slowdown_pct", "interrupts", "merged"},
    "fig12": {"interval_min_ms", "interval_max_ms"},
    "table8": {"text_bytes", "data_bytes"},
}
PNG = b"\x89PNG\r\n\x1a\n"


def values(outcome: Outcome, metric: str) -> dict[str, float]:
    return {r["case"]: r["value"] for r in outcome.rows if r["metric"] == metric}


def fig5(found: Outcome) -> None:
    writes, rates = values(found, "digital_write_cycles"), values(found, "irq_rate_max_hz")
    assert writes["direct"] < 100 < 10_000 < writes["galileo"]
    assert 0 < rates["direct"] < rates["direct-30-percent"] < rates["baseline-no-budgets"]


def fig6(found: Outcome) -> None:
    duty = values(found, "duty_pct")
    assert abs(duty["direct"] - 100 * 120 / 255) < 0.01
    assert duty["direct-busy"] == duty["direct"] != duty["baseline-single-loop"]


def fig7(found: Outcome) -> None:
    cycles = values(found, "cycles")
    assert cycles["case-3"] == pytest.approx(cycles["case-1"] + cycles["case-2"], rel=0.01)
    assert cycles["case-4-enough"] < cycles["case-4"] < cycles["case-3"]
    assert "deadline is 500 ms" in found.config["paper_verdict"]


def fig8(found: Outcome) -> None:
    assert set(values(found, "counter_spread_pct")) == set(SHORT["fig8"]["cases"])
    assert max(values(found, "counter_spread_pct").values()) <= 0.1


def fig9(found: Outcome) -> None:
    longest, safe = values(found, "delivery_max_us"), values(found, "bound_safe_us")
    paper = values(found, "bound_paper_us")
    for case in SHORT["fig9"]["cases"]:
        assert longest[case] <= safe[case] > paper[case]


def fig10(found: Outcome) -> None:
    slower = values(found, "slowdown_pct")
    assert max(slower[f"loop-{n}"] for n in (1, 2, 3)) <= 0.5
    assert slower["baseline-no-budgets-loop-3"] > 100


def fig11(found: Outcome) -> None:
    slower, calls = values(found, "slowdown_pct"), values(found, "interrupts")
    for hz in SHORT["fig11"]["rates"]:
        a, b, c = (f"case-{n}-{hz}-hz" for n in (2, 3, 4))
        assert max(slower[a], slower[b], slower[c]) <= 1
        assert calls[a] == 0 < 1.5 * calls[b] < calls[c]
    assert "baseline-no-budgets-1000000-hz" not in slower, "it never ends"


def fig12(found: Outcome) -> None:
    low, high = values(found, "interval_min_ms"), values(found, "interval_max_ms")
    for case in ("multi-loop", "busy-multi-loop"):
        assert 100 <= low[case] <= high[case] <= min(103, low[case] + 1)
    assert high["single-loop"] > 300


def table8(found: Outcome) -> None:
    text, data = values(found, "text_bytes"), values(found, "data_bytes")
    assert 4000 < text["kernel"] < 16_000
    assert 500 < data["kernel"] < 8000


CHECKS: dict[str, Callable[[Outcome], None]] = {
    "fig5": fig5, "fig6": fig6, "fig7": fig7, "fig8": fig8, "fig9": fig9, "fig10": fig10,
    "fig11": fig11, "fig12": fig12, "table8": table8,
}  # fmt: skip


@pytest.mark.parametrize("figure", CHECKS)
def test_a_short_run(figure: str, tmp_path: Path) -> None:
    name = f"qduino.{figure}"
    lab.chosen(name)
    (found,) = lab.run(name, "pico", SHORT[figure])
    assert {row["metric"] for row in found.rows} >= METRICS[figure]
    CHECKS[figure](found)
    picture = lab.plot(found, tmp_path)
    assert picture and picture.read_bytes().startswith(PNG)


ELSEWHERE = (
    ("fig5", "stm32f051-4k"),
    ("fig6", "galileo"),
    ("fig7", "stm32f051"),
    ("fig9", "galileo"),
)


@pytest.mark.parametrize(("figure", "board"), ELSEWHERE)
def test_boards_a_figure_is_not_for(figure: str, board: str) -> None:
    with pytest.raises(UserError, match=f"does not measure on {board}") as refused:
        lab.run(f"qduino.{figure}", board, {})
    assert refused.value.exit_code == 2 and "--board pico" in refused.value.fix


@pytest.mark.parametrize("figure", ["fig10", "table8"])
def test_in_four_kilobytes(figure: str) -> None:
    """fig10 needs more time there than on the pico."""
    options = SHORT[figure] | {"settings": ("",)}
    (found,) = lab.run(f"qduino.{figure}", "stm32f051-4k", options)
    assert found.board == "stm32f051-4k"
    assert {row["metric"] for row in found.rows} >= METRICS[figure]


def test_a_case_with_other_options_is_another_program() -> None:
    """Two measurements of a figure, at the same time."""
    board = boards.load("pico")
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda n: built("fig11", "runs", board, {"RUNS": n}), (1, 2, 3, 1)))
    assert len({one.elf for one in made}) == 3 and made[0].elf == made[3].elf
    for runs, one in zip((1, 2, 3), made, strict=False):
        assert f"RUNS {runs}\n" in (one.sketch.folder / "case.h").read_text()


def test_all_figures_are_there() -> None:
    assert {one.name for one in lab.chosen("qduino.all")} == {f"qduino.{f}" for f in CHECKS}
    boards.load("galileo")  # what some of them need
