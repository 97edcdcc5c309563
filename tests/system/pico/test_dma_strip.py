"""A strip of WS2812s fed by PIO and DMA, beside a loop with a budget: what is on the wire, what the
lamps show, and what the loop gets. By the names of the pico's SDK."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from pathlib import Path
from typing import Any

import pytest
from ledstrip import HZ, decoded, sketch, wire_of
from takt import boards
from takt.build.build import Build
from takt.cli import run
from takt.errors import UserError
from takt.machine.machines import machine_of
from takt.world import world

PICO = boards.load("pico")
LAMPS, FRAMES, STRIP, WORK = 10, 40, 6, 8
C_MS, T_MS = 3, 10
COST_US, APART_US = 10, 200  # of a handler, board.toml

# A frame every 5 ms: each lamp's three bytes are one word, of which the lowest is not sent.
SKETCH = """
#include <Takt.h>
#include <hardware/dma.h>
#include <hardware/pio.h>
#include <pico/sem.h>

const uint16_t code[] = {  // 20 MHz: 25 cycles a bit
  0x6021,  // out x, 1          low
  0xe701,  // set pins, 1 [7]   high
  0xa701,  // mov pins, x [7]   the bit
  0xe700,  // set pins, 0 [7]   low
};
const pio_program_t program = {code, 4, -1, 0};
const int lamps = LAMPS;
uint32_t frame[lamps];
int channel, ends;
semaphore_t sent;

void tell() {
  if (!dma_channel_get_irq0_status(channel)) return;
  dma_channel_acknowledge_irq0(channel);
  ends++;
  sem_release(&sent);
}

void start(uint pin) {
  PIO block;
  uint machine, offset;
  if (!pio_claim_free_sm_and_add_program(&program, &block, &machine, &offset)) panic("no room");
  pio_gpio_init(block, pin);
  pio_sm_set_consecutive_pindirs(block, machine, pin, 1, true);
  pio_sm_config c = pio_get_default_sm_config();
  sm_config_set_wrap(&c, offset, offset + 3);
  sm_config_set_out_pins(&c, pin, 1);
  sm_config_set_set_pins(&c, pin, 1);
  sm_config_set_out_shift(&c, false, true, 24);
  sm_config_set_fifo_join(&c, PIO_FIFO_JOIN_TX);
  sm_config_set_clkdiv(&c, clock_get_hz(clk_sys) / 20e6f);
  pio_sm_init(block, machine, offset, &c);
  pio_sm_set_enabled(block, machine, true);

  channel = dma_claim_unused_channel(true);
  dma_channel_config d = dma_channel_get_default_config(channel);
  channel_config_set_dreq(&d, pio_get_dreq(block, machine, true));
  dma_channel_configure(channel, &d, &block->txf[machine], frame, lamps, false);
  dma_channel_set_irq0_enabled(channel, true);
  irq_set_exclusive_handler(DMA_IRQ_0, tell);
  irq_set_enabled(DMA_IRQ_0, true);
}

void setup() {
  pinMode(WORK, OUTPUT);
  Serial.begin(115200);
  sem_init(&sent, 0, 1);
  start(STRIP);
}

void loop(1, C_MS, T_MS) {  // never waits
  static bool level;
  digitalWrite(WORK, level = !level);
}

void loop(2, 1, 20) {
  static int n;
  if (n == FRAMES) {
    Serial.println(ends);
    delay(1000);
  }
  for (int lamp = 0; lamp < lamps; lamp++)
    frame[lamp] = (uint32_t)(uint8_t)(n + lamp) << 24 | (uint32_t)(n * 3) << 16 | lamp << 8;
  n++;
  dma_channel_transfer_from_buffer_now(channel, frame, lamps);
  sem_acquire_blocking(&sent);
  delay(5);
}
"""
WORLD = f"""[parts.strip]
type = "neopixel"
pin = {STRIP}
count = {LAMPS}
"""


def text_of(text: str = SKETCH) -> str:
    for name in ("LAMPS", "FRAMES", "STRIP", "WORK", "C_MS", "T_MS"):
        text = re.sub(rf"\b{name}\b", str(globals()[name]), text)
    return text


def frame(n: int) -> bytes:
    """On the wire: green, red, blue."""
    return bytes(part for lamp in range(LAMPS) for part in ((n + lamp) & 255, n * 3, lamp))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    folder = tmp_path_factory.mktemp("dma") / "lamps"
    done = sketch(folder, text_of())
    (folder / "world.toml").write_text(WORLD)
    return done


def test_every_bit_is_on_the_wire(built: Build) -> None:
    edges, machine = wire_of(built, STRIP, 0.3)
    assert decoded(edges) == [frame(n) for n in range(FRAMES)]
    assert machine.unimplemented() == []
    said = bytes(byte for _, byte in machine.uart_take(0)).decode().split()
    assert said == [str(FRAMES)], "the handler was called once a frame"


def test_no_frame_has_a_gap(built: Build) -> None:
    """From a fall to the next rise 9 or 17 of the machine's cycles, of 6.25 of the CPU's each."""
    edges, _ = wire_of(built, STRIP, 0.3)
    lows = [b[0] - a[0] for a, b in itertools.pairwise(edges) if not a[1]]
    inside = [low for low in lows if low < 50 * HZ // 1_000_000]
    assert len(lows) - len(inside) == FRAMES - 1
    assert set(inside) <= {int(6.25 * k) + more for k in (9, 17) for more in (0, 1)}


def told(built: Build, seconds: float) -> dict[str, Any]:
    return run.run(built, world.load(built.sketch.folder, PICO), seconds).as_dict()


def test_the_lamps_show_it_and_the_loops_get_their_budgets(built: Build) -> None:
    found = told(built, 0.3)
    strip = found["world"]["strip"]
    assert strip["frames"] == FRAMES
    assert (strip["malformed_bits"], strip["frames_cut_short"]) == (0, 0)
    last = frame(FRAMES - 1)
    grb = [last[3 * k : 3 * k + 3] for k in range(LAMPS)]
    assert strip["colours"] == [bytes((r, g, b)).hex() for g, r, b in grb]
    threads = {thread["name"]: thread for thread in found["threads"]}
    assert [thread["misses"] for thread in threads.values()] == [0, 0]
    assert [thread["short"] for thread in threads.values()] == [0, 0]


def least_work_us(edges: list[tuple[int, int]]) -> float:
    """The least that was worked in any T that begins with an edge; each edge is the work of the
    shortest step there is."""
    times = [cycle for cycle, _ in edges]
    step = min(b - a for a, b in itertools.pairwise(times))
    period = T_MS * HZ // 1000
    whole = [k for k, at in enumerate(times) if at + period <= times[-1]]
    return min(bisect_left(times, times[k] + period) - k for k in whole) * step * 1e6 / HZ


def test_the_loop_beside_it_works_as_much_as_it_may(built: Build) -> None:
    edges, _ = wire_of(built, WORK, 0.3)
    assert least_work_us(edges) >= 0.99 * C_MS * 1000 - 5


def handled(built: Build, vector: int, seconds: float) -> list[tuple[int, int]]:
    """(cycle, cycles taken) of each time an interrupt is handled."""
    machine = machine_of(PICO)
    machine.load_elf(built.elf)
    machine.run(HZ // 100)  # the program is in RAM by then
    table = machine.symbol("takt_vectors")
    machine.break_at(machine.word(table + 4 * (16 + vector)) & ~1)
    found = []
    while machine.run(int(seconds * HZ)).reason == "break":
        start = machine.now - 16  # the exception's entry
        while machine.register(16) & 63 == 16 + vector:
            machine.step()
        found.append((start, machine.now - start))
    return found


def test_handlers_are_counted_in_the_proof(built: Build) -> None:
    line = f"handlers of the pico's SDK: {COST_US} us at most every 0.{APART_US // 100} ms; "
    (counted,) = [one for one in built.assumed if one.startswith(line)]
    assert "not covered by the proof" in counted
    runs = handled(built, 11, 0.2)
    assert len(runs) > 20
    assert max(cycles for _, cycles in runs) * 1e6 / HZ <= COST_US
    assert min(b[0] - a[0] for a, b in itertools.pairwise(runs)) * 1e6 / HZ > APART_US


def test_a_program_without_handlers_counts_none(tmp_path: Path) -> None:
    text = "#include <Takt.h>\n#include <hardware/dma.h>\nvoid setup() {{ {} }}\n"
    loop = "void loop(1, {}, 10) {{}}\n"
    with_handler = "irq_set_enabled(DMA_IRQ_0, true);"
    assert sketch(tmp_path / "none", text.format("") + loop.format("9.6_ms")).admission.admitted
    with pytest.raises(UserError, match=r"within 10\.\d+ ms but its deadline is 10 ms"):
        sketch(tmp_path / "some", text.format(with_handler) + loop.format("9.6_ms"))
