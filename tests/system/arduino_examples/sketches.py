"""Arduino's own examples: what surrounds each while it runs, and what must be seen of it then.

Every sketch of the categories is here, by category and name. `stimuli` are entries of a world;
`serial` and `serial1` are texts that must appear, `pins` are outputs that must have changed at
least so often, `high` those that must be high at the end, `pwm` frequencies at the end (Hz).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Seen:
    stimuli: tuple[str, ...] = ()
    serial: tuple[str, ...] = ()
    serial1: tuple[str, ...] = ()
    pins: dict[int, int] = field(default_factory=dict)
    high: tuple[int, ...] = ()
    pwm: dict[int, int] = field(default_factory=dict)
    seconds: float = 2


EXCLUDED = {
    "08.Strings/StringComparisonOperators": "reads A5; the pico has the analog inputs A0 to A3",
}


def volts(value: float, pin: str = "A0") -> str:
    return f'at = "0 s"\npin = "{pin}"\nvolts = "{value} V"'


def level(value: str, pin: int, at: str = "0 s") -> str:
    return f'at = "{at}"\npin = {pin}\nlevel = "{value}"'


def send(text: str, port: int = 0, at: str = "500 ms") -> str:
    return f'at = "{at}"\nsend = "{text}"\nport = {port}'


HALF = (volts(1.65),)  # half the reference: 512 of 1023
PRESS = (level("low", 2), level("high", 2, "200 ms"), level("low", 2, "700 ms"))

SKETCHES = {
    "01.Basics/AnalogReadSerial": Seen(HALF, ("512\n512\n",)),
    "01.Basics/BareMinimum": Seen(),
    "01.Basics/Blink": Seen(pins={25: 2}),
    "01.Basics/DigitalReadSerial": Seen((level("high", 2),), ("1\n1\n",)),
    "01.Basics/Fade": Seen(pwm={9: 490}),
    "01.Basics/ReadAnalogVoltage": Seen(HALF, ("2.50\n2.50\n",)),
    "02.Digital/BlinkWithoutDelay": Seen(pins={25: 1}),
    "02.Digital/Button": Seen((level("high", 2),), high=(13,)),
    "02.Digital/Debounce": Seen(PRESS, pins={13: 2}),
    "02.Digital/DigitalInputPullup": Seen(PRESS, ("1\n", "0\n"), pins={13: 2}),
    "02.Digital/StateChangeDetection": Seen(PRESS, ("on\nnumber of button pushes: 1\noff\n",)),
    "02.Digital/toneKeyboard": Seen((volts(3.3, "A1"),), pwm={8: 494}),
    "02.Digital/toneMelody": Seen(pwm={8: 262}),
    "02.Digital/toneMultiple": Seen(pwm={7: 494}, seconds=2.4),
    "02.Digital/tonePitchFollower": Seen(HALF, ("512\n",), pwm={9: 377}),
    "03.Analog/AnalogInOutSerial": Seen(HALF, ("sensor = 512\t output = 127\n",), pwm={9: 490}),
    "03.Analog/AnalogInput": Seen(HALF, pins={13: 3}),
    "03.Analog/AnalogWriteMega": Seen(pwm={2: 490, 3: 490}),
    "03.Analog/Calibration": Seen(HALF),
    "03.Analog/Fading": Seen(pwm={9: 490}),
    "03.Analog/Smoothing": Seen(HALF, ("51\n102\n153\n", "460\n512\n512\n")),
    "04.Communication/ASCIITable": Seen(
        serial=("ASCII Table ~ Character Map\n!, dec: 33, hex: 21, oct: 41, bin: 100001\n",
                "J, dec: 74, hex: 4A, oct: 112, bin: 1001010\n"),
    ),
    "04.Communication/Dimmer": Seen((send("d"),), pwm={9: 490}),
    "04.Communication/Graph": Seen(HALF, ("512\n512\n",)),
    "04.Communication/Midi": Seen(serial=("E", "!E")),
    "04.Communication/MultiSerial": Seen((send("up"), send("down", 1)), ("down",), ("up",)),
    "04.Communication/PhysicalPixel": Seen((send("HLH"),), pins={13: 3}, high=(13,)),
    "04.Communication/ReadASCIIString": Seen((send("5,220,70\\n"),), ("FA23B9\n",)),
    "04.Communication/SerialCallResponse": Seen((send("x", at="1 s"),), ("AAA",)),
    "04.Communication/SerialCallResponseASCII": Seen(
        (*HALF, send("x", at="1 s")), ("0,0,0\n", "512,0,0\n")
    ),
    "04.Communication/SerialEvent": Seen((send("hello\\n"),), ("hello\n",)),
    "04.Communication/SerialPassthrough": Seen((send("up"), send("down", 1)), ("down",), ("up",)),
    "04.Communication/VirtualColorMixer": Seen(
        (*HALF, volts(3.3, "A1")), ("512,1023,0\n512,1023,0\n",)
    ),
    "05.Control/Arrays": Seen(pins={2: 2, 7: 2}),
    "05.Control/ForLoopIteration": Seen(pins={2: 2, 7: 2}),
    "05.Control/IfStatementConditional": Seen(HALF, ("512\n",), high=(13,)),
    "05.Control/WhileStatementConditional": Seen((level("high", 2),), high=(13,)),
    "05.Control/switchCase": Seen(HALF, ("medium\n",)),
    "05.Control/switchCase2": Seen((send("c"),), high=(4,)),
    "08.Strings/CharacterAnalysis": Seen(
        (send("7"),), ("You sent me: '7'  ASCII Value: 55\n", "it's a numeric digit\n")
    ),
    "08.Strings/StringAdditionOperator": Seen(
        serial=("You added 123\nYou added 123456789\nYou added A\nYou added abc\n"
                "You added this string\nSensor value: 0\nmillis() value: ",)
    ),
    "08.Strings/StringAppendOperator": Seen(
        serial=("Sensor value for input A0: 0\n", "A long integer: 123456789\n")
    ),
    "08.Strings/StringCaseChanges": Seen(
        serial=("<html><head><body>\n<HTML><HEAD><BODY>\n</BODY></HTML>\n</body></html>\n",)
    ),
    "08.Strings/StringCharacters": Seen(
        serial=("Most significant digit of the sensor reading is: 4\n\nSensorReading= 456\n",)
    ),
    "08.Strings/StringConstructors": Seen(
        serial=("Hello String\na\nThis is a string\nThis is a string with more\n13\n0\n2d\n"
                "11111111\n", "\n5.698\n5.70\n")
    ),
    "08.Strings/StringIndexOf": Seen(
        serial=("The index of > in the string <HTML><HEAD><BODY> is 5\n",
                "<UL><LI>item<LI>item<LI>item</UL> is 28\n", "<p>Quod</p> is 33\n")
    ),
    "08.Strings/StringLength": Seen((send("hello"),), ("hello\n5\n",)),
    "08.Strings/StringLengthTrim": Seen(
        serial=("Hello!       <--- end of string. Length: 13\n"
                "Hello!<--- end of trimmed string. Length: 6\n",)
    ),
    "08.Strings/StringReplace": Seen(
        serial=("Modified string: </html></head></body>\n", "l33tspeak: b00kk33p3r\n")
    ),
    "08.Strings/StringStartsWithEndsWith": Seen(
        serial=("Server's using http version 1.1\nGot an OK from the server\n",
                "sensor = 0. This reading is divisible by ten\n")
    ),
    "08.Strings/StringSubstring": Seen(
        serial=("It's an html file\nIt's a text-based file\n",)
    ),
    "08.Strings/StringToInt": Seen((send("12x3\\n"),), ("Value:123\nString: 123\n",)),
}  # fmt: skip
