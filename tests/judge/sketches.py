"""Random sketches: the same seed, the same sketch."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from math import ceil

from kinds import (
    Company,
    First,
    Greedy,
    Handler,
    Job,
    Kind,
    Pipe,
    Reader,
    Sleeper,
    Talker,
    Task,
)
from pins import SETUP_ENDS, Burst, Sent
from rules import RULES, Rule

HEAD = """#include <Takt.h>
#define INLINE static inline __attribute__((always_inline))
INLINE void spin(uint16_t n) { for (uint16_t i = n; i; i--) asm volatile(""); }
INLINE void toggle(int p, bool &s) { s = !s; digitalWrite(p, s); }
INLINE void wrong() { digitalWrite(%(setup)d, LOW); }
static volatile bool inLock, inOther, inCritical;
INLINE void enter(volatile bool &in) { if (in) wrong(); in = true; }
INLINE void leave(volatile bool &in) { in = false; }
Mutex lock{%(us)d_us}, other{%(us)d_us};
Channel<uint16_t> news;
"""
ENDLESS = 'void task(99, 50) { for (;;) asm volatile("nop"); }\n'
EXTRAS = {  # what a unit may do beside
    "": "",
    "clock": "(void)micros(); ",
    "poll": "(void)digitalRead(12); ",
    "write": "news.write(1); ",
    "read": "(void)news.read(); ",
}
SECTIONS = {  # the same, and how long: rounds of spin()
    "lock.lock(); enter(inLock); spin({}); leave(inLock); lock.unlock(); ": (2, 50, 500),
    "other.lock(); enter(inOther); spin({}); leave(inOther); other.unlock(); ": (2, 50, 500),
    "lock.lock(); enter(inLock); other.lock(); enter(inOther); spin({}); leave(inOther); "
    "other.unlock(); leave(inLock); lock.unlock(); ": (2, 50),
    "{{ Critical section{{CRITICAL_US}}; enter(inCritical); spin({}); leave(inCritical); }} ":
        (2, 50),
}  # fmt: skip
LONGEST = 500  # rounds, of a section under a mutex; and with interrupts off:
CRITICAL = 50
FIRST_US = 60_000  # the world keeps quiet until then: setup() is over
PIPES_US = 300_000  # a pipe opens its port when its thread first runs
MOST_PINS = 3  # that a thread has
ROUND_US = (1_000, 2_000, 5_000, 10_000, 20_000, 25_000, 50_000, 100_000, 200_000)


@dataclass
class Sketch:
    """A program and what comes from outside."""

    seed: int
    rule: Rule
    kinds: list[Kind]
    share_ms: int = 0  # of interrupts, where there are any
    spare_is_eaten: bool = True
    tasks_us: tuple[int, int] | None = None
    bursts: list[Burst] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return self.rule.seconds

    def text(self) -> str:
        outputs = sorted({SETUP_ENDS, *(pin for kind in self.kinds for pin in kind.outputs)})
        setup = [f"pinMode({pin}, OUTPUT);" for pin in outputs]
        setup += [line for kind in self.kinds if (line := kind.setup())]
        if any(isinstance(kind, (Talker, Reader)) for kind in self.kinds):
            setup.append(f"Serial.begin({self.rule.baud});")
        if self.share_ms and any(isinstance(kind, Handler) for kind in self.kinds):
            setup.append(f"interruptsVcpu({self.share_ms}, 100);")
        setup.append(f"digitalWrite({SETUP_ENDS}, HIGH);")
        words = "".join(f"  {line}\n" for line in setup)
        text = HEAD % {"us": section_us(self.rule, LONGEST), "setup": SETUP_ENDS}
        text += f"constexpr takt::Duration CRITICAL_US{{{section_us(self.rule, CRITICAL)}}};\n"
        text += "".join(kind.globals() for kind in self.kinds)
        text += f"void setup() {{\n{words}}}\n" + "".join(kind.text() for kind in self.kinds)
        if self.tasks_us and (self.spare_is_eaten or any(isinstance(k, Task) for k in self.kinds)):
            text += "tasksVcpu({}_us, {}_us);\n".format(*self.tasks_us)
        return text + (ENDLESS if self.spare_is_eaten else "")

    def with_budgets(self, scale: float) -> Sketch:
        """Every budget that can be scaled is so much of its weight."""
        return replace(self, kinds=[_sized(kind, self.rule, scale) for kind in self.kinds])

    def without_sections(self) -> Sketch:
        plain = [replace(k, extra="") if k.section_us(self.rule) else k for k in self.kinds]
        return replace(self, kinds=plain)

    def smaller(self) -> Sketch:
        """With no room or no time: a thread less, handlers last, or without the task."""
        gone = [k for k in self.kinds[1:] if not isinstance(k, Handler)]
        if not gone and self.spare_is_eaten:
            return replace(self, spare_is_eaten=False)
        last = (gone or self.kinds)[-1]
        return replace(self, kinds=[kind for kind in self.kinds if kind is not last])


def _sized(kind: Kind, rule: Rule, scale: float) -> Kind:
    if not kind.scaled:
        return kind
    wanted = int(kind.weight * scale * kind.period_us)
    budget = max(rule.least_us, min(wanted, kind.period_us))
    if budget >= 1_000:
        budget -= budget % 10
    kind = replace(kind, budget_us=budget)
    if isinstance(kind, Job):
        return replace(kind, units=_units(kind, rule))
    if isinstance(kind, Sleeper) and kind.light:
        return _light(kind, rule)
    return kind


def section_us(rule: Rule, rounds: int) -> int:
    """What a sketch states of a section that the build cannot count."""
    return ceil(1.5 * rounds * rule.spin_ns / 1000 + rule.extra_us)


def unit_us(rule: Rule, kind: Job | Sleeper) -> float:
    """A unit's work, about."""
    extra = max(rule.extra_us if kind.extra else 0, kind.section_us(rule))
    return kind.spin * rule.spin_ns / 1000 + rule.toggle_us + extra


def _units(job: Job, rule: Rule) -> int:
    """As many as take 70 % of its budget, or half as much again as it has."""
    part = 0.7 if job.fits else 1.5
    room = part * job.budget_us - (rule.call_us if job.fits else 0)
    return max(1, min(60_000, int(room / unit_us(rule, job))))


def _light(kind: Sleeper, rule: Rule) -> Sleeper:
    """So much work that two periods' wake-ups take less than 80 % of a budget; what costs too much
    promises nothing."""
    wakes = 2 * kind.period_us / kind.sleep_us + 2
    room = 0.8 * kind.budget_us / wakes - rule.wake_us
    units = int(room / unit_us(rule, kind))
    if units < 1:
        return replace(kind, light=False, units=1)
    return replace(kind, units=min(units, 5_000))


class Generator:
    """Draws a sketch."""

    def __init__(self, seed: int, board: str) -> None:
        self.seed, self.rule = seed, RULES[board]
        self.random = random.Random(f"takt {board} {seed}")
        self.outputs = list(self.rule.outputs)
        self.inputs = list(self.rule.inputs)
        self.taken: set[str] = set()  # sides of the channel
        self.random.shuffle(self.outputs)

    def sketch(self) -> Sketch:
        count = self.random.randint(*self.rule.threads)
        kinds: list[Kind] = [self._greedy(0)]
        if self.random.random() < 0.5:
            kinds.append(self._restless(1, kinds[0].period_us))
        choices = [
            self._greedy,
            self._sleeper,
            self._sleeper,
            self._light,
            self._job,
        ]
        choices += [self._heavy_job, self._handler, self._serial, self._task]
        choices += [self._pipe] if self.rule.pipes else []
        while len(kinds) < count and len(self.outputs) >= MOST_PINS:
            outputs, inputs = list(self.outputs), list(self.inputs)
            made = self.random.choice(choices)(len(kinds))
            if made is not None and self._allowed(made, kinds):
                kinds.append(made)
            else:
                self.outputs, self.inputs = outputs, inputs
        sketch = Sketch(self.seed, self.rule, kinds + self._company(kinds))
        sketch.share_ms = self.rule.share_ms
        if any(isinstance(kind, Task) for kind in kinds) and self.random.random() < 0.3:
            sketch.tasks_us = (self.rule.least_us, 20 * self.rule.least_us)
        self._surround(sketch)
        return sketch

    def _company(self, kinds: list[Kind]) -> list[Kind]:
        """Of one program in four; drawn apart, so that the others are what they were."""
        drawn = random.Random(f"company {self.rule.board} {self.seed}")
        least, most = self.rule.company
        if most == 0 or drawn.random() > 0.25 or not self.outputs:
            return []
        period = drawn.choice([t for t in ROUND_US if self.rule.shortest_us <= t])
        budget = self.rule.least_us
        found: list[Kind] = [First(100, period, 0, budget, (self._pin(),), spin=5)]
        return found + [
            Company(101 + n, period, 0, min(budget, period // 100), sleeps=drawn.random() < 0.3)
            for n in range(drawn.randint(least, most))
        ]

    def _allowed(self, made: Kind, kinds: list[Kind]) -> bool:
        """One of a kind where the board has only one of what it needs."""
        single = (Talker, Reader, Pipe)
        if isinstance(made, single):
            return not any(type(made) is type(kind) for kind in kinds)
        if isinstance(made, Handler) and not made.vcpu:
            return not any(isinstance(k, Handler) and not k.vcpu for k in kinds)
        return True

    def _pin(self) -> int:
        return self.outputs.pop()

    def _period(self) -> int:
        """Round ones often."""
        low, high = self.rule.shortest_us, self.rule.longest_us
        if self.random.random() < 0.6:
            return self.random.choice([t for t in ROUND_US if low <= t <= high])
        return round(low * (high / low) ** self.random.random()) // 100 * 100 + self.random.choice(
            (0, 0, 37)
        )

    def _extra(self) -> str:
        """A channel has one writer and one reader."""
        drawn = self.random.choice([*EXTRAS, *SECTIONS, "", "", ""])
        if drawn in SECTIONS:
            return drawn.format(self.random.choice(SECTIONS[drawn]))
        if drawn in self.taken:
            return ""
        if drawn in ("read", "write"):
            self.taken.add(drawn)
        return EXTRAS[drawn]

    def _spin(self) -> int:
        """Units of some 2 to 25 us on the pico."""
        return self.random.randint(50, 600)

    def _base(self, id: int, pins: int) -> tuple[int, int, float, int, tuple[int, ...], str]:
        weight = self.random.uniform(0.05, 1.0) ** 2
        own = tuple(self._pin() for _ in range(pins))
        return id, self._period(), weight, 0, own, self._extra()

    def _greedy(self, id: int) -> Kind:
        return Greedy(*self._base(id, 1), self._spin(), self.random.random() < 0.7)

    def _sleeper(self, id: int) -> Kind:
        """From 1 us to T, evenly on a logarithmic scale."""
        base = self._base(id, 1)
        sleep = max(1, round(base[1] ** self.random.random()))
        return Sleeper(*base, sleep, self.random.choice((1, 1, 5, 50)), self._spin())

    def _restless(self, id: int, period_us: int) -> Kind:
        """Above that loop, with much of the CPU, which it spends on waking."""
        low = self.rule.shortest_us
        period = self.random.choice([t for t in (*ROUND_US, low) if low <= t <= period_us])
        own = (self._pin(),)
        sleep = round(2_000 ** self.random.random())
        weight = self.random.uniform(0.3, 1.2)
        return Sleeper(id, period, weight, 0, own, self._extra(), sleep, 1, self._spin())

    def _light(self, id: int) -> Kind:
        base = self._base(id, 1)
        sleep = round(base[1] * self.random.uniform(0.25, 2.0))
        return Sleeper(*base, sleep, 1, self._spin(), light=True)

    def _job(self, id: int) -> Kind:
        policy = self.random.choice(("", "", "SKIP", "CONTINUE"))
        return Job(*self._ticks(id), 1, self._spin(), policy)

    def _heavy_job(self, id: int) -> Kind:
        policy = self.random.choice(("", "SKIP", "CONTINUE"))
        return Job(*self._ticks(id), 1, self._spin(), policy, fits=False)

    def _ticks(self, id: int) -> tuple[int, int, float, int, tuple[int, ...], str]:
        """Of a job, whose period is a multiple of 0.1 ms."""
        base = self._base(id, 3)
        return base[0], base[1] // 100 * 100, *base[2:]

    def _serial(self, id: int) -> Kind:
        base = (*self._base(id, 1)[:5], "")
        if self.random.random() < 0.5:
            return Talker(*base, self.random.randint(5_000, 60_000))
        return Reader(*base)

    def _handler(self, id: int) -> Kind | None:
        if not self.inputs:
            return None
        vcpu = self.random.random() < 0.7
        period = self.random.choice((10_000, 20_000)) if vcpu else 10_000
        mode = self.random.choice(("RISING", "FALLING", "CHANGE"))
        own = (self._pin(),)
        budget = self.rule.handler_us
        return Handler(id, period, 0, budget, own, "", self.inputs.pop(), mode, 50, vcpu)

    def _pipe(self, id: int) -> Kind:
        own = (self._pin(), self._pin())
        rate = self.random.choice((200, 500, 900))
        return Pipe(id, 0, 0, 1_000, own, "", rate, rate // 10)

    def _task(self, id: int) -> Kind:
        period = self.random.choice((10_000, 20_000, 40_000))
        return Task(id, period, 0, 0, (self._pin(),))

    # What comes from outside.

    def _surround(self, sketch: Sketch) -> None:
        for number, kind in enumerate(sketch.kinds):
            if isinstance(kind, Handler):
                sketch.kinds[number] = self._edges(sketch, kind)
            elif isinstance(kind, Reader):
                apart = self.rule.byte_apart_us
                sketch.kinds[number] = self._bytes(sketch, kind, 0, apart, FIRST_US)
            elif isinstance(kind, Pipe):
                apart = 1_000_000 // kind.rate
                sketch.kinds[number] = self._bytes(sketch, kind, 1, apart, PIPES_US)

    def _bytes(self, sketch: Sketch, kind, port: int, apart_us: int, first_us: int):
        """Never faster than the board counts with, or than was asked for; none at the end."""
        at, end, count = float(first_us), sketch.seconds * 1e6 - 300_000, 0
        while at < end:
            sketch.sent.append(Sent(port, at, bytes([count % 256])))
            count += 1
            at += apart_us * self.random.choice((1.01, 1.1, 2, 10))
        return replace(kind, sent=count)

    def _edges(self, sketch: Sketch, kind: Handler) -> Handler:
        """Single edges, evenly random, and bursts."""
        at: list[float] = []
        groups: list[tuple[int, int]] = []
        now, end = float(FIRST_US), sketch.seconds * 1e6 - 150_000
        while now < end:
            burst = self.random.random() < 0.3
            count = self.random.randint(5, 60) if burst else 1
            groups.append((len(at), count))
            for _ in range(count):
                at.append(now)
                now += self.random.uniform(3, 60) if burst else 0
            now += self.random.uniform(80_000, 160_000)
        sketch.bursts.append(Burst(kind.input, tuple(at)))
        return replace(kind, **_wanted(kind.mode, at, groups))


def _wanted(mode: str, at: list[float], groups: list[tuple[int, int]]) -> dict[str, tuple]:
    """The edges that the mode is for; the first one of each group, and the last of those with
    many."""
    wanted, quiet, last = [], [], []
    for first, count in groups:
        mine = [at[n] for n in range(first, first + count) if mode == "CHANGE" or
                n % 2 == (mode == "FALLING")]  # fmt: skip
        wanted += mine
        quiet += mine[:1]
        last += mine[1:][-1:]
    return {"wanted": tuple(wanted), "quiet": tuple(quiet), "last": tuple(last)}


def draw(seed: int, board: str) -> Sketch:
    """The sketch of a seed, its budgets not yet known."""
    return Generator(seed, board).sketch()
