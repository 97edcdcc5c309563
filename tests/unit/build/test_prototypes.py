"""Prototypes as Arduino makes them, and the traps of loop(id, C, T)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from takt.build import prototypes, sketch

pytestmark = pytest.mark.skipif(
    not shutil.which("ctags-universal") and not shutil.which("ctags"), reason="no ctags"
)


def made(tmp_path: Path, text: str) -> list[str]:
    """The prototypes of one tab whose conditionals are decided already."""
    merged = f'#include <Arduino.h>\n#line 1 "x.ino"\n{text}'
    preprocessed = f'# 1 "x.ino"\n{text}'
    result = prototypes.add(merged, preprocessed, {"x.ino"}, tmp_path / "tags.cpp")
    assert without_additions(result) == merged
    return [line for line in result.splitlines() if line not in merged.splitlines()
            and not line.startswith("#line")]  # fmt: skip


def without_additions(text: str) -> str:
    """Undoes the insertion: from the first inserted #line to the one that resumes."""
    marks = [i for i, line in enumerate(text.splitlines()) if line.startswith("#line")]
    if len(marks) == 1:
        return text
    lines = text.splitlines(keepends=True)
    return "".join(lines[: marks[1]] + lines[marks[-1] + 1 :])


CASES = {
    "plain": ("void f() { g(1); }\nint g(int a) { return a; }\n", ["void f();", "int g(int a);"]),
    "pointer result": ("const char *f() { return 0; }\n", ["const char * f();"]),
    "unsigned": ("unsigned long f(unsigned int a) { return a; }\n",
                 ["unsigned long f(unsigned int a);"]),
    "struct result": ("struct p { int x; };\nstruct p f() { return {1}; }\n", ["struct p f();"]),
    "static stays static": ("static int f() { return 1; }\n", ["static int f();"]),
    "inline": ("inline int f() { return 1; }\n", ["inline int f();"]),
    "template": ("template <typename T> T f(T a) { return a; }\n",
                 ["template <typename T> T f(T a);"]),
    "template on a line of its own": ("template <typename T>\nT f(T a) { return a; }\n",
                                      ["template <typename T> T f(T a);"]),
    "function pointer": ("void f(void (*g)(int), int a[3]) {}\n",
                         ["void f(void (* g)(int),int a[3]);"]),
    "array reference": ("void f(int (&a)[3]) {}\n", ["void f(int (& a)[3]);"]),
    "default argument": ("void f(int a = 3) {}\n", []),
    "deduced": ("auto f() { return 1; }\n", []),
    "in a class": ("class A { void f() {} };\n", []),
    "of a class": ("struct A { void f(); };\nvoid A::f() {}\n", []),
    "in a namespace": ("namespace n { void f() {} }\n", []),
    "extern C": ('extern "C" void f() {}\n', ['extern "C" void f();']),
    "in an extern C block": ('extern "C" {\nvoid f() {}\n}\nvoid g() {}\n', ["void g();"]),
    "loop with budget": ("void loop(1, 20, 100) {}\nvoid f() {}\n", ["void f();"]),
    "loop with names": ("void loop(fast, C, T) {}\nvoid f() {}\n", ["void f();"]),
    "loop with stack": ("void loop(fast, 2_ms, 10_ms, 512) {}\n", []),
    "static loop": ("static void loop(2, 1, 10) {}\n", []),
    "plain loop": ("void loop() {}\n", ["void loop();"]),
    "one-argument task is a function": ("void task(void *p) {}\n", ["void task(void * p);"]),
    "in a comment": ("// void f() {}\n/* void g() {} */\nint x;\n", []),
    "in a string": ('const char *s = "void f() {}";\n', []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_prototypes(tmp_path: Path, name: str) -> None:
    text, expected = CASES[name]
    assert made(tmp_path, text) == expected


def test_they_come_before_the_whole_first_function(tmp_path: Path) -> None:
    text = "int x;\n\n// about f\ntemplate <typename T>\nT f(T a)\n{\n    return a;\n}\n"
    merged = f'#line 1 "x.ino"\n{text}'
    result = prototypes.add(merged, f'# 1 "x.ino"\n{text}', {"x.ino"}, tmp_path / "t.cpp")
    lines = result.splitlines()
    assert lines[lines.index("template <typename T> T f(T a);") + 1 :][:2] == [
        '#line 4 "x.ino"',
        "template <typename T>",
    ]


def test_lines_that_conditionals_leave_out_do_not_count() -> None:
    preprocessed = '# 1 "lib.h" 1\nint lib;\n# 4 "x.ino" 2\nvoid f() {}\n\n# 9 "x.ino"\nint b;\n'
    lines = [(line.number, line.text) for line in prototypes.active_lines(preprocessed, {"x.ino"})]
    assert lines == [(4, "void f() {}"), (5, ""), (9, "int b;"), (10, "")]


def test_tabs_are_merged_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "my sketch"
    folder.mkdir()
    for name in ("zebra.ino", "my sketch.ino", "Beta.ino", "alpha.pde"):
        (folder / name).write_text(f"// {name}\n")
    (folder / "help.cpp").write_text("")
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "src" / "deep" / "x.c").write_text("")
    (folder / "build").mkdir()
    (folder / "build" / "not.cpp").write_text("")
    found = sketch.find(folder)
    names = [tab.name for tab in found.tabs]
    assert names == ["my sketch.ino", "alpha.pde", "Beta.ino", "zebra.ino"]
    assert [source.name for source in found.sources] == ["help.cpp", "x.c"]
    merged = sketch.merge(found)
    assert merged.startswith("#include <Arduino.h>\n#line 1 ")
    assert [line for line in merged.splitlines() if line.startswith("//")] == [
        f"// {name}" for name in names
    ]


def test_a_byte_order_mark_and_cr_lf_do_not_matter(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "s.ino").write_bytes(b"\xef\xbb\xbfint a;\r\nint b;")
    assert sketch.merge(sketch.find(folder)).endswith('s.ino"\nint a;\nint b;\n')


def test_where_an_indented_include_was(tmp_path: Path) -> None:
    """The compiler of AVR leaves its indentation before the line that names the header."""
    text = 'int a;\n #include "y.h"\nvoid f() {}\n'
    header = ' # 1 "y.h" 1\n\n\n\nint y() { return 1; }\n'
    preprocessed = f'# 1 "x.ino"\nint a;\n{header}# 3 "x.ino" 2\nvoid f() {{}}\n'
    merged = f'#include <Arduino.h>\n#line 1 "x.ino"\n{text}'
    result = prototypes.add(merged, preprocessed, {"x.ino"}, tmp_path / "tags.cpp")
    assert result.endswith('#line 3 "x.ino"\nvoid f();\n#line 3 "x.ino"\nvoid f() {}\n')
