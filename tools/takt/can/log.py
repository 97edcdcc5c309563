"""takt can: what a log of CAN frames holds, by bus and identifier; with a DBC file, its signals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.can import candump
from takt.can.candump import CanFrame
from takt.errors import UserError
from takt.paths import shown

if TYPE_CHECKING:
    from cantools.database import Database
    from rich.table import Table


@dataclass
class Signal:
    """What a signal's values were, in its unit; the last one also by its name, if it has one. A
    floating-point signal may hold what is no number, which has no place between least and most."""

    unit: str
    least: float | None = None
    most: float | None = None
    last: float = math.nan
    said: str = ""
    not_numbers: int = 0  # NaN or infinite

    def see(self, value: float, said: str) -> None:
        self.last, self.said = value, said
        if math.isfinite(value):
            self.least = value if self.least is None else min(self.least, value)
            self.most = value if self.most is None else max(self.most, value)
        else:
            self.not_numbers += 1

    @property
    def span(self) -> str:
        return "" if self.least is None else f"{self.least:.10g} .. {self.most:.10g}"

    def as_dict(self) -> dict[str, Any]:
        last = self.last if math.isfinite(self.last) else None
        told = {"min": self.least, "max": self.most, "last": last, "unit": self.unit}
        told |= {"not_numbers": self.not_numbers} if self.not_numbers else {}
        return told | ({"name": self.said} if self.said else {})


@dataclass
class Kind:
    """The frames of one identifier on one bus."""

    bus: str
    id: int
    extended: bool
    name: str = ""
    frames: int = 0
    first_ns: int = 0
    last_ns: int = 0
    shortest_ns: int | None = None  # between two of them
    longest_ns: int | None = None
    bytes: int = 0
    undecoded: int = 0  # too short for the database's message
    signals: dict[str, Signal] = field(default_factory=dict)

    def see(self, frame: CanFrame) -> None:
        if self.frames:
            gap = frame.ns - self.last_ns
            self.shortest_ns = min(gap, self.shortest_ns if self.shortest_ns is not None else gap)
            self.longest_ns = max(gap, self.longest_ns or 0)
        else:
            self.first_ns = frame.ns
        self.frames, self.last_ns = self.frames + 1, frame.ns
        self.bytes += len(frame.data)

    @property
    def number(self) -> str:
        return f"{self.id:08X}" if self.extended else f"{self.id:03X}"

    @property
    def mean_ns(self) -> float | None:
        """Between two of them."""
        return (self.last_ns - self.first_ns) / (self.frames - 1) if self.frames > 1 else None

    def as_dict(self) -> dict[str, Any]:
        us = {
            "period_mean_us": self.mean_ns,
            "period_min_us": self.shortest_ns,
            "period_max_us": self.longest_ns,
        }
        return {
            "bus": self.bus,
            "id": self.number,
            "name": self.name,
            "frames": self.frames,
            "bytes": self.bytes,
            **{key: None if ns is None else round(ns / 1000, 3) for key, ns in us.items()},
            "undecoded": self.undecoded,
            "signals": {name: signal.as_dict() for name, signal in self.signals.items()},
        }


def database(path: Path) -> Database:
    """A DBC file, or another that cantools reads."""
    import cantools

    try:
        return cantools.database.load_file(str(path))
    except OSError as error:
        raise UserError(f"cannot read it: {error.strerror}", shown(path)) from None
    except Exception as error:  # cantools has no one class for what it cannot read
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"not a CAN database: {what}", shown(path), "give a .dbc file") from None


def _decode(kind: Kind, message: Any, frame: CanFrame) -> None:
    try:
        values = message.decode(frame.data, decode_choices=False)
        said = message.decode(frame.data, decode_choices=True)
    except Exception:  # shorter than its signals, or a multiplexer that the database lacks
        kind.undecoded += 1
        return
    for signal in message.signals:
        if signal.name not in values:
            continue
        value = values[signal.name]
        if signal.name not in kind.signals:
            kind.signals[signal.name] = Signal(signal.unit or "")
        kind.signals[signal.name].see(value, getattr(said[signal.name], "name", ""))


def summary(frames: Iterable[CanFrame], known: Database | None, bus: str | None) -> list[Kind]:
    """By bus and identifier, in their order."""
    messages = {(m.frame_id, bool(m.is_extended_frame)): m for m in known.messages} if known else {}
    kinds: dict[tuple[str, int, bool], Kind] = {}
    for frame in frames:
        if bus is not None and frame.bus != bus:
            continue
        key = frame.bus, frame.id, frame.extended
        message = messages.get(key[1:])
        if key not in kinds:
            kinds[key] = Kind(*key, message.name if message else "")
        kinds[key].see(frame)
        if message and not frame.remote:
            _decode(kinds[key], message, frame)
    return [kinds[key] for key in sorted(kinds)]


def kinds_of(log: Path, dbc: Path | None = None, bus: str | None = None) -> list[Kind]:
    """What a log holds; refuses one that has nothing."""
    known = database(dbc) if dbc else None
    found = summary(candump.read(log), known, bus)
    if not found:
        what = f"no frames of {bus}" if bus else "no frames"
        raise UserError(what, shown(log), "look at the names of its buses" if bus else "")
    return found


def table(kinds: list[Kind]) -> Table:
    from rich.table import Table

    shown_ = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("bus", "id", "message", "signal"):
        shown_.add_column(column)
    for column in ("frames", "period us", "min .. max", "last"):
        shown_.add_column(column, justify="right")
    for kind in kinds:
        period = _span(kind.shortest_ns, kind.longest_ns)
        mean = "" if kind.mean_ns is None else f"{kind.mean_ns / 1000:.6g}"
        shown_.add_row(kind.bus, kind.number, kind.name, "", str(kind.frames), mean, period, "")
        for name, signal in kind.signals.items():
            last = " ".join(filter(None, (f"{signal.last:.10g}", signal.unit, signal.said)))
            shown_.add_row("", "", "", name, "", "", signal.span, last)
            if signal.not_numbers:
                shown_.add_row("", "", "", f"  no number in {signal.not_numbers} frames")
        if kind.undecoded:
            shown_.add_row("", "", "", f"{kind.undecoded} frames too short for it")
    return shown_


def _span(shortest: int | None, longest: int | None) -> str:
    if shortest is None or longest is None:
        return ""
    return f"{shortest / 1000:g} .. {longest / 1000:g}"
