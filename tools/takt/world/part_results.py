"""What methods of a user's own parts return, looked at when they return it."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable
from typing import Any

from takt.errors import UserError
from takt.paths import shown
from takt.world.parts import Part, Wire
from takt.world.pictures import Dots, Floor

FILE = re.compile(r"[\w-][\w.-]*")
OF_TAKT = re.compile(r"(timeline|trace|signals|report|serial)\.\w+(\.\w+)?")  # beside the report


class PartError(UserError):
    """A part of the sketch's own has failed."""


def _is_number(value: Any, *_arguments: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _is_yes_or_no(value: Any, *_arguments: Any) -> bool:
    return isinstance(value, bool)


def _is_byte(value: Any, *_arguments: Any) -> bool:
    return isinstance(value, int) and 0 <= value < 256


def _is_word(value: Any, _sent: int, bits: int) -> bool:
    return isinstance(value, int) and 0 <= value < 1 << bits


def _are_wires(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, Wire) and isinstance(one.role, str) and type(one.pin) is int
        for one in value
    )


def _are_ports(value: Any) -> bool:
    return isinstance(value, list) and set(value) <= {0, 1}


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(t, str) for kv in value.items() for t in kv)


def _are_files(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str)
        and FILE.fullmatch(name)
        and not OF_TAKT.fullmatch(name)
        and isinstance(text, str | bytes)
        for name, text in value.items()
    )


def _is_plain(value: Any) -> bool:
    """Can JSON hold it as it is?"""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def _are_pictures(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, Dots | Floor) for one in value)


# method: whether what it returns, asked with its arguments, will do; what would, in words
RESULTS: dict[str, tuple[Callable[..., bool], str]] = {
    "pins": (_are_wires, 'a list of wires: [Wire("pin", self.values["pin"])]'),
    "ports": (_are_ports, "a list of serial ports: [0]"),
    "claims": (_are_texts, 'texts: {"what only one part may have": "its setting"}'),
    "quantity": (_is_number, "a number"),
    "summary": (_is_plain, "a dictionary of texts, numbers and lists"),
    "files": (_are_files, '{"name.txt": text}, other names than those of the report'),
    "pictures": (_are_pictures, "a list of Dots and Floors"),
    "addressed": (_is_yes_or_no, "True or False"),
    "write": (_is_yes_or_no, "True or False"),
    "read": (_is_byte, "a number from 0 to 255"),
    "transfer": (_is_word, "a number of so many bits"),
}


def look_at(cls: type[Part]) -> None:
    """Has the results of a class's own methods looked at from now on."""
    for name, (good, words) in RESULTS.items():
        if name in vars(cls):
            setattr(cls, name, _looked_at(vars(cls)[name], good, words))


def _looked_at(method: Any, good: Callable[..., bool], words: str) -> Any:
    code = method.__code__

    @functools.wraps(method)
    def call(self: Part, *arguments: Any) -> Any:
        result = method(self, *arguments)
        if not good(result, *arguments):
            what = f"part {self.name!r}: {code.co_name}() returned {_short(result)}"
            where = f"{shown(code.co_filename)}:{code.co_firstlineno}"
            raise PartError(what, where, f"return {words}")
        return result

    return call


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
