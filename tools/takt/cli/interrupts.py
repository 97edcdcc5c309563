"""Ctrl-C as something to look at, where a half-done thing is worth showing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def noted() -> Iterator[Callable[[], bool]]:
    """Within it Ctrl-C is noted, and what is yielded says so; a second one ends the program as
    ever."""
    came = False

    def note(_number: int, _frame: object) -> None:
        nonlocal came
        came = True
        signal.signal(signal.SIGINT, before)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)
