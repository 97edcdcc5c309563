/*
 * Pins that are constants and that the board does not have are refused at compile time: each
 * function below is seen by the compiler as its check, inlined, and a call of the function itself.
 * Part of Arduino.h.
 */
#ifndef TAKT_KNOWN_PINS_H
#define TAKT_KNOWN_PINS_H

#define TAKT_TEXT_(n)  TAKT_TEXT2_(n)
#define TAKT_TEXT2_(n) #n

/* Nowhere defined: a call that is left after optimising is an error, whose words the tools know
 * (tools/takt/build/mistakes/constants.py). */
#define TAKT_NO_SUCH_PIN_(function)                                                                \
    void takt_no_such_pin_##function(void)                                                         \
        __attribute__((error("use a pin below " TAKT_TEXT_(NUM_DIGITAL_PINS))))

#define TAKT_KNOWN_PIN_(function, pin)                                                             \
    do {                                                                                           \
        if (__builtin_constant_p(pin) && (unsigned)(pin) >= NUM_DIGITAL_PINS)                      \
            takt_no_such_pin_##function();                                                         \
    } while (0)

TAKT_NO_SUCH_PIN_(pinMode);
TAKT_NO_SUCH_PIN_(digitalWrite);
TAKT_NO_SUCH_PIN_(digitalRead);
TAKT_NO_SUCH_PIN_(analogWrite);
TAKT_NO_SUCH_PIN_(attachInterrupt);

#if defined(__OPTIMIZE__) && !defined(TAKT_DEFINES_PINS)
#define TAKT_CHECKED_ extern inline __attribute__((gnu_inline, always_inline))

void takt_pin_mode(uint8_t pin, uint8_t mode) __asm__("pinMode");
void takt_digital_write(uint8_t pin, uint8_t level) __asm__("digitalWrite");
int takt_digital_read(uint8_t pin) __asm__("digitalRead");
void takt_analog_write(uint8_t pin, int value) __asm__("analogWrite");

TAKT_CHECKED_ void pinMode(uint8_t pin, uint8_t mode)
{
    TAKT_KNOWN_PIN_(pinMode, pin);
    takt_pin_mode(pin, mode);
}

TAKT_CHECKED_ void digitalWrite(uint8_t pin, uint8_t level)
{
    TAKT_KNOWN_PIN_(digitalWrite, pin);
    takt_digital_write(pin, level);
}

TAKT_CHECKED_ int digitalRead(uint8_t pin)
{
    TAKT_KNOWN_PIN_(digitalRead, pin);
    return takt_digital_read(pin);
}

TAKT_CHECKED_ void analogWrite(uint8_t pin, int value)
{
    TAKT_KNOWN_PIN_(analogWrite, pin);
    takt_analog_write(pin, value);
}
#endif

#endif
