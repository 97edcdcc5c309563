/*
 * Servo over the PWM driver. The pin stays with PWM, without pulses when detached, until the sketch
 * writes or sets it up otherwise.
 */
#include "Servo.h"

#include <pins.h>
#include <takt/gpio.h>
#include <takt/pwm.h>

/* Pins without hardware for it, where the board has a driver for them. */
__asm__(".globl takt_pwm_software");

void Servo::pulse()
{
    uint32_t duty = (static_cast<uint32_t>(us_) * 65535u + REFRESH_INTERVAL / 2) / REFRESH_INTERVAL;
    if (takt_pwm_write(pin_, 1000000 / REFRESH_INTERVAL, static_cast<uint16_t>(duty)) == TAKT_OK)
        takt::mark_pwm(pin_, true);
}

uint8_t Servo::attach(int pin, int min, int max)
{
    if (pin < 0 || pin >= NUM_DIGITAL_PINS || min < 0 || max <= min || max >= REFRESH_INTERVAL)
        return INVALID_SERVO;
    pin_ = static_cast<uint8_t>(pin);
    min_ = min;
    max_ = max;
    us_ = constrain(us_, min_, max_);
    pulse();
    return pin_;
}

void Servo::detach()
{
    if (!attached())
        return;
    takt_gpio_write(pin_, false);
    takt_pwm_write(pin_, 1000000 / REFRESH_INTERVAL, 0); /* ends no pulse early */
    pin_ = INVALID_SERVO;
}

void Servo::write(int value)
{
    if (value < MIN_PULSE_WIDTH)
        value = static_cast<int>(map(constrain(value, 0, 180), 0, 180, min_, max_));
    writeMicroseconds(value);
}

void Servo::writeMicroseconds(int us)
{
    us_ = constrain(us, min_, max_);
    if (attached())
        pulse();
}

/* The rounding undoes that of write(). */
int Servo::read() const
{
    return static_cast<int>(map(us_ + 1, min_, max_, 0, 180));
}
