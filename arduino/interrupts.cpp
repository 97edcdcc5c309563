/*
 * Handlers with budgets: the bottom half, the handlers' threads, and what connects them, one line
 * for each pin. Linked in programs that attach such a handler.
 *
 *   pin events (a batch) --> thread `interrupts` --line--> the handler's thread --> isr()
 *
 * A line is changed with interrupts off. A handler detached while its event is on the way is not
 * called: what takes the event finds no function. One attached anew at that moment may be called
 * for the event before it.
 *
 * noInterrupts() puts the calling thread into `excluding`: from then on no call begins. A call that
 * has begun may be without budget, and have written one of two words that belong together. So the
 * caller waits until all calls under way have ended, before it switches interrupts off. Only its
 * own time is spent with that; a loop that needs nothing of handlers is not held up. A call that
 * waits for a lock, of SPI or Serial, is not under way meanwhile, for the caller may have that
 * lock.
 */
#include "Arduino.h"

#include <takt/create.h>
#include <takt/fact.h>
#include <takt/flash.h>
#include <takt/job.h>
#include <takt/mutex.h>
#include <takt/pin_events.h>
#include <takt/port.h>
#include <takt/trace.h>

#include "pin_lines.h"

namespace
{

struct PinLine {
    struct takt_line line;
    const takt::HandlerThread *on; /* nullptr: no thread */
    void (*isr)();
    bool held : 1;     /* the pin, until the handler takes its event */
    uint8_t early : 4; /* attached by a constructor: edges to be asked for at the start */
};

/* Those that may interrupt. */
constexpr int PINS = NUM_DIGITAL_PINS < TAKT_EDGE_PINS ? NUM_DIGITAL_PINS : TAKT_EDGE_PINS;

PinLine lines[PINS];

takt_set_t excluding; /* threads between noInterrupts() and interrupts() */
uint8_t calls;        /* of handlers, under way */
uint8_t awaiting;     /* threads of `excluding` that wait for these to end */
struct takt_sem ended = TAKT_SEM_INIT(0);

class IrqOff
{
  public:
    IrqOff() : state_(port_irq_save()) {}
    ~IrqOff() { port_irq_restore(state_); }
    bool were_on() const { return !state_; }

  private:
    port_irq_t state_;
};

takt::HandlerState *state_of(const takt::HandlerThread *on)
{
    return TAKT_FLASH_POINTER(&on->state);
}

bool exists(int pin)
{
    return pin >= 0 && pin < PINS;
}

/* The line leads to the thread from now on, or to none. */
void connect(uint8_t pin, const takt::HandlerThread *on, void (*isr)(), uint8_t place)
{
    IrqOff off;
    PinLine &line = lines[pin];
    if (line.on) {
        takt_pins_remove(&state_of(line.on)->pins, takt_pins_of(pin));
        line.line.waiting = false;
        takt_trace_locked(port_now(), TAKT_EV_FORGET, TAKT_NOBODY, uint32_t{pin} << 24);
    }
    if (on) {
        takt_pins_add(&state_of(on)->pins, takt_pins_of(pin));
        line.line = {&state_of(on)->wake, place, pin, false, 0, 0, 0};
    }
    line.on = on;
    line.isr = isr;
    line.held = false;
    line.early = 0;
}

/* Begins a call: the function, if the pin has an event for this thread and may. */
auto begin_call(uint8_t pin, const takt::HandlerThread *self) -> void (*)()
{
    IrqOff off;
    PinLine &line = lines[pin];
    bool may = line.on == self && !excluding;
    if (!may || !takt_line_take(&line.line))
        return nullptr;
    if (line.held)
        takt_pin_events_release(pin);
    line.held = false;
    calls++;
    return line.isr;
}

/* A call has ended, or waits for a lock. */
void leave_call()
{
    uint8_t left = 0;
    {
        IrqOff off;
        if (--calls == 0) {
            left = awaiting;
            awaiting = 0;
        }
    }
    for (; left > 0; left--)
        takt_sem_signal(&ended);
}

void end_call()
{
    takt::let_handlers_begin();
    takt_require_unlocked();
    leave_call();
}

bool is_handler(uint8_t place)
{
    return TAKT_FLASH_POINTER(&takt_thread_at(place)->entry) == takt_arduino_handler;
}

/* The caller joins `excluding`. False: it was there already, or interrupts are off. */
bool exclude()
{
    IrqOff off;
    if (!off.were_on() || takt_set_has(excluding, takt_self()))
        return false;
    if (takt_mutex_held())
        takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), "noInterrupts() with a mutex locked");
    excluding = static_cast<takt_set_t>(excluding | takt_set_of(takt_self()));
    return true;
}

/* Interrupts are off when it returns, and no call is under way: one that waited for a lock may be
 * again when the caller has been told. */
void await_calls()
{
    TAKT_FACT("masks");
    for (bool own = is_handler(takt_self());; takt_sem_wait(&ended)) {
        (void)port_irq_save();
        if (own || calls == 0)
            return;
        awaiting++;
        port_irq_restore(0);
    }
}

/* The caller leaves `excluding`, where it was; sets whether it was the last. */
bool include(bool *last)
{
    IrqOff off;
    bool was = takt_set_has(excluding, takt_self());
    if (was)
        excluding = takt_set_without(excluding, takt_set_of(takt_self()));
    *last = was && !excluding;
    return was;
}

/* The pin comes faster than its handler: nothing more of it until the handler has taken what
 * waits. */
void hold_if_waiting(uint8_t pin)
{
    IrqOff off;
    if (!lines[pin].line.waiting)
        return;
    lines[pin].held = true;
    takt_pin_events_hold(pin);
}

void bottom_half(void *)
{
    struct takt_pin_event event;
    for (;;) {
        takt_io_wait(&takt_io_interrupts);
        while (takt_pin_events_take(&event))
            if (exists(event.pin) && lines[event.pin].on) {
                hold_if_waiting(event.pin);
                takt_line_pass(&lines[event.pin].line, event.at, event.merged);
            }
    }
}

} // namespace

__attribute__((weak)) void takt::has_argument() {}
__attribute__((weak)) void takt::call_with_argument(uint8_t) {}

extern "C" {
extern char takt_stack_interrupts[], takt_stack_interrupts_end[]; /* the build's, sized by it */
struct takt_io_vcpu takt_io_interrupts = TAKT_IO_VCPU_INIT(5, 100);
}
TAKT_NAME_(interrupts, "interrupts");
TAKT_DESCRIPTOR_(interrupts) = {bottom_half,
                                nullptr,
                                takt_stack_interrupts,
                                takt_stack_interrupts_end,
                                &takt_io_interrupts.server,
                                takt_name_interrupts};
TAKT_NEEDS_(BUDGETS);
TAKT_REGISTER_(interrupts, 0, __COUNTER__)

#if TAKT_DYNAMIC
extern "C" void takt_handlers_shift_locked(uint8_t place)
{
    for (PinLine &line : lines)
        takt_shift_place(&line.line.place, place);
    takt_set_t more_urgent = excluding & takt_set_before(place);
    excluding = more_urgent | static_cast<takt_set_t>(excluding - more_urgent) << 1;
}

extern "C" void takt_handlers_reset()
{
    excluding = 0;
    calls = awaiting = 0;
    ended = TAKT_SEM_INIT(0);
}
#endif

extern "C" void takt_arduino_handler(void *)
{
    TAKT_FACT("entry handler");
    auto self = reinterpret_cast<const takt::HandlerThread *>(takt_thread_self());
    takt::HandlerState *state = state_of(self);
    for (;;) {
        takt_sem_wait(&state->wake);
        for (takt_pins_t left = state->pins; left; left = takt_pins_rest(left)) {
            uint8_t pin = takt_pins_first(left);
            void (*isr)() = begin_call(pin, self);
            if (!isr)
                continue;
            if (isr == takt::has_argument)
                takt::call_with_argument(pin);
            else
                isr();
            end_call();
        }
    }
}

static int attach_edges(uint8_t pin, void (*isr)(), unsigned edges, const takt::HandlerThread &on)
{
    uint8_t place = takt_place_of(&on.thread);
    if (place == TAKT_NOBODY)
        return TAKT_EINVAL;
    takt_pin_events_off(pin);
    connect(pin, &on, isr, place);
    int result = takt_pin_events_on(pin, edges, &takt_io_interrupts, place);
    if (result != TAKT_OK)
        connect(pin, nullptr, nullptr, TAKT_NOBODY);
    return result;
}

/* In constructors there is no kernel yet that could take the pin's events. */
static int attach_at_start(uint8_t pin, void (*isr)(), unsigned edges,
                           const takt::HandlerThread &on)
{
    if (takt_pin_events_off(pin) == TAKT_EINVAL)
        return TAKT_EINVAL; /* it has none */
    connect(pin, &on, isr, TAKT_NOBODY);
    lines[pin].early = edges & 15u;
    return TAKT_OK;
}

int takt::attach(int number, void (*isr)(), int mode, const HandlerThread &on)
{
    unsigned edges = edges_of(mode);
    if (!exists(number) || !isr || !edges)
        return TAKT_EINVAL;
    uint8_t pin = static_cast<uint8_t>(number);
    takt_pins_t pins = state_of(&on)->pins;
    if (TAKT_FLASH_POINTER(&on.thread.arg) && pins && pins != takt_pins_of(pin))
        return TAKT_EADMIT;
    return takt_thread_count() == 0 ? attach_at_start(pin, isr, edges, on)
                                    : attach_edges(pin, isr, edges, on);
}

extern "C" void takt_attach_early()
{
    TAKT_FACT("only with setup");
    for (uint8_t pin = 0; pin < PINS; pin++)
        if (lines[pin].early &&
            attach_edges(pin, lines[pin].isr, lines[pin].early, *lines[pin].on) != TAKT_OK)
            takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), "a constructor attached a used pin");
}

void takt::drop_handler(uint8_t pin)
{
    if (!exists(pin))
        return;
    takt_pin_events_off(pin);
    connect(pin, nullptr, nullptr, TAKT_NOBODY);
}

bool takt::hold_handlers()
{
    if (takt_self() == TAKT_NOBODY)
        return false;
    takt_begin_whole_call(); /* a job is not ended before interrupts(), no task comes on top */
    bool joins = exclude();
    if (joins)
        await_calls();
    else
        takt_end_whole_call();
    return joins;
}

int takt::wait_for_lock(struct takt_sem *sem)
{
    if (!is_handler(takt_self()) || takt_set_has(excluding, takt_self()))
        return takt_sem_wait(sem); /* in the latter case at once, for interrupts are off */
    leave_call();
    int result = takt_sem_wait(sem);
    IrqOff off;
    calls++;
    return result;
}

/* What waits in the lines has no signal any more: once again. */
void takt::let_handlers_begin()
{
    bool last;
    if (takt_self() == TAKT_NOBODY || !include(&last))
        return;
    switch_interrupts_on(); /* after a handler that did not */
    for (PinLine &line : lines)
        if (last && line.line.waiting)
            takt_sem_signal(line.line.wake);
    takt_end_whole_call();
}

int takt::setInterruptsVcpu(uint32_t c_us, uint32_t t_us)
{
    return takt_io_set_share(&takt_io_interrupts, c_us, t_us);
}

uint32_t takt::events_delivered(int pin)
{
    return exists(pin) ? lines[pin].line.delivered : 0;
}

uint32_t takt::events_merged(int pin)
{
    return exists(pin) ? lines[pin].line.merged : 0;
}
