"""Arduino's own examples for libraries: what is wired to the pico, and what must come of it.

`world` is a world file; `serial` are texts that must appear; `parts` are lines of the parts'
summaries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pytest import approx


@dataclass(frozen=True)
class Wired:
    world: str = ""
    serial: tuple[str, ...] = ()
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 2


NO_TARGET = "Takt's Wire has no target"
EXCLUDED = {"Wire/slave_receiver": NO_TARGET, "Wire/slave_sender": NO_TARGET}


def target(address: int, answer: str = "") -> str:
    return f'[parts.other]\ntype = "i2c-target"\naddress = {address}\nanswer = "{answer}"\n'


SKETCHES = {
    "Wire/i2c_scanner": Wired(
        target(0x2A), ("Scanning...\nI2C device found at address 0x2A  !\ndone\n",)
    ),
    "Wire/master_reader": Wired(target(8, "hello "), ("hello hello hello ",)),
    "Wire/master_writer": Wired(
        target(8), parts={"other": {"last_messages": [f"x is {chr(n)}" for n in range(4)]}}
    ),
    "Wire/SFRRanger_reader": Wired(
        target(112, r"\u0001\u0002"),
        ("258\n258\n",),
        {"other": {"last_messages": ["\0P", "\2"] * 7, "bytes_read": 14}},
    ),
    "Wire/digital_potentiometer": Wired(
        '[parts.pot]\ntype = "ad5171"\naddress = 0x2C\n',
        parts={"pot": {"sets": 4, "positions": [0, 32], "last_position": 3}},
    ),
    "SPI/DigitalPotControl": Wired(
        '[parts.pot]\ntype = "ad5206"\nselect = 10\n',
        parts={"pot": {"wrong_transfers": 0, "sets": 9, "last": [8, 128, 128, 128, 128, 128]}},
    ),
    "SPI/BarometricPressureSensor": Wired(
        '[[stimuli]]\nat = "0 s"\npin = 6\nlevel = "high"\n',
        ("Temp[C]=25.60", "\tPressure [Pa]=25344\n"),
    ),
    "Servo/p05_ServoMoodIndicator": Wired(
        '[parts.servo]\ntype = "servo"\npin = 9\n'
        '[[stimuli]]\nat = "0 s"\npin = "A0"\nvolts = "1.65 V"\n',
        ("potVal: 512, angle: 89\n",),
        {"servo": {"ignored_pulses": 0, "last_deg": approx(88.9, abs=0.15)}},
    ),
    "Servo/p12_KnockLock": Wired(
        '[parts.servo]\ntype = "servo"\npin = 9\n', ("the box is unlocked!\n",)
    ),
}
