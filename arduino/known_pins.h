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

/*
 * Where the board says where its pins are (AVR), a constant one takes an instruction for each bit
 * of a register, which no interrupt divides; unless PWM has the pin.
 */
#ifdef TAKT_PIN_PORT
extern uint8_t takt_pwm_bits[]; /* drivers/avr/avr_pins.h */
void takt_pwm_release(uint8_t pin);

#define TAKT_PIN_IS_KNOWN_(pin) (__builtin_constant_p(pin) && (pin) < NUM_DIGITAL_PINS)
#define TAKT_PIN_MASK_(pin)     ((uint8_t)(1u << TAKT_PIN_BIT(pin)))
#define TAKT_PIN_NUMBER_(pin)   (((uint16_t)TAKT_PIN_PORT(pin) - 0x20u) & 0xFFu)
#define TAKT_PIN_HAS_PWM_(pin)  (takt_pwm_bits[TAKT_PIN_NUMBER_(pin)] & TAKT_PIN_MASK_(pin))
#define TAKT_READ_KNOWN_(pin)   ((*TAKT_PIN_PORT(pin) & TAKT_PIN_MASK_(pin)) != 0)
#define TAKT_PIN_PUT_(pin, n, value)                                                               \
    (TAKT_PIN_PORT(pin)[n] = (uint8_t)(TAKT_PIN_PORT(pin)[n] value))
/* Links PWM in software (drivers/pwm/avr_soft.c) where a pin may need it. */
#define TAKT_NEED_SOFT_PWM_(pin)                                                                   \
    do {                                                                                           \
        if (!__builtin_constant_p(pin) || TAKT_PIN_HAS_SOFT_PWM(pin))                              \
            __asm__ volatile(".globl takt_pwm_software");                                          \
    } while (0)
#define TAKT_PIN_SET_(pin, n)   TAKT_PIN_PUT_(pin, n, | TAKT_PIN_MASK_(pin))
#define TAKT_PIN_CLEAR_(pin, n) TAKT_PIN_PUT_(pin, n, &~TAKT_PIN_MASK_(pin))

/* Whether that was done. */
TAKT_CHECKED_ bool takt_set_known_mode(uint8_t pin, uint8_t mode)
{
    if (!TAKT_PIN_IS_KNOWN_(pin) || !__builtin_constant_p(mode) || mode > INPUT_PULLUP)
        return false;
    if (TAKT_PIN_HAS_PWM_(pin))
        takt_pwm_release(pin);
    if (mode == OUTPUT)
        return TAKT_PIN_SET_(pin, 1), true;
    TAKT_PIN_CLEAR_(pin, 1);
    if (mode == INPUT)
        TAKT_PIN_CLEAR_(pin, 2);
    else
        TAKT_PIN_SET_(pin, 2);
    return true;
}

TAKT_CHECKED_ bool takt_write_known(uint8_t pin, uint8_t level)
{
    if (!TAKT_PIN_IS_KNOWN_(pin))
        return false;
    if (level)
        TAKT_PIN_SET_(pin, 2);
    else
        TAKT_PIN_CLEAR_(pin, 2);
    if (TAKT_PIN_HAS_PWM_(pin))
        takt_pwm_release(pin);
    return true;
}
#else
#define TAKT_PIN_IS_KNOWN_(pin)        false
#define TAKT_READ_KNOWN_(pin)          0
#define TAKT_NEED_SOFT_PWM_(pin)       (void)0
#define takt_set_known_mode(pin, mode) false
#define takt_write_known(pin, level)   false
#endif

TAKT_CHECKED_ void pinMode(uint8_t pin, uint8_t mode)
{
    TAKT_KNOWN_PIN_(pinMode, pin);
    if (!takt_set_known_mode(pin, mode))
        takt_pin_mode(pin, mode);
}

TAKT_CHECKED_ void digitalWrite(uint8_t pin, uint8_t level)
{
    TAKT_KNOWN_PIN_(digitalWrite, pin);
    if (!takt_write_known(pin, level))
        takt_digital_write(pin, level);
}

TAKT_CHECKED_ int digitalRead(uint8_t pin)
{
    TAKT_KNOWN_PIN_(digitalRead, pin);
    return TAKT_PIN_IS_KNOWN_(pin) ? TAKT_READ_KNOWN_(pin) : takt_digital_read(pin);
}

TAKT_CHECKED_ void analogWrite(uint8_t pin, int value)
{
    TAKT_KNOWN_PIN_(analogWrite, pin);
    TAKT_NEED_SOFT_PWM_(pin);
    takt_analog_write(pin, value);
}
#endif

#endif
