"""Fills the record (record.py): runs what is missing, all cases with the first seed first, and adds
each run as it ends.

PYTHONPATH=tools .venv/bin/python lab/pipes/fill.py [--seeds N] [--jobs N] [--kept] [SYSTEM ...]
--kept: adds what was run before, and runs nothing.
"""

from __future__ import annotations

import argparse

from takt.cli.labs import lab

lab.available()
from takt_lab_pipes import campaign, fig7, fig9, record, simulate  # noqa: E402
from takt_lab_pipes.campaign import Key, Seen, System  # noqa: E402
from takt_lab_pipes.scenario import Scenario  # noqa: E402

# The scenarios that tell most come first, so that a campaign that is cut has these.
ORDER = ("3", fig7.INPUT.name, "6", "1", fig9.OUTPUT.name, "2", "5", "4")


def every() -> list[Key]:
    """All that any table of README.md has."""
    seven = [(system, fig7.INPUT) for system in campaign.pipes_too()]
    found = [*campaign.table2(), *seven, *fig9.keys()]
    return sorted(found, key=lambda key: ORDER.index(key[1].name))


def enter(system: System, scenario: Scenario, seed: int, seen: Seen) -> None:
    """Into the record, unless it is from there."""
    if seen.where == campaign.HERE:
        lines, _ = campaign.planned(scenario, seed)
        of = simulate.made(system.guest(scenario), lines)
        record.add(system.name, system.about, scenario.name, seed, of, seen.told)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("systems", nargs="*")
    asked.add_argument("--seeds", type=int, default=campaign.SEEDS)
    asked.add_argument("--jobs", type=int, default=campaign.JOBS)
    asked.add_argument("--kept", action="store_true")
    given = asked.parse_args()
    keys = [key for key in every() if not given.systems or key[0].name in given.systems]
    campaign.runs(keys, vars(given), enter)


if __name__ == "__main__":
    main()
