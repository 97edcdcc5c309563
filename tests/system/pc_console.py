"""A PC in QEMU that is not stepped: it runs on until it has said something."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Sequence

SECONDS = 120  # far more than it takes; nothing is measured


def said_by(*arguments: str, end: str | Sequence[str]) -> str:
    """What a PC started with these options of QEMU sends on COM1 until it has sent `end`, or all of
    these in any order."""
    ends = [end] if isinstance(end, str) else end
    command = ["qemu-system-x86_64", "-M", "q35", "-m", "128", "-smp", "2", *arguments]
    command += ["-display", "none", "-serial", "stdio", "-monitor", "none", "-no-reboot"]
    deadline, text = time.monotonic() + SECONDS, ""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as pc:
        try:
            while not all(one in text for one in ends) and time.monotonic() < deadline:
                if select.select([pc.stdout], [], [], 1)[0]:
                    data = os.read(pc.stdout.fileno(), 4096)
                    if not data:
                        break
                    text += data.decode("latin-1")
        finally:
            pc.kill()
    return text
