"""What one CPU cannot do, and how many could."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build import build
from takt.errors import UserError

SKETCH = "#include <Takt.h>\nvoid setup() {}\n"


@pytest.mark.parametrize("loops, board, enough", [(2, "pc", 2), (3, "pc", 3), (2, "pico", 0)])
def test_a_refusal_names_how_many_cpus_would_do(
    loops: int, board: str, enough: int, tmp_path: Path
) -> None:
    sketch = tmp_path / "sketch"
    sketch.mkdir()
    text = "".join(f"void loop({n}, 60, 100) {{}}\n" for n in range(loops))
    (sketch / "sketch.ino").write_text(SKETCH + text)
    with pytest.raises(UserError) as refused:
        build(sketch, boards.load(board))
    more = f", or run it on {enough} CPUs: --cpus {enough}"
    assert refused.value.fix.endswith(more) if enough else "--cpus" not in refused.value.fix
    if enough:
        assert build(sketch, boards.load(board), cpus=enough).admission.admitted


def test_what_no_number_of_cpus_can_do_names_none(tmp_path: Path) -> None:
    sketch = tmp_path / "sketch"
    sketch.mkdir()
    (sketch / "sketch.ino").write_text(
        SKETCH + "interruptsVcpu(90, 100);\nvoid loop(1, 100, 100) {}\n"
    )
    with pytest.raises(UserError) as refused:
        build(sketch, boards.load("pc"))
    assert "--cpus" not in refused.value.fix
