/*
 * tone() and noTone(): PWM at half duty. Where a duration is given, the thread `tone` ends it; the
 * thread is linked, and admitted, only in programs that call tone().
 *
 * ends[pin] is valid while the pin's bit is set in `timed`. They and what each pin is to play are
 * guarded by `guard`, which shuts out the other threads, not interrupts. The PWM itself is set
 * outside of it, since that may have to wait for a bus: what has changed what a pin is to play
 * sets it, and again if another change came meanwhile.
 */
#include <takt/mutex.h>
#include <takt/pwm.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "Arduino.h"
#include "pins.h"

/* Pins without hardware for it, where the board has a driver for them. */
__asm__(".globl takt_pwm_software");

namespace
{

bool timed[NUM_DIGITAL_PINS]; /* it has an end */
takt_time_t ends[NUM_DIGITAL_PINS];
uint32_t playing[NUM_DIGITAL_PINS]; /* Hz, or 0 */
uint8_t changes[NUM_DIGITAL_PINS];  /* of playing[pin] */
takt_time_t next_look; /* when the thread will wake by itself */
struct takt_sem changed = TAKT_SEM_BINARY_INIT(0);

constexpr uint32_t LONGEST = TAKT_DURATION_MAX; /* of one wait */

struct takt_mutex guard = TAKT_MUTEX_COMPUTED(0);

struct Guard {
    Guard() { takt_mutex_lock(&guard); }
    ~Guard() { takt_mutex_unlock(&guard); }
};

/* Guarded. */
void change(uint8_t pin, uint32_t frequency)
{
    timed[pin] = false;
    playing[pin] = frequency;
    changes[pin]++;
}

void silence(uint8_t pin)
{
    takt_pwm_stop(pin);
    digitalWrite(pin, LOW);
}

bool play(uint8_t pin, uint32_t frequency)
{
    bool can = takt_pwm_write(pin, frequency, 32768) == TAKT_OK;
    if (can)
        takt::mark_pwm(pin, true);
    return can;
}

/* After a change. Whether the pin can play that. */
bool settle(uint8_t pin)
{
    for (;;) {
        uint8_t seen = changes[pin];
        bool can = true;
        if (playing[pin])
            can = play(pin, playing[pin]);
        else
            silence(pin);
        if (seen == changes[pin])
            return can;
    }
}

/* Ends the pin's tone if it is time; otherwise next_look is not later than its end. */
bool end_if_due(uint8_t pin, takt_time_t now)
{
    Guard guarded;
    if (!timed[pin])
        return false;
    bool due = !takt_before(now, ends[pin]);
    if (due)
        change(pin, 0);
    else if (takt_before(ends[pin], next_look))
        next_look = ends[pin];
    return due;
}

/* Ends what is due at `now` and returns how long to wait for the next. A tone that starts meanwhile
 * signals if it ends before next_look, which only comes nearer here: none is forgotten. */
uint32_t end_due(takt_time_t now)
{
    next_look = now + LONGEST;
    for (uint8_t pin = 0; pin < NUM_DIGITAL_PINS; pin++)
        if (timed[pin] && end_if_due(pin, now))
            settle(pin);
    return next_look - now;
}

void tone_thread(void *)
{
    for (;;)
        takt_sem_wait_for(&changed, end_due(takt_now()));
}

/* Starts or changes a tone; ms = 0: without an end. The longest end is 17.9 minutes away. Returns
 * whether the thread must look before it means to. */
bool start(uint8_t pin, unsigned frequency, unsigned long ms)
{
    uint32_t us = ms < LONGEST / 1000 ? static_cast<uint32_t>(ms) * 1000 : LONGEST;
    if (frequency == 0)
        return false;
    {
        Guard guarded;
        change(pin, frequency);
    }
    if (!settle(pin))
        return false;
    Guard guarded;
    ends[pin] = takt_now() + us;
    timed[pin] = ms > 0;
    return ms && takt_before(ends[pin], next_look);
}

} // namespace

extern "C" char takt_stack_tone[], takt_stack_tone_end[]; /* the build's, sized by it */
TAKT_SKETCH_THREAD_(tone, "tone", tone_thread, nullptr, 100, 10000, takt_stack_tone_end)

void tone(uint8_t pin, unsigned frequency, unsigned long duration)
{
    if (pin < NUM_DIGITAL_PINS && start(pin, frequency, duration))
        takt_sem_signal(&changed);
}

void noTone(uint8_t pin)
{
    if (pin >= NUM_DIGITAL_PINS)
        return;
    {
        Guard guarded;
        change(pin, 0);
    }
    if (takt::has_pwm(pin))
        settle(pin);
}
