/*
 * Interrupts with budgets (Qduino, table II). An edge of a pin takes this way:
 *
 *   interrupt: notes it, masks the pin         charged to the share of interruptsVcpu()
 *     --> thread `interrupts`: which pin?      gets that share of the CPU, and no more
 *       --> the handler's thread: calls isr()  C in every T, as a loop
 *
 * So however fast pins change, and whatever handlers do, loops keep what they were promised. Edges
 * that come faster than they can be handled are merged into one call, and counted.
 */
#ifndef TAKT_INTERRUPTS_H
#define TAKT_INTERRUPTS_H

#include <takt/io.h>
#include <takt/pin_set.h>

#include "loops.h"

/*
 * int attachInterruptVcpu(pin, isr, mode, C, T): isr() is called, by a thread of its own with C of
 * CPU time in every T, for events of the pin (or interrupt, as of attachInterrupt()). C and T are
 * constants (milliseconds, or 500_us); isr is the name of a function, or a lambda without captures.
 * mode: RISING, FALLING, CHANGE; with LOW or HIGH it is called again and again while the level
 * lasts. isr may do whatever a loop may, delay() included, and is called once for an event: what
 * comes meanwhile is merged into the next. A pin has one handler: attached again, it has the new
 * one, and its counters start afresh.
 *
 * Each place in the source that says attachInterruptVcpu defines one thread, for one pin at a time.
 * It is admitted with the loops whether or not the statement is ever reached. Not in templates and
 * functions defined in headers.
 *
 * Thread, also in setup(), during which handlers are called as ever, or a constructor of a global
 * object, for which it is done just before setup(). TAKT_OK, or TAKT_EINVAL: the pin does not exist
 * or has no such interrupts, no such mode, no function. TAKT_EADMIT: another pin has been attached
 * here and not been detached; admission counts on one.
 */
#define attachInterruptVcpu(pin, isr, mode, c, t)                                                  \
    TAKT_ATTACH_(pin, isr, #isr, mode, c, t, TAKT_HANDLER_ID_(TAKT_UNIT, __COUNTER__))

/*
 * int interruptsVcpu(C, T): the share C/T of the CPU (constants, as above; C may be 0) for telling
 * handlers of events, together with the interrupts themselves. 5/100 where a sketch says nothing.
 * A sketch starts with the largest share it names anywhere, and admission counts on that; the
 * statement, when it is reached, sets the one it names. 0: no events are delivered.
 * TAKT_OK; TAKT_EADMIT: does not fit with the loops, nothing has changed. Thread.
 */
#define interruptsVcpu(c, t) TAKT_SHARE_(c, t)

namespace takt
{

/* As interruptsVcpu(), with a share of c_us per t_us known at run time only. TAKT_EADMIT, or
 * TAKT_EINVAL unless c_us <= t_us and t_us > 0: nothing has changed. */
int setInterruptsVcpu(uint32_t c_us, uint32_t t_us);

/* What a handler's thread is; const. With an isr as its argument it is for one pin, else for
 * all. */
struct HandlerThread {
    struct takt_thread thread; /* first: it is what the kernel knows */
    struct HandlerState *state;
};

struct HandlerState {
    struct takt_sem wake;
    takt_pins_t pins; /* it has the handlers of; interrupts off */
};

/* Gives the pin's events to isr() on that thread. As attachInterruptVcpu(). */
int attach(int pin, void (*isr)(), int mode, const HandlerThread &on);
int attach_isr(int pin, void (*isr)(), int mode);

uint32_t events_delivered(int pin);
uint32_t events_merged(int pin);

} // namespace takt

/* Events of the pin for which the handler has been called since it was attached, and further ones
 * that were merged into those (at least: of edges very close to each other, or while the handler is
 * two events behind, only two are seen).
 * They wrap at 2^32. Either context. */
inline uint32_t interruptsDelivered(int pin)
{
    return takt::events_delivered(takt_interrupt_pin(pin));
}
inline uint32_t interruptsMerged(int pin)
{
    return takt::events_merged(takt_interrupt_pin(pin));
}

/*
 * isr() runs in the interrupt, at the highest priority, for every edge, as attachInterrupt() on an
 * AVR board: nothing bounds what it takes from the loops, so admission does not cover it. Keep it
 * to microseconds, and wait for nothing. detachInterrupt() ends it. Thread. As
 * attachInterruptVcpu().
 */
inline int attachInterruptIsr(int pin, void (*isr)(), int mode)
{
    return takt::attach_isr(takt_interrupt_pin(pin), isr, mode);
}

extern "C" {
/* Entry of every handler's thread, which is in a HandlerThread; the argument is isr, where there is
 * one for all its pins. */
void takt_arduino_handler(void *isr);
extern struct takt_io_vcpu takt_io_interrupts;
}

/* Names of this file's threads, different from those of other files; the build says. */
#ifndef TAKT_UNIT
#define TAKT_UNIT file
#endif
#define TAKT_HANDLER_ID_(unit, n)  TAKT_HANDLER_ID2_(unit, n)
#define TAKT_HANDLER_ID2_(unit, n) "isr_" #unit "_" #n, n

#define TAKT_ATTACH_(pin, isr, name, mode, c, t, ...)                                              \
    TAKT_ATTACH2_(pin, isr, name, mode, c, t, __VA_ARGS__)

/* A function of its own, and only one: its assembler text must come out once. */
#define TAKT_ATTACH2_(pin, isr, name, mode, c, t, id, tie)                                         \
    ([](int takt_pin, int takt_mode) __attribute__((noinline, noclone)) -> int {                   \
        constexpr int64_t takt_c = takt::duration_us(c), takt_t = takt::duration_us(t);            \
        static_assert(takt_c > 0, "attachInterruptVcpu: the budget C must be above 0");            \
        static_assert(takt_t > 0, "attachInterruptVcpu: the period T must be above 0");            \
        static_assert(takt_t <= 0 || takt_c <= takt_t,                                             \
                      "attachInterruptVcpu: the budget C is longer than the period T");            \
        static_assert(takt_t <= TAKT_PERIOD_MAX,                                                   \
                      "attachInterruptVcpu: the period T is longer than 268.4 s");                 \
        constexpr void (*takt_isr)() = isr;                                                        \
        extern char takt_low_##tie[] __asm__("takt_stack_" id);                                    \
        extern char takt_high_##tie[] __asm__("takt_stack_" id "_end");                            \
        static struct takt_vcpu takt_vcpu = TAKT_VCPU_INIT(                                        \
            static_cast<uint32_t>(takt_c), static_cast<uint32_t>(takt_t), 0);                      \
        static takt::HandlerState takt_state = {TAKT_SEM_BINARY_INIT(0), 0};                       \
        static const char takt_name[] TAKT_IN_FLASH_("name_" id) = name;                           \
        static const takt::HandlerThread takt_thread __asm__("takt_thread_" id)                    \
            TAKT_IN_FLASH_(id) = {{takt_arduino_handler, reinterpret_cast<void *>(takt_isr),       \
                                   takt_low_##tie, takt_high_##tie, &takt_vcpu, takt_name},        \
                                  &takt_state};                                                    \
        TAKT_NEEDS_(BUDGETS);                                                                      \
        TAKT_REGISTER_HERE_(id, static_cast<uint32_t>(takt_t), tie);                               \
        return takt::attach(takt_pin, takt_isr, takt_mode, takt_thread);                           \
    }(takt_interrupt_pin(pin), mode))

#define TAKT_SHARE_(c, t)                                                                          \
    ([]() __attribute__((noinline)) -> int {                                                       \
        constexpr int64_t takt_c = takt::duration_us(c), takt_t = takt::duration_us(t);            \
        static_assert(takt_c >= 0, "interruptsVcpu: the budget C is below 0");                     \
        static_assert(takt_t > 0, "interruptsVcpu: the period T must be above 0");                 \
        static_assert(takt_t <= 0 || takt_c <= takt_t,                                             \
                      "interruptsVcpu: the budget C is longer than the period T");                 \
        static_assert(takt_t <= TAKT_PERIOD_MAX,                                                   \
                      "interruptsVcpu: the period T is longer than 268.4 s");                      \
        static const struct takt_io_share takt_share TAKT_IO_SHARE_SECTION = {                     \
            &takt_io_interrupts, static_cast<uint32_t>(takt_c), static_cast<uint32_t>(takt_t)};    \
        return takt_io_set_share(takt_share.io, takt_share.c_us, takt_share.t_us);                 \
    }())

#endif
