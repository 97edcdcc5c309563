"""Random programs by their seeds: what fell short, and their text.

.venv/bin/python tests/judge/again.py 7 --board uno
.venv/bin/python tests/judge/again.py 0-39
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from takt.paths import BUILD
from verdict import verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", help="7 or 0-39")
    parser.add_argument("--board", default="pico")
    parser.add_argument("--text", action="store_true", help="each sketch's text as well")
    asked = parser.parse_args()
    first, _, last = asked.seeds.partition("-")
    short = 0
    for seed in range(int(first), int(last or first) + 1):
        began = time.process_time()
        found = verdict(seed, asked.board, BUILD / "judge" / asked.board / str(seed))
        short += bool(found.short)
        if asked.text or first == (last or first):
            print(found)
        else:
            kinds = " ".join(type(kind).__name__ for kind in found.fitted.sketch.kinds)
            used = found.fitted.built.admission.u_total
            print(f"seed {seed}: {kinds}, U {used:.3f}, {time.process_time() - began:.2f} s",
                  *found.short, sep="\n    ")  # fmt: skip
    print(f"{short} short")
    return int(bool(short))


if __name__ == "__main__":
    sys.exit(main())
