/*
 * What the sketches of this lab share.
 */
#ifndef QDUINO_LAB_H
#define QDUINO_LAB_H

#include <Takt.h>
#include <takt/flash.h>

/* The calling loop gets its budget and nothing more: no spare time of others, so that how far it
 * comes does not depend on who else is there. Nothing where it has no budget. */
inline void onlyOnBudget()
{
    struct takt_vcpu *vcpu = TAKT_FLASH_POINTER(&takt_thread_at(takt_self())->vcpu);
    if (vcpu)
        const_cast<volatile struct takt_vcpu *>(vcpu)->flags = vcpu->flags | TAKT_NO_BACKGROUND;
}

/* Looking for primes: work of a known amount, by trial division as in examples/find-prime. */
inline bool isPrime(long n)
{
    if (n % 2 == 0)
        return n == 2;
    for (long d = 3; d * d <= n; d += 2)
        if (n % d == 0)
            return false;
    return n > 1;
}

const long PRIME_LIMIT = 80000;

/* Never done once for several: the limit is read anew. */
inline long findPrime()
{
    static volatile long limit = PRIME_LIMIT;
    const long end = limit;
    long found = 0;
    for (long n = 2; n < end; n++)
        if (isPrime(n))
            found++;
    return found;
}

/*
 * NO_BUDGETS: the same loops without budgets. Each is a thread of fixed priority on the same
 * kernel; of those that are ready the one with the smallest priority number runs, for as long as
 * it likes. PRIORITY_OF_LOOP(id) is the loop's own id unless the case says otherwise.
 */
#if NO_BUDGETS
#ifndef PRIORITY_OF_LOOP
#define PRIORITY_OF_LOOP(id) (id)
#endif
#undef loop
#define loop(id, c, t) LAB_LOOP_(id)
#define LAB_LOOP_(id)                                                                              \
    lab_loop_##id();                                                                               \
    TAKT_MARK_LOOPS_;                                                                              \
    extern "C" char takt_stack_loop_##id[], takt_stack_loop_##id##_end[];                          \
    TAKT_NAME_(loop_##id, "loop " #id);                                                            \
    TAKT_DESCRIPTOR_(loop_##id) = {                                                                \
        takt_arduino_thread, reinterpret_cast<void *>(lab_loop_##id), takt_stack_loop_##id,        \
        takt_stack_loop_##id##_end, nullptr, takt_name_loop_##id};                                 \
    TAKT_REGISTER_(loop_##id, TAKT_ORDER_PRIORITY_(PRIORITY_OF_LOOP(id)), id)                      \
    void lab_loop_##id()
#endif

#endif
