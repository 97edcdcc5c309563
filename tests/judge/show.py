"""Builds a sketch, runs it, and prints how much work each pin shows in each window.

.venv/bin/python tests/judge/show.py ../shared/found/vk8 --pin 3:100 --budget 5
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import pins
from takt import boards
from takt.build.build import build
from takt.errors import UserError
from takt.paths import BUILD
from work import work_of

PERIOD_MS = 100.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sketch", type=Path)
    parser.add_argument("--board", default="pico")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--pin", action="append", default=[], metavar="PIN[:T in ms]")
    parser.add_argument("--budget", type=float, help="C in ms: only windows with less are shown")
    parser.add_argument("--plain", action="store_true", help="without the trace")
    parser.add_argument("--refused", action="store_true", help="also if admission refuses it")
    return parser.parse_args()


def show(seen: pins.Seen, pin: int, period_ms: float, budget_ms: float | None) -> None:
    """One pin's windows."""
    work = work_of(seen.of(pin))
    if work is None or seen.set_up is None:
        print(f"pin {pin}: {len(seen.of(pin))} edges")
        return
    start, length = seen.first_after_setup() or seen.set_up, seen.cycles(period_ms * 1000)
    count = (seen.end - start) // length
    done = np.array([seen.us(c) for c in work.within(start, length, count)]) / 1000
    print(f"pin {pin}: units of {seen.us(work.unit):.3f} us, {len(work.edges)} of them; windows of "
          f"{period_ms:g} ms: least {done.min():.4f} ms, mean {done.mean():.4f}, "
          f"most {done.max():.4f}")  # fmt: skip
    for number, ms in enumerate(done):
        if budget_ms is None or ms < budget_ms:
            print(f"  {number:4d} {ms:9.4f}")


def main() -> int:
    asked = arguments()
    try:
        board = boards.load(asked.board)
        out = BUILD / "judge" / asked.board / asked.sketch.resolve().name
        built = build(asked.sketch, board, not asked.plain, out, admit=not asked.refused)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    for thread in built.threads:
        bound = built.admission.bound_us(thread.name) if built.admission else None
        share = thread.budget_us, thread.period_us
        print(f"{thread.name}: C, T {share} us, bound {bound} us")
    seen = pins.run(board, built.elf, asked.seconds)
    if seen.stopped or seen.set_up is None:
        print(f"stopped: {seen.stopped or 'setup() never ended'}\n{seen.said.decode('latin-1')}")
    else:
        first = seen.first_after_setup()
        print(f"setup() over at {seen.us(seen.set_up):.1f} us, first edge after that "
              f"{seen.us((first or 0) - seen.set_up):.1f} us later")  # fmt: skip
    wanted = asked.pin or [str(pin) for pin in seen.edges if pin != pins.SETUP_ENDS]
    for one in wanted:
        pin, _, period = one.partition(":")
        show(seen, int(pin), float(period or PERIOD_MS), asked.budget)
    return 0


if __name__ == "__main__":
    sys.exit(main())
