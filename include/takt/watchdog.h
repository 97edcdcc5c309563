/*
 * The board's watchdog, fed by proof that all threads with budgets have had theirs.
 *
 *   TAKT_WATCHDOG(500000)
 *
 * What feeds it is a thread with a budget itself. Of these the one of the longest period is the
 * least urgent, and this one never runs but on its budget: when it does no other is owed any. The
 * build refuses a period that is shorter than another thread's.
 *
 *   more urgent  ##__#####____________##__##_________   asks for budget, and has it
 *   watchdog     __^______^___________________________   feeds, once in every T
 *                         |<--- 2 T, or a little more --->| reset
 *
 * In an admitted program feeds are at most T and the thread's response time apart, that is less
 * than two periods. The chip is reset if budget is owed all through these: interrupts are off or
 * come more often than the proof counts, a handler or a section does not end, or the kernel has
 * stopped (takt_fatal()). A thread that goes in circles on its own budget, or waits for ever, is
 * owed nothing; nor are threads without a budget.
 */
#ifndef TAKT_WATCHDOG_H
#define TAKT_WATCHDOG_H

#include <takt/vcpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The board says: what a feed takes of the CPU, and the longest period, half of what its watchdog
 * reaches when its oscillator is as fast as it may be (board.cmake). */
#ifndef TAKT_WATCHDOG_FEED_US
#define TAKT_WATCHDOG_FEED_US 100
#endif
#ifndef TAKT_WATCHDOG_MOST_US
#define TAKT_WATCHDOG_MOST_US 268435456
#endif
#define TAKT_WATCHDOG_LEAST_US 1000

/*
 * Has the watchdog reset the chip? Of resets by a pin, by a debugger or by the program itself after
 * that one it may still say so. Either context. Boot loaders may have cleared what it asks for:
 * Arduino's on the uno does, and the answer is false there.
 */
bool takt_watchdog_caused_reset(void);

/* The body of the thread; its argument is the thread's VCPU. It starts the watchdog, so that the
 * chip is reset unless it is fed within 2 T, and feeds it T later for the first time. */
void takt_watchdog_thread(void *vcpu);

extern char takt_stack_watchdog[], takt_stack_watchdog_end[]; /* the build's */

#define TAKT_WATCHDOG_TEXT_(number)  TAKT_WATCHDOG_TEXT2_(number)
#define TAKT_WATCHDOG_TEXT2_(number) #number

#define TAKT_WATCHDOG_CHECK_(t_us)                                                                 \
    TAKT_STATIC_ASSERT_((t_us) >= TAKT_WATCHDOG_LEAST_US && (t_us) <= TAKT_WATCHDOG_MOST_US,       \
                        "watchdog: the period T is not from " TAKT_WATCHDOG_TEXT_(                 \
                            TAKT_WATCHDOG_LEAST_US) " to " TAKT_WATCHDOG_TEXT_(                    \
                            TAKT_WATCHDOG_MOST_US) " us")

/* Last of those with the same period. */
#define TAKT_WATCHDOG_DEFINE_(t_us, entry, arg)                                                    \
    TAKT_NEEDS_(BUDGETS);                                                                          \
    struct takt_vcpu takt_vcpu_watchdog =                                                          \
        TAKT_VCPU_INIT(TAKT_WATCHDOG_FEED_US, (t_us), TAKT_NO_BACKGROUND);                         \
    TAKT_NAME_(watchdog, "watchdog");                                                              \
    TAKT_DESCRIPTOR_(watchdog) = {                                                                 \
        entry, arg, takt_stack_watchdog, takt_stack_watchdog_end,                                  \
        &takt_vcpu_watchdog, takt_name_watchdog};                                                  \
    TAKT_REGISTER_(watchdog, (t_us), 999999)

/*
 * Defines and registers the thread `watchdog`, once in a program; period_us: an integer constant
 * expression, at least 1000 and no shorter than the period of any other thread. In a sketch:
 * watchdog(T), arduino/watchdog.h.
 */
#define TAKT_WATCHDOG(period_us)                                                                   \
    TAKT_WATCHDOG_CHECK_(period_us);                                                               \
    TAKT_WATCHDOG_DEFINE_(period_us, takt_watchdog_thread, &takt_vcpu_watchdog)

#ifdef __cplusplus
}
#endif

#endif
