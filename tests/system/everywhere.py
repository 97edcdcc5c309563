"""On which boards the tests here run."""

from __future__ import annotations

OURS = ("pico", "stm32f051")  # on the virtual platform
QEMU = ("microbit", "lm3s6965evb", "mps2-an386")
ARMV6M = (*OURS, "microbit")
ARMV7M = ("lm3s6965evb", "mps2-an386")
BOARDS = (*OURS, *QEMU)
