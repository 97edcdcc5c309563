"""What programs by the pico's SDK expect to find: devices without a claim, waits of any length,
settings while a device is on, interrupts of PWM."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledstrip import HZ
from telling import Inverts, machine, said

UNCLAIMED = """
#include <hardware/pwm.h>
uint32_t from[4] = {1, 2, 3, 4}, to[4];
struct Early {
  uint32_t top;
  Early() {
    pwm_set_wrap(7, 1234);
    top = pwm_hw->slice[7].top;
  }
} early;
void setup() {
  Serial.begin(115200);
  gpio_set_function(2, GPIO_FUNC_PWM);
  gpio_set_function(3, GPIO_FUNC_PWM);
  uint slice = pwm_gpio_to_slice_num(2);
  pwm_set_wrap(slice, 3);
  pwm_set_chan_level(slice, PWM_CHAN_A, 1);
  pwm_set_chan_level(slice, PWM_CHAN_B, 3);
  pwm_set_enabled(slice, true);
  dma_channel_config c = dma_channel_get_default_config(0);
  channel_config_set_write_increment(&c, true);
  dma_channel_configure(0, &c, to, from, 4, true);
  dma_channel_wait_for_finish_blocking(0);
  Serial.print(to[3]); Serial.print(' '); Serial.println(early.top);
}
void loop() {}
"""


def test_pwm_and_dma_are_there_without_a_claim(tmp_path: Path) -> None:
    m = machine(tmp_path / "unclaimed", UNCLAIMED)
    assert said(m) == "4 1234\r\n"
    assert m.pin_pwm(2) == pytest.approx((HZ / 4, 0.25))
    assert m.pin_pwm(3) == pytest.approx((HZ / 4, 0.75))
    assert m.unimplemented() == []


WRAPS = """
#include <hardware/pwm.h>
volatile int wraps, others;
void wrapped() {
  if (pwm_get_irq_status_mask() != 1u << 3) others = others + 1;
  pwm_clear_irq(3);
  if ((pwm_hw->intr & 1u << 3) != 0) others = others + 1;
  wraps = wraps + 1;
}
void setup() {
  Serial.begin(115200);
  pwm_config c = pwm_get_default_config();
  pwm_config_set_clkdiv_int(&c, 125);
  pwm_config_set_wrap(&c, 999);
  irq_set_exclusive_handler(PWM_IRQ_WRAP, wrapped);
  irq_set_enabled(PWM_IRQ_WRAP, true);
  pwm_set_irq_enabled(3, true);
  pwm_init(4, &c, true);  // wraps, too, and interrupts nothing
  pwm_init(3, &c, true);
  delay(20);
  pwm_set_irq_enabled(3, false);
  Serial.print(wraps); Serial.print(' ');
  delay(20);
  Serial.print(wraps); Serial.print(' '); Serial.println(others);
}
void loop() {}
"""


def test_wraps_of_pwm_interrupt(tmp_path: Path) -> None:
    """Every millisecond, until they are no longer wanted."""
    first, second, others = map(int, said(machine(tmp_path / "wraps", WRAPS)).split())
    assert first in (19, 20, 21) and second == first and others == 0


LONG = """
#include <pico/mutex.h>
mutex_t m;
semaphore_t none;
recursive_mutex_t twice;
void tell(bool yes) { Serial.print(yes); }
void setup() {
  Serial.begin(115200);
  mutex_init(&m);
  recursive_mutex_init(&twice);
  sem_init(&none, 0, 1);
  tell(mutex_enter_block_until(&m, at_the_end_of_time));
  mutex_exit(&m);
  tell(mutex_enter_timeout_ms(&m, 2000000));
  tell(mutex_enter_timeout_us(&m, 0));
  tell(mutex_enter_block_until(&m, get_absolute_time()));
  mutex_exit(&m);
  tell(mutex_enter_block_until(&m, nil_time));
  mutex_exit(&m);
  tell(recursive_mutex_enter_timeout_ms(&twice, 0xFFFFFFFF));
  tell(sem_acquire_timeout_ms(&none, 0));
}
void loop(1, 1, 50) {
  static int n;
  if (n++ > 0) { delay(1000); return; }
  delay(20);
  uint32_t before = millis();
  bool taken = mutex_enter_timeout_ms(&m, 2000000);  // held by loop 2 for 100 ms
  Serial.print(' '); tell(taken && millis() - before >= 70);
  mutex_exit(&m);
  before = millis();
  taken = sem_acquire_timeout_ms(&none, 1200000);
  Serial.print(' '); tell(taken); Serial.print((millis() - before) / 1000);
}
void loop(2, 1, 50) {
  static int n;
  if (n++ == 0) { mutex_enter_blocking(&m); delay(100); mutex_exit(&m); }
  delay(100000);
}
"""


def test_waits_of_any_length(tmp_path: Path) -> None:
    """Of what is free, of what becomes so, and to their end: longer than the kernel's longest."""
    m = machine(tmp_path / "long", LONG)
    assert said(m, 0.5) == "1100110 1"
    assert said(m, 1201) == " 01200"


TWO_BUSES = """
#include <SPI.h>
#include <hardware/spi.h>
void tell(int n, uint8_t *got) {
  Serial.print(n);
  for (int k = 0; k < 2; k++) { Serial.print(' '); Serial.print(got[k]); }
  Serial.print(", ");
}
void move(spi_inst_t *spi, int chip_select) {
  uint8_t sent[4] = {1, 2, 3, 4}, got[4] = {0, 0, 0, 0};
  digitalWrite(chip_select, LOW);
  Serial.print(spi_write_blocking(spi, sent, 4));
  tell(spi_write_read_blocking(spi, sent, got, 2), got);
  digitalWrite(chip_select, HIGH);
}
void setup() {
  Serial.begin(115200);
  for (int pin : {17, 13}) { pinMode(pin, OUTPUT); digitalWrite(pin, HIGH); }
  SPI.begin();
  spi_init(spi1, 1000000);
  for (int pin : {10, 11, 12}) gpio_set_function(pin, GPIO_FUNC_SPI);
  move(spi0, 17);
  move(spi1, 13);
  spi_deinit(spi1);
  SPI1.begin();
  move(spi1, 13);
  Serial.println();
}
void loop() {}
"""


def test_a_bus_of_its_own_beside_the_library_s(tmp_path: Path) -> None:
    """Which is which is told by begin()."""
    m = machine(tmp_path / "buses", TWO_BUSES)
    devices = [Inverts(), Inverts()]
    m.spi_device(0, 17, devices[0])
    m.spi_device(1, 13, devices[1])
    assert said(m).split(", ") == [*["42 251 254"] * 3, "\r\n"]
    assert devices[0].seen == [1, 2, 3, 4, 1, 2] and devices[1].seen == [1, 2, 3, 4, 1, 2] * 2
    assert m.unimplemented() == []


RATES = """
#include <hardware/uart.h>
void setup() {
  Serial.begin(115200);
  gpio_set_function(4, GPIO_FUNC_UART);
  gpio_set_function(5, GPIO_FUNC_UART);
  uart_init(uart1, 50000);
  uart_puts(uart1, "ab");
  uart_set_baudrate(uart1, 100000);
  uart_tx_wait_blocking(uart1);
  uart_putc(uart1, 'c');
  uart_set_format(uart1, 8, 2, UART_PARITY_EVEN);
  uart_putc(uart1, 'd');
  uart_set_fifo_enabled(uart1, true);
  Serial.print(uart_is_enabled(uart1));
  uart_putc(uart1, 'e');
}
void loop() {}
"""


def test_settings_of_a_uart_that_is_on(tmp_path: Path) -> None:
    """It is off meanwhile, and what it was sending is over."""
    m = machine(tmp_path / "rates", RATES)
    assert said(m, 0.02) == "1"
    sent = m.uart_take(1)
    assert bytes(byte for _, byte in sent) == b"abcde" and m.unimplemented() == []
    assert sent[1][0] - sent[0][0] < HZ * 400e-6, "15 bits, and b at the new rate"
