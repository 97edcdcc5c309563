"""A strip of WS2812B lamps: each takes its bits off a pulse train and passes the others on.

    bit 0   ‾‾|__________|‾    high 220 to 550 ns
    bit 1   ‾‾‾‾‾‾|______|‾    high 580 to 1000 ns; each low for 220 ns, and 650 to 1850 ns long
    reset   __________________ low: lamps show what they have taken

Limits are the widest of WorldSemi's data sheets. A pulse outside is a malformed bit: its length
still decides which, as it does in a lamp, which only measures whether it is longer than a border.
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Choice, Duration, Pin, Setting, Whole
from takt.world.pictures import Canvas, Dots, Picture, Rgb, Row

ZERO_NS, ONE_NS, BIT_NS = range(220, 551), range(580, 1001), range(650, 1851)
LEAST_LOW_NS = 220
BORDER_NS = 565
ORDERS = ("GRB", "RGB", "GRBW")
KEPT = 512  # frames whose colours are kept
ACROSS, SIDE, GAP = 32, 22, 4  # lamps in a row of the picture, pixels of each, and between
HISTORY = (640, 240)  # about as many pixels
GROUND: Rgb = (24, 24, 27)
DARK: Rgb = (48, 48, 54)
LAMP, UNLIT = "■", "·"
GAMMA = 2.2  # of screens
Colours = tuple[tuple[int, ...], ...]  # red, green, blue, and perhaps white of each lamp


class Neopixel(Part):
    """Takes colours of lamps as pulses, and shows them after a pause of `reset`. Quantity for other
    parts: `light`, the share of its most that it gives."""

    kind = "neopixel"
    quantities = ("light",)
    settings: ClassVar[dict[str, Setting]] = {
        "pin": Pin("the pin of its data wire", required=True),
        "count": Whole("lamps", default=8, least=1, most=1024),
        "order": Choice("order of the colours on the wire", default="GRB", options=ORDERS),
        "reset": Duration("pause that ends a frame; of older lamps 50 us", default=280_000),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin, self.order = values["pin"], values["order"]
        self.each = 8 * len(self.order)
        self.taken = bytearray()  # bits of the frame that is coming, one a byte
        self.rose: int | None = None
        self.fell: int | None = None
        self.shown: Colours = ((0,) * len(self.order),) * values["count"]
        self.frames: list[tuple[int, Colours]] = []  # cycle, colours: those that changed something
        self.count = self.malformed = self.beyond = self.cut = 0

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin)]

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if level:
            self._pause(cycle)
            self.rose = cycle
        elif self.rose is not None:
            self.fell = cycle

    def _pause(self, cycle: int) -> None:
        """The line has been low until a cycle, or is until the end of the run."""
        if self.rose is None or self.fell is None:
            return
        ns = self.bench.ns
        high, low = ns(self.fell - self.rose), ns(cycle - self.fell)
        ends = low >= self.values["reset"]
        long = ends or (low >= LEAST_LOW_NS and ns(cycle - self.rose) in BIT_NS)
        self.malformed += not (long and (high in ZERO_NS or high in ONE_NS))
        self.taken.append(high > BORDER_NS)
        if ends:
            self._show(self.fell + self.bench.cycles(self.values["reset"]))
        self.rose = self.fell = None

    def _show(self, cycle: int) -> None:
        """Lamps that have all their bits take them; the others stay as they are."""
        self.count += 1
        lamps, left = divmod(len(self.taken), self.each)
        self.cut += left != 0
        self.beyond += lamps > len(self.shown)
        came = tuple(self._colour(n) for n in range(min(lamps, len(self.shown))))
        colours = came + self.shown[len(came) :]
        if (colours != self.shown or not self.frames) and len(self.frames) < KEPT:
            self.frames.append((cycle, colours))
        self.shown = colours
        self.taken.clear()

    def _colour(self, lamp: int) -> tuple[int, ...]:
        start = lamp * self.each
        bits = "".join(map(str, self.taken[start : start + self.each]))
        came = dict(zip(self.order, int(bits, 2).to_bytes(len(self.order), "big"), strict=True))
        return tuple(came[part] for part in "RGBW"[: len(self.order)])

    def finish(self, cycle: int) -> None:
        self._settle(cycle)

    def _settle(self, cycle: int) -> None:
        """A pause that has lasted long enough ends the frame; a shorter one goes on."""
        if self.fell is not None and self.bench.ns(cycle - self.fell) >= self.values["reset"]:
            self._pause(cycle)

    def quantity(self, name: str, cycle: int) -> float:
        self._settle(cycle)
        most = 255 * len(self.order) * len(self.shown)
        return sum(map(sum, self.shown)) / most

    # Report.

    def _seen(self, colour: tuple[int, ...]) -> Rgb:
        """On a screen, which is not linear, as lamps are; white is light of all three."""
        white = colour[3] if len(colour) > 3 else 0
        shares = (min(1.0, (part + white) / 255) for part in colour[:3])
        red, green, blue = (round(255 * share ** (1 / GAMMA)) for share in shares)
        return red, green, blue

    def pictures(self) -> list[Picture]:
        caption = f"{len(self.shown)} lamps"
        hexes = [bytes(colour).hex() for colour in self.shown]
        now = Dots(caption, self._lamps(), self._rows(), contents={"colours": hexes})
        if len(self.frames) < 2:
            return [now]
        kept = f"the first {KEPT} frames" if len(self.frames) == KEPT else "frames"
        times = [f"{self.bench.ms(cycle):g}" for cycle, _ in (self.frames[0], self.frames[-1])]
        caption = f"{kept} that changed something, one below the other: {times[0]} to {times[1]} ms"
        frames = {"frames": [[self.bench.ms(cycle), self._hex(one)] for cycle, one in self.frames]}
        return [now, Dots(caption, self._history(), name="frames", contents=frames)]

    @staticmethod
    def _hex(colours: Colours) -> str:
        return " ".join(bytes(colour).hex() for colour in colours)

    def _lamps(self) -> Canvas:
        across = min(len(self.shown), ACROSS)
        down, step = -(-len(self.shown) // across), SIDE + GAP
        canvas = Canvas(across * step + GAP, down * step + GAP, GROUND)
        for n, colour in enumerate(self.shown):
            x, y = GAP + n % across * step, GAP + n // across * step
            canvas.fill(x, y, SIDE, SIDE, self._seen(colour) if any(colour) else DARK)
        return canvas

    def _history(self) -> Canvas:
        wide = max(1, min(SIDE, HISTORY[0] // len(self.shown)))
        high = max(1, min(SIDE, HISTORY[1] // len(self.frames)))
        canvas = Canvas(wide * len(self.shown), high * len(self.frames))
        for y, (_, colours) in enumerate(self.frames):
            for x, colour in enumerate(colours):
                canvas.fill(x * wide, y * high, wide, high, self._seen(colour))
        return canvas

    def _rows(self) -> list[Row]:
        cells = [
            (LAMP, f"#{bytes(self._seen(colour)).hex()}") if any(colour) else (UNLIT, "")
            for colour in self.shown
        ]
        spaced = [[(f"{text} ", colour)] for text, colour in cells]
        starts = range(0, len(spaced), ACROSS)
        return [[part for cell in spaced[at : at + ACROSS] for part in cell] for at in starts]

    def summary(self) -> dict[str, Any]:
        return {
            "frames": self.count,
            "colours": [bytes(colour).hex() for colour in self.shown],
            "malformed_bits": self.malformed,
            "frames_cut_short": self.cut,
            "frames_too_long": self.beyond,
        }
