"""Random sketches of calls: direct ones, through tables, pointers and virtual functions, at the end
of a function, with arguments on the stack, recursions of eight levels at most; from loops, setup()
and the handler of a pin that the sketch itself moves. Every function fills its own array."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

LEVELS = 8  # of a recursion
ROOM = {"pico": (8, 160), "stm32f051": (8, 100), "uno": (6, 40)}  # bytes of an array
COUNT = {"pico": (6, 14), "stm32f051": (6, 12), "uno": (5, 8)}  # functions
STATED = {"pico": 6000, "stm32f051": 1400, "uno": 360}  # bytes of a stack that is not computed
LESS = {"uno": (4, 14)}  # for arrays, so that it is enough

HEAD = """\
#define APART __attribute__((noinline))
#define FILL(room, n) for (unsigned i = 0; i < sizeof(room); i++) room[i] = (char)(i + (n))
typedef int (*Call)(int);
volatile int on = 1, sum, fuel, hits;
static inline bool more() { return on && fuel-- > 0; }
struct Shape { virtual int area(int n) = 0; };
"""


@dataclass
class Written:
    """A sketch, and what its figures are to be."""

    text: str
    recursive: bool = False  # a bound cannot be known
    variable: bool = False  # it takes stack at run time
    mixed: bool = False  # calls through pointers may look like a recursion
    sizes: bool = False  # it states those of its stacks


class _Writer:
    def __init__(self, seed: int, board: str) -> None:
        self.random, self.board = Random(f"{board} {seed}"), board
        self.count = self.random.randint(*COUNT[board])
        self.leaf = self.count * 2 // 3  # from there on: no calls through pointers
        self.recursive = self.random.random() < 0.25
        self.variable = self.random.random() < 0.15
        self.mixed = self.random.random() < 0.25  # pointers may lead to what calls through pointers
        self.stated = self.recursive or self.variable or self.mixed  # it may have no bound
        self.many = {n for n in range(self.count) if self.random.random() < 0.2}
        self.lines: list[str] = []

    def room(self) -> int:
        rooms = LESS if self.stated else ROOM
        return self.random.randint(*rooms.get(self.board, ROOM[self.board]))

    def direct(self, to: int) -> str:
        return f"f{to}(n, 1, n, 3, n + 1, 5, n)" if to in self.many else f"f{to}(n)"

    def by_pointer(self, n: int) -> list[int]:
        """Some that may be called so: with one argument."""
        first = n + 1 if self.mixed else max(n + 1, self.leaf)
        able = [to for to in range(first, self.count) if to not in self.many]
        return self.random.sample(able, min(len(able), self.random.randint(1, 3)))

    def calls(self, n: int) -> list[str]:
        """Expressions of n that call."""
        later = range(n + 1, self.count)
        found = [self.direct(to) for to in later if self.random.random() < 2.2 / len(later)]
        targets = self.by_pointer(n) if n < self.leaf or self.mixed else []
        kind = self.random.choice(("", "table", "pointer", "virtual"))
        if kind and targets:
            names = ", ".join(f"f{to}" for to in targets)
            if kind == "table":
                self.lines.append(f"static const Call table{n}[] = {{{names}}};")
                found += [f"table{n}[(on + {k}) % {len(targets)}](n)" for k in range(len(targets))]
            elif kind == "pointer":
                # Each is written before any loop runs: two halves, on AVR, and two loops.
                self.lines += [f"static volatile Call to{n}_{to} = f{to};" for to in targets]
                found += [f"to{n}_{to}(n)" for to in targets]
            else:
                found += self.virtual(n, targets)
        self.random.shuffle(found)
        return found

    def virtual(self, n: int, targets: list[int]) -> list[str]:
        for k, to in enumerate(targets):
            room = f"volatile char room[{self.room()}]; FILL(room, n);"
            self.lines.append(
                f"struct S{n}_{k} : Shape {{ int area(int n) override {{ {room} "
                f"return room[0] + f{to}(n); }} }} s{n}_{k};"
            )
        objects = ", ".join(f"&s{n}_{k}" for k in range(len(targets)))
        self.lines.append(f"Shape *volatile shapes{n}[] = {{{objects}}};")
        return [f"shapes{n}[{k}]->area(n)" for k in range(len(targets))]

    def function(self, n: int) -> None:
        apart = "APART " if self.random.random() < 0.7 else ""
        more = ", int, int, int, int, int, int" if n in self.many else ""
        calls = self.calls(n)
        tail = calls.pop() if calls and self.random.random() < 0.3 else ""
        size = self.room()
        body = [f"volatile char room[{size}]; FILL(room, n);"]
        if self.variable and n == self.count - 1:
            body = [f"volatile char room[(on + n % 3) * {size}]; FILL(room, n);"]
        body += [f"if (more()) sum += {call};" for call in calls]
        last = f"more() ? {tail} : n" if tail else "room[n & 1]"
        self.lines.append(f"{apart}int f{n}(int n{more}) {{ {' '.join(body)} return {last}; }}")

    def recursion(self) -> None:
        to = self.direct(self.count - 1)
        self.lines.append(
            f"APART int again(int n, int left) {{ volatile char room[{self.room()}]; FILL(room, n);"
            f" return left ? again(n + 1, left - 1) + room[0] : {to}; }}"
        )

    def write(self) -> Written:
        for n in reversed(range(self.count)):
            self.function(n)
        if self.recursive:
            self.recursion()
        size = f", {STATED[self.board]}" if self.stated else ""
        loops = []
        for number in (1, 2):
            begins = self.random.sample(range(self.count), 2)
            run = " ".join(f"sum += {self.direct(f)};" for f in begins)
            if self.recursive and number == 1:
                run += f" sum += again(n, {LEVELS - 1});"
            moves = "digitalWrite(4, n & 1);" if number == 1 else "Serial.println(sum);"
            loops.append(
                f"void loop({number}, 20, {60 + 20 * number}{size}) {{ static int n; n++; "
                f"fuel = 40; {run} {moves} delay({2 + number}); }}"
            )
        handled = self.direct(self.random.randrange(self.leaf, self.count))
        begin = self.direct(self.random.randrange(self.count))
        tail = [
            f"void moved() {{ int n = hits; hits++; volatile char room[{self.room()}]; "
            f"FILL(room, n); sum += {handled}; }}",
            "void setup() { Serial.begin(115200); pinMode(4, OUTPUT); "
            f"attachInterruptIsr(4, moved, CHANGE); int n = on; fuel = 9; sum += {begin}; }}",
            *loops,
        ]
        text = "\n".join([HEAD, *self.lines, *tail, ""])
        return Written(text, self.recursive, self.variable, self.mixed, self.stated)


def written(seed: int, board: str) -> Written:
    return _Writer(seed, board).write()
