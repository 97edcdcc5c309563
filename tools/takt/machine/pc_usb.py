"""USB of the board pc in QEMU: its host controller, and devices of ours on it in lock-step.

Each device is at the other end of a socket (usb_server.py). QEMU reads that only while it runs, at
some moment of real time; so where run() has stopped, QEMU is let run with all its CPUs still at the
breakpoint, as often as it has to for what there is to read (pc.py). What the program asks
of a device is seen at once where it stops at doorbells, else at the next stop: after SLICE_NS at
the latest. What a device does by itself is done at its time, to GRAIN_NS.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.can.usb_server import UsbServer, listen
from takt.errors import UserError

if TYPE_CHECKING:
    import socket

    from takt.can.usb_device import UsbDevice

CONTROLLERS = ("qemu-xhci", "nec-usb-xhci")
PORTS = 4  # of either, for devices of the speeds there are here
SLICE_NS, GRAIN_NS = 250_000, 125_000
TOLD_NS = 5_000_000  # the same as SLICE_NS, where the program stops at doorbells
READ_BYTES = 4096  # that QEMU reads at least, whenever it runs
ACCEPT_S = 20.0  # real time QEMU may take to start
REFUSED, REFUSED_LINES, REFUSED_BYTES = "usb_refused", 8, 128  # drivers/usb/host.h


@dataclass
class Plugged:
    """A device of ours, or one of QEMU's by its name there."""

    port: str
    device: UsbDevice | str


class UsbBus:
    """What is plugged into the PC. From plug() on it is there in every life of the machine."""

    def __init__(self) -> None:
        self.controller = CONTROLLERS[0]
        self._plugged: list[Plugged] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._listening: list[socket.socket] = []
        self.servers: list[UsbServer] = []
        self.told = False  # the program stops at doorbells

    def plug(self, device: UsbDevice | str, port: str) -> None:
        """Before the program is loaded. port: "2", or "1.3" behind a hub in port 1."""
        if any(other.port == port for other in self._plugged):
            raise UserError(f"two USB devices in port {port}", fix="plug one of them elsewhere")
        self._plugged.append(Plugged(port, device))

    def arguments(self, used: bool) -> list[str]:
        """QEMU's; the sockets are there from now on. used: by the program. A BIOS that finds a
        controller waits 100 ms for devices, computing, unless it is told to wait 0."""
        self.close()
        if not used and not self._plugged:
            return []
        self._folder = tempfile.TemporaryDirectory(prefix="takt-usb-")
        at_once = Path(self._folder.name, "wait")
        at_once.write_bytes(bytes(8))
        found = ["-fw_cfg", f"name=etc/usb-time-sigatt,file={at_once}"]
        found += ["-device", f"{self.controller},id=usb,p2={PORTS},p3={PORTS}"]
        for number, one in enumerate(self._plugged):
            kind = one.device if isinstance(one.device, str) else f"usb-redir,chardev=usb{number}"
            found += ["-device", f"{kind},bus=usb.0,port={one.port}"]
            if not isinstance(one.device, str):
                path = Path(self._folder.name, str(number))
                self._listening.append(listen(path))
                found += ["-chardev", f"socket,id=usb{number},path={path}"]
        return found

    def accept(self) -> None:
        """QEMU has been started."""
        devices = [one.device for one in self._plugged if not isinstance(one.device, str)]
        for listening, device in zip(self._listening, devices, strict=True):
            listening.settimeout(ACCEPT_S)
            link, _ = listening.accept()
            self.servers.append(UsbServer(device, link))

    def close(self) -> None:
        """Ends the life."""
        for server in self.servers:
            server.link.close()
        for listening in self._listening:
            listening.close()
        self.servers, self._listening = [], []
        if self._folder:
            self._folder.cleanup()
            self._folder = None

    def serve(self, now: int) -> int:
        """All there is to do now; how many parts there are for QEMU to read."""
        for server in self.servers:
            server.serve(now)
        return self.unread()

    def unread(self) -> int:
        """QEMU reads as much at a time, of each device."""
        return max((-(-server.unread() // READ_BYTES) for server in self.servers), default=0)

    def stop_before(self, now: int, end: int) -> int:
        """When the machine must stop, at the latest."""
        if not self.servers:
            return end
        due = min(server.next for server in self.servers)
        due = max(-(-due // GRAIN_NS) * GRAIN_NS, now + GRAIN_NS)
        return min(end, now + (TOLD_NS if self.told else SLICE_NS), due)


def refused(machine: Any) -> list[str]:
    """What the program could not serve of what is plugged in, each with the reason."""
    symbol = machine.has_symbol(REFUSED) and machine.symbol(REFUSED)
    lines: list[str] = []
    while symbol and len(lines) < REFUSED_LINES:
        raw = machine.read(symbol + REFUSED_BYTES * len(lines), REFUSED_BYTES)
        line = raw.split(b"\0")[0].decode("ascii", "replace")
        if not line:
            break
        lines.append(f"USB: {line}")
    return lines
