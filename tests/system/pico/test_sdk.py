"""Handlers, locks, alarms and devices by the names of the pico's SDK, in sketches that tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledstrip import HZ, sketch
from takt import boards
from takt.machine.machines import machine_of
from telling import START, Inverts, machine, said

SHARED = """
int order, gone;
void last() { order = order * 10 + 1; }
void second() { order = order * 10 + 2; irq_remove_handler(PIO0_IRQ_1, second); }
void third() { order = order * 10 + 3; }
void ask() { irq_set_pending(PIO0_IRQ_1); delay(1); order *= 10; }
void setup() {
  Serial.begin(115200);
  irq_add_shared_handler(PIO0_IRQ_1, third, 0x80);
  irq_add_shared_handler(PIO0_IRQ_1, last, 0x40);
  irq_add_shared_handler(PIO0_IRQ_1, second, 0x80);
  Serial.print(irq_has_shared_handler(PIO0_IRQ_1));
  Serial.print(irq_is_enabled(PIO0_IRQ_1));
  irq_set_enabled(PIO0_IRQ_1, true);
  Serial.print(irq_is_enabled(PIO0_IRQ_1));
  Serial.print(' ');
  ask();
  irq_remove_handler(PIO0_IRQ_1, third);
  ask();
  irq_set_priority(PIO0_IRQ_1, 0x40);
  irq_set_enabled(PIO0_IRQ_1, false);
  irq_set_enabled(PIO0_IRQ_1, true);
  Serial.print(order);
  Serial.print(' ');
  Serial.println(irq_get_priority(PIO0_IRQ_1), HEX);
}
void loop() {}
"""


def test_handlers_that_share_an_interrupt(tmp_path: Path) -> None:
    """In their order, which a handler may leave; a priority stays."""
    assert said(machine(tmp_path / "shared", SHARED)) == "101 321010 40\r\n"


WRONG = {
    "irq_set_exclusive_handler(DMA_IRQ_0, f); irq_add_shared_handler(DMA_IRQ_0, g, 1);":
        "irq: the interrupt has a handler already",
    "irq_add_shared_handler(DMA_IRQ_0, f, 1); irq_set_exclusive_handler(DMA_IRQ_0, g);":
        "irq: the interrupt has a handler already",
    "irq_set_exclusive_handler(UART0_IRQ, f);": "irq: the interrupt is a driver's of Takt",
    "for (;;) irq_add_shared_handler(DMA_IRQ_1, f, 1);": "irq: too many handlers",
    "for (;;) dma_claim_unused_channel(true);": "DMA: no channel is left",
    "dma_channel_claim(3); dma_channel_claim(3);": "DMA: the channel is claimed already",
    "for (;;) spin_lock_claim_unused(true);": "no spin lock is left",
}  # fmt: skip


@pytest.mark.parametrize("deed", WRONG)
def test_what_cannot_be_ends_the_program(tmp_path: Path, deed: str) -> None:
    text = f"void f() {{}}\nvoid g() {{}}\nvoid setup() {{ {deed} }}\nvoid loop() {{}}\n"
    assert WRONG[deed] in said(machine(tmp_path / "wrong", text))


CLAIMS = """
void setup() {
  Serial.begin(115200);
  dma_claim_mask(5);
  for (int n = 0; n < 3; n++) Serial.print(dma_claim_unused_channel(true));
  dma_channel_unclaim(3);
  Serial.print(dma_channel_is_claimed(3));
  Serial.print(dma_claim_unused_channel(true));
  for (int n = 0; n < 5; n++) Serial.print(dma_claim_unused_timer(false));
  Serial.print(' ');
  int lock = spin_lock_claim_unused(true);
  Serial.print(spin_lock_get_num(spin_lock_instance(lock)) == (uint)lock);
  Serial.println(dma_get_timer_dreq(2));
}
void loop() {}
"""


def test_channels_timers_and_locks_are_given_once(tmp_path: Path) -> None:
    assert said(machine(tmp_path / "claims", CLAIMS)) == "134030123-1 161\r\n"


LOCKS = """
#include <pico/mutex.h>
auto_init_mutex(held);
recursive_mutex_t twice;
uint32_t owner = 99;
volatile int inside, most, waited, early, deep;
void setup() {
  Serial.begin(115200);
  recursive_mutex_init(&twice);
  mutex_enter_blocking(&held);  // before the first loop
  mutex_exit(&held);
}
void visit(int ms) {
  mutex_enter_blocking(&held);
  inside = inside + 1;
  if (inside > most) most = inside;
  delay(ms);  // it may wait while it holds it
  inside = inside - 1;
  mutex_exit(&held);
}
void loop(1, 1, 20) {
  static int n;
  if (n++ == 0) delay(2);
  uint32_t before = time_us_32();
  if (!mutex_try_enter(&held, &owner) && !mutex_enter_timeout_ms(&held, 1)) early = early + 1;
  visit(1);
  waited = time_us_32() - before;
  delay(6);
}
void loop(2, 1, 25) { visit(5); }
void loop(3, 1, 50) {
  recursive_mutex_enter_blocking(&twice);
  recursive_mutex_enter_blocking(&twice);
  deep = twice.depth;
  recursive_mutex_exit(&twice);
  recursive_mutex_exit(&twice);
  delay(90);
  Serial.print(most); Serial.print(deep); Serial.print(twice.depth);
  Serial.print(' '); Serial.print(waited / 1000);
  Serial.print(' '); Serial.print(owner);
  Serial.println(early > 0);
  delay(1000);
}
"""


def test_a_mutex_puts_loops_to_sleep(tmp_path: Path) -> None:
    """Held across delay() by one of two; the other finds it taken, by whom, waits, and gives up."""
    counts, waited, owner = said(machine(tmp_path / "locks", LOCKS), 0.2).split()
    assert counts == "120", "one inside; entered twice, left as often"
    assert 1 <= int(waited) <= 8
    assert owner == "11", "loop 2, by its place; and it had given up"


SECTION = """
#include <pico/critical_section.h>
critical_section_t section;
volatile int n;
void setup() {{ critical_section_init(&section); }}
void loop(1, 1, 10) {{ n = n + 1; }}
void loop(2, 1, 20) {{
  {enter};
  for (int k = 0; k < 400; k++) n = n + 1;
  {leave};
}}
"""
ENTERS = {
    "critical_section_enter_blocking(&section)": "critical_section_exit(&section)",
    "uint32_t before = save_and_disable_interrupts()": "restore_interrupts(before)",
    "uint32_t before = spin_lock_blocking(spin_lock_instance(3))":
        "spin_unlock(spin_lock_instance(3), before)",
}  # fmt: skip


@pytest.mark.parametrize("enter", ENTERS)
def test_sections_are_found_and_counted(tmp_path: Path, enter: str) -> None:
    """With no less than they take, and not with much more."""
    built, without = (
        sketch(tmp_path / name, START + SECTION.format(enter=a, leave=b))
        for name, a, b in (("with", enter, ENTERS[enter]), ("without", "", ""))
    )
    m = machine_of(boards.load("pico"))
    m.load_elf(built.elf)
    m.run(HZ // 100)
    m.log_masked()
    m.run(HZ // 10)
    taken = max(stretch.cycles for stretch in m.masked()) * 1e6 / HZ
    more = built.admission.bounds["loop 1"] - without.admission.bounds["loop 1"]
    assert taken > 25 and taken <= more < 3 * taken


ALARMS = """
#include <pico/time.h>
int64_t once(alarm_id_t, void *pin) { digitalWrite((int)pin, HIGH); return 0; }
int64_t again(alarm_id_t, void *) {
  static int n;
  digitalWrite(8, ++n & 1);
  return n < 4 ? -250 : 0;
}
void setup() {
  for (int pin = 6; pin < 10; pin++) pinMode(pin, OUTPUT);
  Serial.begin(115200);
  digitalWrite(9, HIGH);
  add_alarm_in_us(3000, once, (void *)6, false);
  add_alarm_in_us(1000, again, nullptr, false);
  alarm_id_t gone = add_alarm_in_ms(2, once, (void *)7, false);
  Serial.print(cancel_alarm(gone));
  Serial.print(cancel_alarm(gone));
  Serial.println(add_alarm_in_us(0, once, nullptr, false));
}
void loop() {}
"""


def test_alarms_ring_once_or_as_they_say(tmp_path: Path) -> None:
    m = machine(tmp_path / "alarms", ALARMS)
    for pin in (6, 7, 8, 9):
        m.log_pin(pin)
    assert said(m) == "100\r\n"
    edges = m.pin_edges()
    ((start, _, _),) = [edge for edge in edges if edge[1] == 9]
    after = {pin: [(c - start) * 1e6 / HZ for c, p, _ in edges if p == pin] for pin in (6, 7, 8)}
    assert after[7] == [] and after[6] == [pytest.approx(3000, abs=40)]
    assert after[8] == [pytest.approx(1000 + 250 * n, abs=40) for n in range(4)]


CALLBACK = """
volatile int rises, falls;
void told(uint gpio, uint32_t events) {
  if (gpio == 12 && (events & GPIO_IRQ_EDGE_RISE)) rises = rises + 1;
  if (gpio == 13 && (events & GPIO_IRQ_EDGE_FALL)) falls = falls + 1;
}
void setup() {
  Serial.begin(115200);
  gpio_init(12);
  gpio_init(13);
  gpio_set_irq_enabled_with_callback(12, GPIO_IRQ_EDGE_RISE, true, told);
  gpio_set_irq_enabled(13, GPIO_IRQ_EDGE_FALL, true);
  delay(20);
  gpio_set_irq_enabled(13, GPIO_IRQ_EDGE_FALL, false);
  delay(20);
  Serial.print(rises); Serial.print(' '); Serial.println(falls);
}
void loop() {}
"""


def test_interrupts_of_pins(tmp_path: Path) -> None:
    m = machine(tmp_path / "callback", CALLBACK)
    for pin, every in ((12, 2), (13, 3)):
        for n in range(30 // every):
            m.pin_drive(pin, n % 2, at=int((0.005 + n * every / 1000) * HZ))
    rises, falls = map(int, said(m).split())
    assert rises == 7, "levels 0, 1, 0, ... every 2 ms, of 15 changes"
    assert falls == 2, "of 13 at 11 and 17 ms; later ones were not wanted"


DEVICES = """
#include <hardware/adc.h>
#include <hardware/spi.h>
#include <hardware/uart.h>
const char text[] = "by itself";
uint16_t samples[8];
uint8_t got[4];
dma_channel_config config(int channel, enum dma_channel_transfer_size size, uint dreq, bool reads) {
  dma_channel_config c = dma_channel_get_default_config(channel);
  channel_config_set_transfer_data_size(&c, size);
  channel_config_set_dreq(&c, dreq);
  channel_config_set_read_increment(&c, reads);
  channel_config_set_write_increment(&c, !reads);
  return c;
}
void move(int n, enum dma_channel_transfer_size size, uint dreq, bool reads, volatile void *to,
          const volatile void *from, int count) {
  dma_channel_config c = config(n, size, dreq, reads);
  dma_channel_configure(n, &c, to, from, count, true);
}
void setup() {
  Serial.begin(115200);
  dma_claim_mask(15);
  gpio_set_function(4, GPIO_FUNC_UART);
  Serial.print(uart_init(uart1, 50000)); Serial.print(' ');
  move(0, DMA_SIZE_8, uart_get_dreq_num(uart1, true), true, &uart_get_hw(uart1)->dr, text, 9);
  adc_init();
  adc_gpio_init(26);
  adc_select_input(0);
  Serial.print(adc_read()); Serial.print(' ');
  adc_fifo_setup(true, true, 1, false, false);
  move(1, DMA_SIZE_16, DREQ_ADC, false, samples, &adc_hw->fifo, 8);
  adc_run(true);
  for (int pin : {16, 18, 19}) gpio_set_function(pin, GPIO_FUNC_SPI);
  gpio_init(17);
  gpio_set_dir(17, GPIO_OUT);
  Serial.print(spi_init(spi0, 900000)); Serial.print(' ');
  move(3, DMA_SIZE_8, spi_get_dreq(spi0, false), false, got, &spi_get_hw(spi0)->dr, 4);
  move(2, DMA_SIZE_8, spi_get_dreq(spi0, true), true, &spi_get_hw(spi0)->dr, text, 4);
  for (int n = 0; n < 4; n++) dma_channel_wait_for_finish_blocking(n);
  adc_run(false);
  uart_tx_wait_blocking(uart1);
  Serial.print(samples[7]);
  for (int byte : got) { Serial.print(' '); Serial.print(byte); }
  Serial.println();
}
void loop() {}
"""


def test_devices_of_the_program_s_own(tmp_path: Path) -> None:
    m = machine(tmp_path / "devices", DEVICES)
    device = Inverts()
    m.spi_device(0, 17, device)
    m.adc_set(0, 1.1)
    baud, once, rate, last, *got = map(int, said(m).split())
    assert abs(baud - 50_000) <= 50 and (once, last) == (4096 // 3, 4096 // 3)
    assert rate == HZ // 140, "the next even division that is not faster than 900 kHz"
    assert bytes(byte for _, byte in m.uart_take(1)) == b"by itself"
    assert device.seen == list(b"by i")
    assert got == [0x11, *(byte ^ 0xFF for byte in b"by ")]
    assert m.unimplemented() == []
