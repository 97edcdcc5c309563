"""Tables of hosts in world.toml.

[[parts.ethernet.hosts]]
ip = "192.168.1.1"
dhcp = "192.168.1.50"                         # the address it gives away
dns = {"pool.ntp.org" = "192.168.1.9"}
udp = [[7, "answer"]]                         # port, what answers each datagram
tcp = [[80, "\\r\\n\\r\\n", "HTTP/1.0 200 OK"]]   # port, end of what is said to it, its answer, ...
send = [["2 s", 5000, "hello"]]               # when, port of the board, a datagram
connect = [["3 s", 80, "GET /"]]              # when, port of the board, what it says
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from takt.world.parts.net.hosts import Told, Turns
from takt.world.parts.settings import Context, Setting, SettingError
from takt.world.parts.units import duration

ADDRESS = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})")
HEX = re.compile(r"hex((?:\s+[0-9A-Fa-f]{2})*)\s*")
LONGEST_DATAGRAM = 1472  # bytes: fragments are not modelled


class Hosts(Setting):
    """A list of tables."""

    def read(self, value: Any, context: Context) -> tuple[Told, ...]:
        good = isinstance(value, list) and all(isinstance(one, dict) for one in value)
        if not good:
            raise SettingError("hosts are tables", "write [[parts.NAME.hosts]]")
        found: dict[bytes, Told] = {}
        for number, table in enumerate(value, 1):
            try:
                host = told(table)
            except SettingError as error:
                raise SettingError(f"number {number}: {error.what}", error.fix) from None
            if host.ip in found:
                raise SettingError(f"two have the address {table['ip']}", "change one")
            found[host.ip] = host
        return tuple(found.values())


def told(table: dict[str, Any]) -> Told:
    """One table."""
    readers: dict[str, Callable[[Any], Any]] = {
        "ip": address,
        "dhcp": address,
        "dns": _names,
        "udp": lambda value: dict(_rows(value, _port, datagram)),
        "tcp": _servers,
        "send": lambda value: list(_rows(value, duration, _port, datagram)),
        "connect": lambda value: list(_rows(value, duration, _port, data)),
    }
    given: dict[str, Any] = {}
    for key, value in table.items():
        if key not in readers:
            raise SettingError(f"unknown key {key!r}", f"known keys: {', '.join(readers)}")
        try:
            given[key] = readers[key](value)
        except SettingError as error:
            raise SettingError(f"{key}: {error.what}", error.fix) from None
    if "ip" not in given:
        raise SettingError("it has no address", 'add ip = "192.168.1.1"')
    named = {"send": "datagrams", "connect": "connections"}
    return Told(**{named.get(key, key): value for key, value in given.items()})


def address(value: Any) -> bytes:
    match = ADDRESS.fullmatch(value) if isinstance(value, str) else None
    parts = [int(part) for part in match.groups()] if match else []
    if not match or max(parts) > 255 or sum(parts) == 0:
        raise SettingError(f"{value!r} is no address", 'write "192.168.1.1"')
    return bytes(parts)


def _names(value: Any) -> dict[str, bytes]:
    if not isinstance(value, dict):
        raise SettingError(f"{value!r} is no table", 'write {"pool.ntp.org" = "192.168.1.9"}')
    return {name.lower(): address(one) for name, one in value.items()}


def _port(value: Any) -> int:
    if type(value) is not int or not 1 <= value <= 65535:
        raise SettingError(f"{value!r} is no port", "use a number from 1 to 65535")
    return value


def data(value: Any) -> bytes:
    """Text, or bytes as "hex 1b 00"."""
    if not isinstance(value, str):
        raise SettingError(f"{value!r} is not text", 'write "text" or "hex 1b 00"')
    match = HEX.fullmatch(value)
    return bytes.fromhex(match[1]) if match else value.encode()


def datagram(value: Any) -> bytes:
    held = data(value)
    if len(held) > LONGEST_DATAGRAM:
        what = f"a datagram of {len(held)} bytes goes in fragments, which are not modelled"
        raise SettingError(what, f"use at most {LONGEST_DATAGRAM}")
    return held


def _servers(value: Any) -> dict[int, Turns]:
    rows = value if isinstance(value, list) else [None]
    if not all(isinstance(row, list) and len(row) >= 3 and len(row) % 2 for row in rows):
        what = f"{value!r} is no list of a port and turns"
        raise SettingError(what, 'write [[80, "\\r\\n\\r\\n", "HTTP/1.0 200 OK"]]')
    return {_port(port): tuple(zip(*[map(data, turns)] * 2, strict=True)) for port, *turns in rows}


def _rows(value: Any, *readers: Callable[[Any], Any]) -> list[tuple[Any, ...]]:
    """Lists, each element of which has a reader."""
    good = isinstance(value, list) and all(
        isinstance(row, list) and len(row) == len(readers) for row in value
    )
    if not good:
        raise SettingError(
            f"{value!r} is no list of rows with {len(readers)} values", "see docs/worlds.md"
        )
    return [tuple(read(one) for read, one in zip(readers, row, strict=True)) for row in value]
