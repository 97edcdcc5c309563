"""What hosts answer besides given texts: addresses (DHCP, RFC 2131), names (DNS, RFC 1035)."""

from __future__ import annotations

from collections.abc import Mapping

DHCP_SERVER, DHCP_CLIENT, DNS = 67, 68, 53
DISCOVER, OFFER, REQUEST, ACK, NAK = 1, 2, 3, 5, 6
COOKIE = b"\x63\x82\x53\x63"
NETMASK, ROUTER, NAMES, ASKED, LEASE, KIND, SERVER, END = 1, 3, 6, 50, 51, 53, 54, 255
LEASE_S = 86400
A, IN, NO_SUCH_NAME = 1, 1, 3


def _options(raw: bytes) -> dict[int, bytes]:
    found, at = {}, 0
    while at + 1 < len(raw) and raw[at] != END:
        if raw[at] == 0:
            at += 1
            continue
        size = raw[at + 1]
        found[raw[at]] = raw[at + 2 : at + 2 + size]
        at += 2 + size
    return found


def dhcp(question: bytes, server: bytes, gives: bytes, mask: bytes) -> bytes | None:
    """The answer of a server that has one address to give, and is router and name server."""
    if len(question) < 240 or question[0] != 1 or question[236:240] != COOKIE:
        return None
    options = _options(question[240:])
    kind = options.get(KIND, b"\0")[0]
    if kind not in (DISCOVER, REQUEST) or options.get(SERVER, server) != server:
        return None
    wanted = options.get(ASKED) or question[12:16]
    answer = OFFER if kind == DISCOVER else ACK if wanted == gives else NAK
    head = bytes([2, 1, 6, 0]) + question[4:8] + bytes(4) + question[12:16]
    head += (bytes(4) if answer == NAK else gives) + server + bytes(4) + question[28:44]
    told = {KIND: bytes([answer]), SERVER: server}
    if answer != NAK:
        told |= {LEASE: LEASE_S.to_bytes(4, "big"), NETMASK: mask, ROUTER: server, NAMES: server}
    packed = b"".join(bytes([code, len(value)]) + value for code, value in told.items())
    return (head.ljust(236, b"\0") + COOKIE + packed + bytes([END])).ljust(300, b"\0")


def dns(question: bytes, names: Mapping[str, bytes]) -> bytes | None:
    """The answer to one question for the address of a name."""
    if len(question) < 12 or question[2] & 0x80 or question[4:6] != b"\0\1":
        return None
    labels, at = [], 12
    while at < len(question) and question[at]:
        labels.append(question[at + 1 : at + 1 + question[at]].decode("ascii", "replace"))
        at += 1 + question[at]
    asked = question[12 : at + 5]
    if len(asked) < 6:
        return None
    address = names.get(".".join(labels).lower())
    known = address is not None and asked[-4:] == bytes([0, A, 0, IN])
    flags = 0x8580 if known else 0x8580 | NO_SUCH_NAME
    head = question[:2] + flags.to_bytes(2, "big") + bytes([0, 1, 0, known, 0, 0, 0, 0])
    if not known or address is None:
        return head + asked
    record = b"\xc0\x0c" + bytes([0, A, 0, IN]) + (300).to_bytes(4, "big") + b"\0\4" + address
    return head + asked + record
