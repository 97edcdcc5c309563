"""How much of the tests is run, and how it went."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path


class Extent(IntEnum):
    """How much is run: each has all of those before it."""

    ORDINARY = 1  # a board's system tests, a part of the random cases
    ALL = 2
    LONG = 3  # also what takes minutes


@dataclass(frozen=True)
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    left: int = 0  # that the next larger extent has

    def __add__(self, other: Count) -> Count:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Count(*(one + another for one, another in pairs))

    def __str__(self) -> str:
        text = f"{self.passed} passed, {self.failed} failed"
        text += f", {self.skipped} skipped" if self.skipped else ""
        return text + (f", {self.left} left" if self.left else "")


def total(results: dict[str, Count]) -> Count:
    return sum(results.values(), Count())


def summary(count: Count, extent: Extent) -> str:
    """The last line: what of the tests has been run, and what runs the others."""
    text = str(replace(count, left=0))
    more = {Extent.ORDINARY: "--all", Extent.ALL: "--long"}.get(extent)
    return f"{text}; {count.left} more with {more}" if more and count.left else text


def left_in(report: Path) -> Path:
    """Where tests/conftest.py says how many tests the next larger extent has."""
    return report.with_suffix(".left")


def read(report: Path) -> Count | None:
    """Sums of a JUnit file; None when there is none."""
    try:
        root = ET.parse(report).getroot()
    except (OSError, ET.ParseError):
        return None
    suites = [root] if root.tag == "testsuite" else root.findall("testsuite")

    def add(name: str) -> int:
        return sum(int(suite.get(name, 0)) for suite in suites)

    failed = add("failures") + add("errors")
    skipped = add("skipped") + add("disabled")
    path = left_in(report)
    left = int(path.read_text()) if path.exists() else 0
    return Count(add("tests") - failed - skipped, failed, skipped, left)
