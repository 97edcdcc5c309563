"""PWM and ADC on every pin that has them."""

from __future__ import annotations

import pytest
from takt import boards

EINVAL = -4
PWM = (2, 3, 4, 5, 6, 9, 10, 11, 12, 30, 31)

SOURCE = """
#include <takt/pwm.h>
#include <takt/adc.h>
volatile int slow, fast, none, volts;
void setup() {
  slow = takt_pwm_write(%(pin)d, 50, 16384);
  delay(50);
  fast = takt_pwm_write(%(pin)d, 20000, 49152);
  none = takt_pwm_write(7, 1000, 1);
}
void loop() { volts = takt_adc_read(A2); analogWrite(13, 200); delay(5); }
"""


@pytest.mark.parametrize("pin", PWM)
def test_pwm(make, pin: int) -> None:
    ran = make(SOURCE % {"pin": pin}).to(0.045)
    assert ran.machine.pin_pwm(ran.chip(pin)) == pytest.approx((50, 0.25), rel=1e-3)
    ran.to(0.1)
    assert ran.machine.pin_pwm(ran.chip(pin)) == pytest.approx((20_000, 0.75), rel=1e-3)
    assert [ran[name] for name in ("slow", "fast", "none")] == [0, 0, EINVAL]
    assert ran.machine.pin_level(ran.chip(13)) == 1, "no PWM there: high from half on"


INPUTS = """
volatile int values[6];
void setup() { analogReadResolution(12); }
void loop() {
  for (int n = 0; n < 6; n++) values[n] = analogRead(n);
  delay(1);
}
"""


def test_analog_inputs(make) -> None:
    ran = make(INPUTS)
    channels = boards.load("stm32f051").raw["adc"]["channels"]
    for n in range(6):
        ran.machine.adc_set(channels[f"A{n}"], 0.5 * n)
    ran.to(0.05)
    at = ran.machine.symbol("values")
    values = [ran.machine.word(at + 4 * n) for n in range(6)]
    assert values == [pytest.approx(0.5 * n / 3.3 * 4095, abs=2) for n in range(6)]
