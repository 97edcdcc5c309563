"""Which tests are in which extent of ./takt test; README.md here tells them apart."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import needed
import pytest
from takt import GARBAGE_AFTER, boards
from takt.build import cmake
from takt.cli.tally import Extent, left_in
from takt.cli.test import FIRST

ELSEWHERE = {  # system tests that run on other boards, which are not among their parameters
    "avr/": "uno",
    "boards/test_everywhere.py": "all boards",
    "cli/test_avr_stacks.py": "uno",
    "cli/test_boot_disc.py": "pc",
    "cli/test_flash.py": "uno",
    "cli/test_lto.py": "stm32f051",
    "cli/test_qemu_boards.py": "microbit",
    "cli/test_checks.py": "lm3s6965evb",
    "cpus/": "pc",
    "drivers/test_sketches_sim.py": "sim",
    "galileo/": "galileo",
    "interrupts/test_on_sim.py": "sim",
    "lab/": "those of the papers",
    "pc/": "pc",
    "pipes/test_tpipe.py": "pc",
    "ports/test_porting.py::test_sizes_are_as_counted": "all boards",
    "qemu/test_boards_deep_handler.py::test_a_deep_handler_of_a_pc": "pc",
    "stm32f051/": "stm32f051",
    "tasks/test_alone.py": "atmega324p",
    "usb/": "pc",
}

os.environ.pop("COLUMNS", None)  # takt takes a caller's to be its terminal's width


def pytest_addoption(parser: pytest.Parser) -> None:
    names = [extent.name for extent in Extent]
    parser.addoption("--extent", choices=names, default=Extent.LONG.name)


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(GARBAGE_AFTER)
    needed.extent = Extent[config.getoption("extent")]


@pytest.hookimpl(trylast=True)  # after -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asked = Extent[config.getoption("extent")]
    for item in items:
        for place, why in known_failures().items():
            if item.nodeid.startswith(place):
                item.add_marker(pytest.mark.xfail(reason=why, strict=False))
    left = [item for item in items if extent_of(item) > asked]
    items[:] = [item for item in items if extent_of(item) <= asked]
    config.hook.pytest_deselected(items=left)
    if report := config.getoption("xmlpath"):
        next_larger = [item for item in left if extent_of(item) == asked + 1]
        left_in(Path(report)).write_text(str(len(next_larger)))


@pytest.fixture(scope="session", autouse=True)
def libraries_are_looked_at_once() -> Iterator[None]:
    """Nothing changes what they are made of while a folder's tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cmake, "bring_up_to_date", cache(cmake.bring_up_to_date))
        yield


@cache
def known_failures() -> dict[str, str]:
    """Beginnings of the names of tests that show what is still wrong, and what that is."""
    lines = (Path(__file__).parent / "known_failures.txt").read_text().splitlines()
    why, found = "", {}
    for line in lines:
        if line.startswith("# "):
            why = line.removeprefix("# ")
        elif line:
            found[line] = why
    return found


def extent_of(item: pytest.Item) -> Extent:
    """The smallest that has the test."""
    if item.get_closest_marker("long"):
        return Extent.LONG
    if item.get_closest_marker("wide"):
        return Extent.ALL
    if parameters(item).get("seeds", 0) != 0:  # the first batch of random cases is in each
        return Extent.ALL
    if item.get_closest_marker("smoke") or board_of(item) in (None, FIRST):
        return Extent.ORDINARY
    return Extent.ALL


def board_of(item: pytest.Item) -> str | None:
    """The board that a system test runs on."""
    group, _, place = item.nodeid.removeprefix("tests/").partition("/")
    if group != "system":
        return None
    for value in parameters(item).values():
        if isinstance(value, str) and value in boards.names():
            return value
    return next((board for name, board in ELSEWHERE.items() if place.startswith(name)), FIRST)


def parameters(item: pytest.Item) -> dict[str, object]:
    return item.callspec.params if hasattr(item, "callspec") else {}
