"""Parts of the stack analysis: registers along all paths, tables of virtual functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.code import callgraph
from takt.code.codeflow import THIS, State, states
from takt.code.pointers.vtables import parts
from takt.code.thumb.instructions import following, instruction, step


def before_last(*lines: str, start: State | None = None) -> State:
    """What registers hold before the last instruction; each is two bytes long."""
    code = [instruction(2 * n, 2, *line.split(" ", 1)) for n, line in enumerate(lines)]
    literals = {i.at: 0x101 + i.at for i in code if "[pc" in i.operands}
    index = {i.at: n for n, i in enumerate(code)}

    def onwards(n: int, before: State) -> list[tuple[int, State]]:
        after = step(code[n], before, literals.get(code[n].at))
        return [(to, after) for to in following(code, n, index, {})]

    return states([(0, start or {})], onwards)[len(code) - 1]


def test_a_table_is_told_from_the_object() -> None:
    loads = ("ldr r3, [r0]", "ldr r3, [r3, #4]", "blx r3")
    assert before_last(*loads)["r3"].kind == "slot"
    found = before_last(*loads, start={"r0": THIS})["r3"]
    assert (found.kind, found.numbers) == ("virtual", {1})


def test_another_offset_is_another_table() -> None:
    found = before_last("ldr r3, [r0, #4]", "ldr r3, [r3]", "blx r3", start={"r0": THIS})
    assert found["r3"].kind == "slot"


def test_a_computed_place_is_no_slot() -> None:
    found = before_last("ldr r3, [r0]", "adds r3, #4", "ldr r3, [r3]", "blx r3")
    assert found["r3"].kind == "word"


def test_either_of_two_functions() -> None:
    lines = ("ldr r3, [pc, #8]", "beq #0x6", "ldr r3, [pc, #12]", "blx r3")
    assert before_last(*lines)["r3"].numbers == {0x101, 0x105}


def test_an_object_is_lost_in_a_call_and_on_one_of_two_paths() -> None:
    kept = before_last("mov r4, r0", "bl #0x100", "nop ", start={"r0": THIS})
    assert "r4" in kept and "r0" not in kept
    lines = ("cbz r1, #0x4", "movs r0, #1", "ldr r3, [r0]", "ldr r3, [r3]", "blx r3")
    assert before_last(*lines, start={"r0": THIS})["r3"].kind == "slot"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("_ZN5Print5writeEPKhj", ["Print", "write"]),
        ("_ZNK1A1B4readEv", ["A", "B", "read"]),
        ("_ZThn8_N1D2fbEi", ["D", "fb"]),
        ("_ZN1DD0Ev", ["D", "D0"]),
        ("_ZN3BoxIiE4showEv", []),
        ("main", []),
    ],
)
def test_names_of_members(name: str, told: list[str]) -> None:
    assert parts(name) == told


CASTS = {
    "take ((void (*V) (void)) g)": True,
    "this->v = (bool (*<T5>) (const struct S *, void (*<T6>) (int))) over": True,
    "x ((void (*<T1>) (void (*<T2>) (void (*<T3>) (int)))) f)": True,
    "y ((void (*V) (void)) <<< Unknown tree: expr >>>)": True,
    "z ((void (*V) (void)) 0B)": False,
    "take (f); int (*<T5>) (int) variable;": False,
    ";; Function void g(void (*)(int)) (null)": False,
    "(int (*__vtbl_ptr_type) (void) * *) table": False,
}


@pytest.mark.parametrize("text", CASTS)
def test_casts_of_functions_as_avr_s_compiler_shows_them(text: str, tmp_path: Path) -> None:
    (tmp_path / f"a.o{callgraph.READ}").write_text(f"\n{{\n  {text};\n}}\n")
    assert callgraph._may_cast(str(tmp_path / "a.o")) is CASTS[text]
    assert callgraph._may_cast(str(tmp_path / "b.o")), "not seen"
