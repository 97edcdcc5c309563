"""Calls through pointers: what types and classes show not to be a recursion is none; what remains
is named with the call that causes it, in a warning or where the program is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from takt import boards
from takt.build import build
from takt.build.linker import Linker
from takt.errors import UserError

BOARDS = ("pico", "stm32f051", "uno")

# Jobs with callbacks of three kinds in one object, that use jobs: as schedulers have them.
SCHEDULER = """\
typedef void (*Callback)();
typedef bool (*Enabled)();
typedef void (*Disabled)(int);
struct Job {
    Callback callback; Enabled on_enable; Disabled on_disable;
    bool enabled = false; unsigned long last = 0; Job *next = nullptr;
    Job(Callback c, Enabled e, Disabled d) : callback(c), on_enable(e), on_disable(d) {}
    void enable() { enabled = !on_enable || on_enable(); }
    void disable() { if (on_disable) on_disable(3); enabled = false; }
};
struct Plan {
    Job *first = nullptr;
    void add(Job &job) { job.next = first; first = &job; }
    __attribute__((noinline)) void execute()
    {
        for (Job *job = first; job; job = job->next)
            if (job->enabled && millis() - job->last > 5) {
                job->last = millis();
                if (job->callback)
                    job->callback();
            }
    }
} plan;
bool may();
void over(int);
void first();
void second();
Job one(first, may, over), two(second, may, over);
bool may() { return Serial.println("on"); }
void over(int n) { Serial.println(n); }
void first() { two.enable(); }
void second() { two.disable(); one.enable(); }
void setup() { Serial.begin(115200); plan.add(one); plan.add(two); one.enable(); }
void loop(1, 10, 50) { plan.execute(); delay(1); }
"""

# Documents of values that are written to anything, with memory from anywhere, each by a class.
DOCUMENTS = """\
struct Memory { virtual void *take(unsigned n) = 0; virtual void give(void *) = 0; };
struct Writer { virtual unsigned put(uint8_t c) = 0; };
struct Visitor { virtual int number(int n) = 0; virtual int list(int *first, int n) = 0; };
struct Heap : Memory {
    void *take(unsigned n) override { return malloc(n); }
    void give(void *p) override { free(p); }
};
struct Text : Writer {
    Memory &memory; uint8_t *at = nullptr; unsigned used = 0;
    Text(Memory &m) : memory(m) {}
    unsigned put(uint8_t c) override
    {
        if (!at)
            at = (uint8_t *)memory.take(32);
        if (at && used < 32)
            at[used++] = c;
        return 1;
    }
};
struct Console : Writer { unsigned put(uint8_t c) override { return Serial.write(c); } };
struct Printer : Visitor {
    Writer &to;
    Printer(Writer &w) : to(w) {}
    int number(int n) override { return to.put('0' + n % 10); }
    int list(int *first, int n) override
    {
        int sum = to.put('[');
        while (n--)
            sum += this->number(*first++);
        return sum + to.put(']');
    }
};
Heap heap;
Text text(heap);
Console console;
Printer printers[] = {Printer(text), Printer(console)};
Visitor *volatile visitor = printers;
int numbers[] = {1, 2, 3};
void setup() { Serial.begin(115200); }
void loop(1, 10, 50) { visitor->list(numbers, 3); visitor = &printers[1]; delay(1); }
"""


TEXTS = {"scheduler": SCHEDULER, "documents": DOCUMENTS}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", TEXTS)
def test_what_types_tell_apart_is_no_recursion(write: Callable, board: str, name: str) -> None:
    built = build.build(write("apart", TEXTS[name]), boards.load(board))
    assert [thread.doubts for thread in built.threads] == [()]
    assert not [warning for warning in built.warnings if "guess" in warning]


@pytest.mark.parametrize("board", BOARDS)
def test_where_a_function_is_cast_functions_of_all_types_count(write: Callable, board: str) -> None:
    text = SCHEDULER.replace(
        "void setup() {", "Enabled kept;\nvoid setup() { kept = (Enabled)over;"
    )
    assert "recursion of" in doubt_of(write("apart", text), board)


# A display, its commands and its bytes, by callbacks of one type in one structure.
DISPLAY = """\
struct Display;
typedef uint8_t (*Message)(Display *, uint8_t, uint8_t);
struct Display { Message display, commands, bytes; };
uint8_t by_bytes(Display *, uint8_t message, uint8_t n) { return Serial.write(message + n); }
uint8_t by_commands(Display *d, uint8_t message, uint8_t n)
{
    return d->bytes(d, message, n) + 1;
}
uint8_t by_display(Display *d, uint8_t message, uint8_t n)
{
    return d->commands(d, message, n + 1) + 1;
}
Display display;
void setup() { Serial.begin(115200); display = {by_display, by_commands, by_bytes}; }
void loop(1, 10, 50) { display.display(&display, 1, 2); delay(1); }
"""


def doubt_of(folder: Path, board: str) -> str:
    """Of loop 1: why its stack has no bound."""
    try:
        built = build.build(folder, boards.load(board))
    except UserError as error:
        assert board != "pico", "which guards its stacks"
        return error.what
    (doubt,) = built.threads[0].doubts
    assert doubt.kind in ("recursion", "caught")
    return doubt


@pytest.mark.parametrize("board", BOARDS)
def test_what_remains_is_named_with_the_call(write: Callable, board: str) -> None:
    doubt = doubt_of(write("remains", DISPLAY), board)
    assert "recursion of " in doubt
    named = ("by_display (remains.ino:11)", "by_commands (remains.ino:7)")
    assert any(f"by a call through a pointer in {name}" in doubt for name in named), doubt


TRUE = {
    "of one class": """\
struct Node { virtual int sum() = 0; };
struct Pair : Node {
    Node *a, *b;
    int sum() override
    {
        volatile char room[20];
        room[0] = 1;
        return a->sum() + b->sum() + room[0];
    }
};
struct Leaf : Node { int sum() override { return 1; } } leaf;
Pair pair;
Node *volatile root = &pair;
void setup() { Serial.begin(115200); pair.a = pair.b = &leaf; }
void loop(1, 10, 50) { Serial.println(root->sum()); delay(1); }
""",
    "of one type": """\
typedef int (*Next)(int);
int back(int n);
Next volatile next = back;
int back(int n) { volatile char room[20]; room[0] = n; return n ? next(n - 1) + room[0] : 0; }
void setup() { Serial.begin(115200); }
void loop(1, 10, 50) { Serial.println(next(3)); delay(1); }
""",
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("text", TRUE.values(), ids=TRUE)
def test_one_that_is_there_is_still_said(write: Callable, board: str, text: str) -> None:
    doubt = doubt_of(write("there", text), board)
    assert "recursion of" in doubt and "by a call through a pointer" in doubt


BACK = """\
struct Shape;
typedef void (*Generic)();
typedef int (*Other)(int, int, int);
typedef int (*Deep)(int);
volatile int sink, turn;
int step(int n);
int deep(int n)
{
    volatile char room[40];
    for (unsigned i = 0; i < sizeof room; i++)
        room[i] = n;
    return n > 0 ? step(n - 1) + room[9] : room[8];
}
struct Kept { int n; Other call; };
struct Shape { virtual int area(int n) = 0; };
struct Small : Shape { int area(int n) override { return n + 1; } } small_;
Shape *shape(int n);
%s
void setup() {}
void loop(1, 20, 100) { sink = step(turn); delay(10); }
"""
AREA = "int area(int n) override { return n > 0 ? step(n - 1) + 1 : 2; }"
OF_SHAPE = "int step(int n) { return shape(n & 1)->area(n) + 1; }"
HIDDEN = {  # recursions by calls whose type, or class, is not that of what is called
    "kept as void (*)()": """\
Generic volatile kept = (Generic)deep;
int step(int n) { return ((Deep)kept)(n) + 1; }
""",
    "kept as void (*)() at run time": """\
Generic volatile kept;
int step(int n) { kept = (Generic)deep; return ((Deep)kept)(n) + 1; }
""",
    "kept as another type": """\
Kept first = {1, (Other)deep};
Kept *volatile kept = &first;
int step(int n) { return ((Deep)kept->call)(n) + 1; }
""",
    "kept as another type at run time": """\
Kept first;
Kept *volatile kept = &first;
int step(int n) { first.call = (Other)deep; return ((Deep)kept->call)(n) + 1; }
""",
    "of a template": f"""\
template <int N> struct Big : Shape {{ {AREA} }};
Big<7> big;
Shape *shape(int n) {{ return n ? (Shape *)&big : &small_; }}
{OF_SHAPE}
""",
    "of a class in a function": f"""\
Shape *shape(int n)
{{
    struct Big : Shape {{ {AREA} }};
    static Big big;
    return n ? (Shape *)&big : &small_;
}}
{OF_SHAPE}
""",
    "of a class without a name": f"""\
struct : Shape {{ {AREA} }} big;
Shape *shape(int n) {{ return n ? (Shape *)&big : &small_; }}
{OF_SHAPE}
""",
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", HIDDEN)
def test_one_by_another_type_or_class_is_still_said(write: Callable, board: str, name: str) -> None:
    doubt = doubt_of(write("hidden", BACK % HIDDEN[name]), board)
    assert "recursion of" in doubt and "by a call through a pointer in" in doubt


BUS_H = """#pragma once
class Bus {
  public:
    virtual ~Bus();
    virtual int left();
    void (*told)(int);
};
class Chip : public Bus {
  public:
    int left() override;
    void handle();
    static void changed();
    int wanted;
};
extern Chip chip;
"""
BUS_CPP = '#include "Bus.h"\nBus::~Bus() {}\nint Bus::left() { return 0; }\n'
CHIP_CPP = """#include "Bus.h"
Chip chip;
int Chip::left() { return wanted; }
void Chip::handle() { while (left() > 0) { wanted--; told(left()); } }
void Chip::changed() { chip.handle(); }
"""
CHIP = """
#include "Bus.h"
volatile int got;
void take(int left) { got = left; }
void (*volatile later)() = Chip::changed;
void setup() { chip.told = take; chip.wanted = 3; attachInterrupt(2, Chip::changed, RISING); }
void loop(1, 1, 20) { later(); delay(5); }
"""


def test_types_of_a_class_whose_base_another_file_defines(write: Callable) -> None:
    """A compiler tells all of a class once: where its virtual functions are."""
    files = {"Bus.h": BUS_H, "Bus.cpp": BUS_CPP, "Chip.cpp": CHIP_CPP}
    assert build.build(write("bus", CHIP, files), boards.load("pico"), trace=False).warnings == []


def test_functions_that_have_looked_for_room_need_not_any_more(
    write: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are harder to see through: what is refused with those that a former build has found is
    tried without."""
    folder, out = write("looks", "void setup() {}\nvoid loop() {}\n"), tmp_path / "out"
    build.build(folder, boards.load("uno"), trace=False, out=out)
    memory = out / "obj" / "looking.json"
    memory.write_text('{"obj/sketch.o": ["setup"]}')
    real = Linker.link

    def link(linker: Linker, *given: Any) -> Any:
        if linker.compiler.looking:
            raise UserError("a recursion")
        return real(linker, *given)

    monkeypatch.setattr(Linker, "link", link)
    build.build(folder, boards.load("uno"), trace=False, out=out)
    assert memory.read_text() == "{}"
