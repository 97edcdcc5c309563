"""What a run told: counters, nothing of single frames."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, field
from typing import Any

Seconds = dict[int, list[int]]  # by channel


@dataclass
class Channel:
    received: int
    lost: int
    repeated: int
    latest_us: int


@dataclass
class Told:
    """The guest by channel, the device by name."""

    channels: dict[int, Channel] = field(default_factory=dict)
    hogs: list[int] = field(default_factory=list)
    writers: dict[int, list[int]] = field(default_factory=dict)
    facts: dict[str, int] = field(default_factory=dict)  # what else the guest says
    device: dict[str, int] = field(default_factory=dict)
    bins: dict[int, int] = field(default_factory=dict)  # latency, all channels (guest.h)
    second: Seconds = field(default_factory=dict)  # frames by when they were read
    soon: Seconds = field(default_factory=dict)  # by when they were on the bus, if read soon
    sent: Seconds = field(default_factory=dict)  # by the device, on the bus

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        channels = {number: astuple(one) for number, one in self.channels.items()}
        return asdict(self) | {"channels": channels}

    @staticmethod
    def from_dict(raw: dict[str, Any]) -> Told:
        """What as_dict() gave, without what is empty if so wanted."""
        told = Told(**raw)
        for name in ("channels", "writers", "bins", "second", "soon", "sent"):
            setattr(told, name, {int(key): one for key, one in getattr(told, name).items()})
        told.channels = {at: Channel(*one) for at, one in told.channels.items()}
        return told
