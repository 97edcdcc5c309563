/*
 * tone() of AVR boards in sketches in which nothing has a budget (tools/takt/build/loops.py): an
 * alarm's interrupt ends it, instead of a thread. Up to NOTES tones at a time may have an end.
 */
#ifdef __AVR__

#include <avr/avr_alarm.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/pwm.h>

#include "Arduino.h"
#include "pins.h"

/* Pins without hardware for it, where the board has a driver for them. */
__asm__(".globl takt_pwm_software");

namespace
{

constexpr uint8_t NOTES = 4;
constexpr uint32_t LONGEST = TAKT_DURATION_MAX; /* 17.9 minutes */

struct Note {
    struct avr_alarm alarm; /* first */
    uint8_t pin;
} notes[NOTES];

void silence(uint8_t pin)
{
    takt_pwm_stop(pin);
    digitalWrite(pin, LOW);
}

void end(struct avr_alarm *alarm)
{
    TAKT_FACT("called alarm");
    takt_isr_enter();
    silence(reinterpret_cast<Note *>(alarm)->pin);
    takt_isr_exit(TIMER1_COMPB_vect_num);
}

/* Interrupts off. */
void forget_end(uint8_t pin)
{
    for (Note &note : notes)
        if (note.alarm.set && note.pin == pin)
            avr_alarm_off(&note.alarm);
}

/* Interrupts off. False: all have another pin's. */
bool end_in(uint8_t pin, uint32_t us)
{
    for (Note &note : notes) {
        if (note.alarm.set)
            continue;
        note.pin = pin;
        note.alarm.fn = end;
        avr_alarm_set(&note.alarm, port_now() + us);
        return true;
    }
    return false;
}

} // namespace

extern "C" void takt_tone_isr(uint8_t pin, unsigned frequency, unsigned long ms)
{
    if (pin >= NUM_DIGITAL_PINS || frequency == 0)
        return;
    port_irq_t irq = port_irq_save();
    forget_end(pin);
    port_irq_restore(irq);
    if (takt_pwm_write(pin, frequency, 32768) != TAKT_OK)
        return;
    irq = port_irq_save();
    bool ends = ms == 0 || end_in(pin, ms < LONGEST / 1000 ? ms * 1000 : LONGEST);
    port_irq_restore(irq);
    if (!ends)
        silence(pin);
}

extern "C" void takt_no_tone_isr(uint8_t pin)
{
    if (pin >= NUM_DIGITAL_PINS)
        return;
    port_irq_t irq = port_irq_save();
    forget_end(pin);
    port_irq_restore(irq);
    if (takt::has_pwm(pin))
        silence(pin);
}

#endif
