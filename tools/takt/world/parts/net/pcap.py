"""Files of frames as libpcap has them: read in both byte orders, with us or ns; written with ns."""

from __future__ import annotations

import struct
from pathlib import Path

MAGIC = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}  # ns of the fraction's unit
ETHERNET = 1
LONGEST = 65535
HEADER, RECORD = "IHHiIII", "IIII"
S = 1_000_000_000

Timed = tuple[int, bytes]  # ns, frame


class NotPcap(Exception):
    """Why a file is none."""


def read(path: Path) -> list[Timed]:
    """Frames by their times since the first one's second began."""
    data = path.read_bytes()
    if len(data) < 24:
        raise NotPcap("it is too short")
    order = next((o for o in "<>" if struct.unpack(f"{o}I", data[:4])[0] in MAGIC), None)
    if order is None:
        raise NotPcap("it is no pcap file (pcapng is another format: editcap -F pcap)")
    magic, _, _, _, _, _, link = struct.unpack(order + HEADER, data[:24])
    if link != ETHERNET:
        raise NotPcap(f"its frames are not Ethernet's, but of link type {link}")
    frames, at = [], 24
    while at < len(data):
        if at + 16 > len(data):
            raise NotPcap(f"it ends within a frame's header, at byte {at}")
        seconds, fraction, kept, size = struct.unpack(order + RECORD, data[at : at + 16])
        at += 16
        if at + kept > len(data) or kept != size:
            raise NotPcap(f"the frame at byte {at} is not whole")
        frames.append((seconds * S + fraction * MAGIC[magic], data[at : at + kept]))
        at += kept
    first = frames[0][0] // S * S if frames else 0
    return sorted((ns - first, frame) for ns, frame in frames)


def packed(frames: list[Timed]) -> bytes:
    """The file with frames in the order of their times."""
    whole = struct.pack("<" + HEADER, 0xA1B23C4D, 2, 4, 0, 0, LONGEST, ETHERNET)
    for ns, frame in sorted(frames, key=lambda one: one[0]):
        whole += struct.pack("<" + RECORD, ns // S, ns % S, len(frame), len(frame)) + frame
    return whole
