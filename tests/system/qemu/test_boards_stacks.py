"""Stacks of what is called through pointers are enough, on every board, and none is a guess."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from everywhere import BOARDS, SIM
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.machine.machines import machine_of
from takt.world import world

BIG = """
#include <Takt.h>
static void __attribute__((noinline)) big(int n) {
  volatile char room[640];
  for (int i = 0; i < 640; i++) room[i] = (char)(n + i);
  delay(2);
  Serial.println(room[n]);
}
"""
LOOPS = """
void setup() { Serial.begin(115200); }
void loop(1, 20, 100) { act(); delay(100); }
void loop(2, 20, 200) { Serial.println("two"); delay(300); }
"""
ACTS = {
    "operations": """
struct Ops { void (*small)(int); void (*large)(int); };
static void small(int n) { Serial.println(n); }
const Ops ops = {small, big};
struct Device { const Ops *ops; };
Device device = {&ops};
Device *volatile used = &device;
static void act() { const Ops *o = used->ops; o->large(5); }
""",
    "callback": """
struct Button { int pin; void (*pressed)(int); };
Button button = {3, big};
Button *volatile used = &button;
static void act() { Button *b = used; b->pressed(5); }
""",
    "packed": """
struct __attribute__((packed)) Command { char key; void (*run)(int); };
extern const Command table[2];
const Command table[2] = {{'a', big}, {'b', big}};
volatile int which = 1;
static void act() { void (*f)(int); memcpy(&f, (const char *)&table[which].run, 4); f(5); }
""",
    "second_base": """
struct A { int x = 1; virtual void a(int) = 0; virtual void b(int) {} virtual void c(int) {} };
struct B { int y = 2; virtual void f(int) = 0; };
struct D : A, B {
  void a(int n) override { x += n; }
  void f(int n) override { big(n); y++; }
};
D d;
A *volatile first = &d;
B *volatile second = &d;
static void act() { A *a = first; a->a(1); B *b = second; b->f(5); }
""",
    "not_optimised": """
#pragma GCC optimize("O0")
struct A { virtual void a(int) = 0; virtual void b(int) = 0; };
struct D : A { void a(int) override {} void b(int n) override { big(n); } };
D d;
A *volatile used = &d;
static void act() { A *a = used; a->b(5); }
""",
    "member_pointer": """
struct A { virtual void a(int) = 0; virtual void b(int) = 0; };
struct D : A { void a(int) override {} void b(int n) override { big(n); } };
D d;
A *volatile used = &d;
void (A::*volatile member)(int) = &A::b;
static void act() { A *a = used; (a->*member)(5); }
""",
    "chosen": """
static void small(int n) { Serial.println(n); }
volatile int which = 0;
static void act() { void (*f)(int) = which ? small : big; f(5); }
""",
    "prints": """
struct Sensor { virtual int read() = 0; virtual void show() = 0; };
struct Temperature : Sensor {
  int read() override { return (int)millis(); }
  void show() override { volatile char b[640]; b[5] = 1; Serial.println(b[5] + read()); }
};
Temperature t;
Sensor *volatile used = &t;
static void act() { Sensor *s = used; s->show(); }
""",
}


SAME_SET = ("stm32f051", "microbit", "lm3s6965evb")  # of instructions, as pico or mps2-an386


@pytest.mark.parametrize(
    "board",
    [
        pytest.param(board, marks=pytest.mark.long) if board in SAME_SET else board
        for board in BOARDS
        if board != SIM
    ],
)
@pytest.mark.parametrize("name", ACTS)
def test_calls_through_pointers(tmp_path: Path, board: str, name: str) -> None:
    folder, on = tmp_path / name, boards.load(board)
    folder.mkdir()
    (folder / f"{name}.ino").write_text(BIG + ACTS[name] + LOOPS)
    built = build(folder, on)
    assert built.warnings == []
    result = run.run(built, world.load(folder, on), 0.25)
    deep, shallow = built.threads
    assert 640 < result.stack_used[deep.place] <= deep.stack_size
    assert result.stack_used[shallow.place] <= shallow.stack_size


@pytest.mark.parametrize("board, handlers", [("lm3s6965evb", 6), ("stm32f051", 3)])
def test_handlers_that_set_their_own_priorities_nest(tmp_path, board: str, handlers: int) -> None:
    """Cortex-M3 has eight priorities; what the drivers would give handlers says nothing here."""
    on, folder = boards.load(board), tmp_path / "nest"
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("nest.c"), folder)
    built = build(folder, on, trace=False)
    assert built.warnings == []
    machine = machine_of(on)
    machine.load_elf(built.elf)
    machine.run(on.clock_hz // 100)
    assert machine.word(machine.symbol("hits")) >= handlers
    assert machine.symbol("takt_stack_isr") <= machine.word(machine.symbol("lowest"))
    assert built.isr_stack_need > handlers * 900
