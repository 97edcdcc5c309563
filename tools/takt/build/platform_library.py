"""Finds the C libraries of the virtual platform and opens them."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from takt.build.cmake import host_library
from takt.declared import declared
from takt.paths import ROOT

PLATFORM = ROOT / "platform" / "include" / "takt_platform.h"
USB_CAN = ROOT / "platform" / "usbcan" / "usbcan.h"
NEVER = 2**64 - 1  # cycles
ARM, AVR = "takt_platform", "takt_platform_avr"
USB_CAN_ADAPTERS = "takt_usbcan"


class PlatformError(Exception):
    """The platform library is missing or refuses what was asked."""


def library_path(name: str) -> Path:
    """TAKT_PLATFORM_LIB, or the library in the build tree, brought up to date."""
    named = os.environ.get("TAKT_PLATFORM_LIB")
    return Path(named) if named and name == ARM else host_library(name)


def declarations(header: Path = PLATFORM) -> str:
    """A C header without what cffi does not read."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


@cache
def library(name: str = ARM) -> tuple[Any, Any]:
    ffi = declared(declarations(USB_CAN if name == USB_CAN_ADAPTERS else PLATFORM))
    return ffi, ffi.dlopen(str(library_path(name)))
