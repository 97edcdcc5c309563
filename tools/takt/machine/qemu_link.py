"""A QEMU process and the two ways in: gdbstub (run, stop, registers) and qtest (memory, devices).

Both are unix sockets in a folder of the process's own. qtest is QEMU's interface for tests of its
devices; beside a running CPU it reads and writes what the CPU would see, devices included, without
the CPU taking part.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from takt import packages
from takt.errors import UserError
from takt.machine import host_cpus

PACKAGES = {"qemu-system-x86_64": "qemu-system-x86"}  # where they are not called like it
START_S = 20.0  # real time QEMU may take to start or to answer a question
PIPE_BYTES = 1 << 20
# Left alone, QEMU would run for ever.
KILLED_WITH_US = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
STARTED = itertools.count(os.getpid())


def _on_one_cpu() -> list[str]:
    """Its threads only wait for one another, which takes longer from CPU to CPU. One after another,
    so that two at a time seldom share one."""
    places = host_cpus.places()
    return places[next(STARTED) % len(places)]


class QemuError(Exception):
    """QEMU ended or answered with an error."""


class Qemu:
    """One process, stopped at its CPU's first instruction."""

    def __init__(self, program: str, arguments: list[str], serial: int) -> None:
        """program: QEMU's, whose Debian package PACKAGES knows; serial: how many serial ports get a
        file for output and a pipe for input."""
        if shutil.which(program) is None:
            raise UserError(
                f"{program} is not installed: this board runs in QEMU",
                fix=packages.command(PACKAGES.get(program, program)),
            )
        self._folder = tempfile.TemporaryDirectory(prefix="takt-qemu-")
        folder = Path(self._folder.name)
        self.log = folder / "log"  # what the guest asked of devices that QEMU does not have
        self.inputs: list[int] = []  # pipes of the serial ports, to QEMU and from it
        self.outputs: list[int] = []
        listening = {name: _listen(folder / name) for name in ("gdb", "qtest")}
        ports = []
        for n in range(serial):
            path = folder / f"serial{n}"
            self.inputs.append(_pipe(path.with_suffix(".in")))
            self.outputs.append(_pipe(path.with_suffix(".out")))
            ports += ["-chardev", f"pipe,id=serial{n},path={path}", "-serial", f"chardev:serial{n}"]
        command = [
            *KILLED_WITH_US,
            *_on_one_cpu(),
            program,
            "-nodefaults",
            "-display",
            "none",
            "-monitor",
            "none",
            "-S",
            *arguments,
        ]
        command += ["-d", "guest_errors,unimp", "-D", str(self.log)]
        command += [*ports, "-chardev", f"socket,id=gdb,path={folder / 'gdb'}"]
        command += ["-gdb", "chardev:gdb", "-qtest", f"unix:{folder / 'qtest'}"]
        command += ["-qtest-log", "/dev/null"]
        self._errors = folder / "errors"
        with open(self._errors, "w") as said:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, process_group=0
            )
        links = {name: self._accept(socket) for name, socket in listening.items()}
        self.gdb, self.qtest = Gdb(links["gdb"], self), Qtest(links["qtest"], self)

    def _accept(self, listening: socket.socket) -> socket.socket:
        """QEMU is the one who connects, so there is nothing to wait for by trial."""
        listening.settimeout(START_S)
        try:
            link, _ = listening.accept()
        except TimeoutError as error:
            raise self.failure("it did not start") from error
        listening.close()
        return link

    def failure(self, what: str) -> QemuError:
        """An error with what QEMU said last."""
        said = self._errors.read_text().strip().splitlines()
        return QemuError(": ".join(["QEMU", what, *said[:3]]))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in [*self.inputs, *self.outputs]:
            os.close(pipe)
        self.gdb.link.close()
        self.qtest.link.close()
        self._folder.cleanup()


def _pipe(path: Path) -> int:
    """As large as may be, so that a UART does not wait for us while the CPU runs."""
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return pipe


def _listen(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen(1)
    return listening


class _Link:
    """A socket to QEMU, read to a mark."""

    def __init__(self, link: socket.socket, qemu: Qemu) -> None:
        self.link, self.qemu = link, qemu
        self.link.settimeout(START_S)
        self._held = b""

    def _send(self, data: bytes) -> None:
        try:
            self.link.sendall(data)
        except OSError as error:
            raise self.qemu.failure("ended") from error

    def _more(self) -> None:
        try:
            data = self.link.recv(1 << 16)
        except TimeoutError as error:
            raise self.qemu.failure("does not answer") from error
        except OSError as error:
            raise self.qemu.failure("ended") from error
        if not data:
            raise self.qemu.failure("ended")
        self._held += data


class Gdb(_Link):
    """GDB's remote protocol."""

    def __init__(self, link: socket.socket, qemu: Qemu) -> None:
        super().__init__(link, qemu)
        self._orders: list[str] = []
        self.ask("QStartNoAckMode")
        self.link.sendall(b"+")
        self.order("Qqemu.sstep=3")  # a step takes time like any instruction, and no interrupt
        self.ask("qXfer:features:read:target.xml:0,ffb")  # else it tells no single register

    def send(self, *texts: str) -> None:
        packets = (f"${text}#{sum(text.encode()) & 0xFF:02x}" for text in texts)
        self._send("".join(packets).encode())

    def receive(self) -> str:
        """The next packet; '+' before it, from the beginning of the talk, is skipped."""
        while b"#" not in self._held or len(self._held) < self._held.index(b"#") + 3:
            self._more()
        packet, _, rest = self._held.partition(b"#")
        self._held = rest[2:]
        return packet.partition(b"$")[2].decode()

    def ask(self, text: str) -> str:
        return self.ask_all(text)[0]

    def ask_all(self, *texts: str) -> list[str]:
        """Answers to several, which are sent at once, behind what was put off."""
        orders, self._orders = self._orders, []
        self.send(*orders, *texts)
        for order in orders:
            self._obeyed(order, self.receive())
        return [self.receive() for _ in texts]

    def order(self, text: str) -> None:
        self._obeyed(text, self.ask(text))

    def _obeyed(self, text: str, answer: str) -> None:
        if answer != "OK":
            raise QemuError(f"the gdbstub answered {answer or 'nothing'} to {text}")

    def resume(self, timeout_s: float) -> str:
        """Runs until the CPU stops; returns the stop packet, or "" when the time was up."""
        self.link.settimeout(timeout_s)
        try:
            return self.ask("c")
        except QemuError:
            if self.qemu.process.poll() is not None:
                raise
            self.link.settimeout(START_S)
            self.link.sendall(b"\x03")
            self.receive()
            return ""
        finally:
            self.link.settimeout(START_S)

    def register(self, number: int) -> int:
        return self.registers(number)[0]

    def registers(self, *numbers: int) -> list[int]:
        answers = self.ask_all(*(f"p{number:x}" for number in numbers))
        return [int.from_bytes(bytes.fromhex(answer), "little") for answer in answers]

    def register_of(self, thread: int, number: int) -> int:
        """From then on questions are about that thread."""
        self._orders.append(f"Hg{thread:x}")
        return self.register(number)

    def set_register(self, number: int, value: int, size: int) -> None:
        """Before the next question or step."""
        self._orders.append(f"P{number:x}={value.to_bytes(size, 'little').hex()}")


class Qtest(_Link):
    """QEMU's device tests: memory as the CPU sees it, lines into devices."""

    def __init__(self, link: socket.socket, qemu: Qemu) -> None:
        super().__init__(link, qemu)
        self._orders: list[str] = []

    def ask(self, text: str) -> str:
        return self.ask_all([text])[0]

    def ask_all(self, texts: list[str]) -> list[str]:
        """Answers to several, which are sent at once, behind what was put off."""
        orders, self._orders = self._orders, []
        self._send("".join(text + "\n" for text in (*orders, *texts)).encode())
        for order in orders:
            self._answer(order)
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> str:
        while b"\n" not in self._held:
            self._more()
        line, _, self._held = self._held.partition(b"\n")
        answer = line.decode()
        if not answer.startswith("OK"):
            raise QemuError(f"{text}: {answer}")
        return answer[2:].strip()

    def read(self, address: int, size: int) -> bytes:
        return bytes.fromhex(self.ask(f"read {address:#x} {size:#x}")[2:]) if size else b""

    def write(self, address: int, data: bytes) -> None:
        if data:
            self.ask(f"write {address:#x} {len(data):#x} 0x{data.hex()}")

    def word(self, address: int) -> int:
        return self.words([address])[0]

    def words(self, addresses: Iterable[int]) -> list[int]:
        """Several, in this order."""
        return [int(answer, 0) for answer in self.ask_all([f"readl {at:#x}" for at in addresses])]

    def set_word(self, address: int, value: int) -> None:
        self.set_words([(address, value)])

    def set_words(self, values: Iterable[tuple[int, int]]) -> None:
        """Several, in this order."""
        self.put_off(values)
        self.ask_all([])

    def put_off(self, values: Iterable[tuple[int, int]]) -> None:
        """Words to be set before the next question."""
        self._orders += [f"writel {at:#x} {value & 0xFFFFFFFF:#x}" for at, value in values]

    def drive(self, path: str, line: int, level: int) -> None:
        """An input line of a device."""
        self.ask(f"set_irq_in {path} unnamed-gpio-in {line} {level}")
