/*
 * Locks between loops. All but Critical and Guard, which are for scopes, can be global objects:
 * nothing runs to construct them.
 */
#ifndef TAKT_CXX_LOCKS_H
#define TAKT_CXX_LOCKS_H

#include <takt/mutex.h>
#include <takt/section.h>
#include <takt/sem.h>
#include <takt/spinlock.h>
#include <takt/thread.h>

#include "Duration.h"

#define TAKT_INLINED __attribute__((always_inline)) inline

namespace takt
{

/*
 * Mutual exclusion by priority ceiling: while it is locked no loop runs that uses it or is less
 * urgent than the most urgent one that does, so locking never waits. The build finds out which
 * these are, and how long sections under it last; where it says that it cannot, state the longest:
 * Mutex m{2_ms}. Inside, nothing may wait: delay() and the like do not sleep there.
 */
class Mutex
{
  public:
    constexpr Mutex() : mutex_ TAKT_MUTEX_COMPUTED(0) {}
    constexpr explicit Mutex(Duration longest)
        : mutex_ TAKT_MUTEX_COMPUTED(static_cast<uint32_t>(longest.us))
    {
    }
    /* The ceiling by hand, a place; 0 shuts out every other loop. */
    constexpr explicit Mutex(uint8_t ceiling) : mutex_ TAKT_MUTEX_INIT(ceiling) {}
    constexpr Mutex(Duration longest, uint8_t ceiling)
        : mutex_ TAKT_MUTEX_INIT_FOR(ceiling, static_cast<uint32_t>(longest.us))
    {
    }
    Mutex(const Mutex &) = delete;
    Mutex &operator=(const Mutex &) = delete;

    /* TAKT_OK, or see takt/mutex.h; in the reverse order of locking. Inlined, so that the build
     * sees which mutex it is. */
    TAKT_INLINED int lock() { return takt_mutex_lock(&mutex_); }
    TAKT_INLINED int unlock() { return takt_mutex_unlock(&mutex_); }

  private:
    struct takt_mutex mutex_;
};

/* Interrupts and other cores out, for a few instructions. See takt/spinlock.h. */
class Spinlock
{
  public:
    constexpr Spinlock() = default;
    Spinlock(const Spinlock &) = delete;
    Spinlock &operator=(const Spinlock &) = delete;

    TAKT_INLINED void lock() { takt_spinlock_lock(&lock_); }
    TAKT_INLINED void unlock() { takt_spinlock_unlock(&lock_); }

  private:
    struct takt_spinlock lock_ = TAKT_SPINLOCK_INIT;
};

/*
 * A critical section, to the end of the scope: interrupts and the scheduler off. For a few
 * instructions, within which nothing waits; they nest.
 *
 *     { takt::Critical section; copy = count; }
 *
 * The build finds out how long it lasts; where it says that it cannot, state it, as a constant:
 * Critical section{300_us}.
 */
class Critical
{
  public:
    TAKT_INLINED Critical() : state_(port_irq_save()) {}
    TAKT_INLINED explicit Critical(Duration longest) : state_(port_irq_save())
    {
        TAKT_SECTION_US(static_cast<int32_t>(longest.us));
    }
    TAKT_INLINED ~Critical() { port_irq_restore(state_); }
    Critical(const Critical &) = delete;
    Critical &operator=(const Critical &) = delete;

  private:
    port_irq_t state_;
};

/* A counting semaphore: wait() blocks the calling loop until there is a unit to take. */
class Semaphore
{
  public:
    constexpr explicit Semaphore(uint16_t initial = 0, uint16_t max = 0xFFFF)
        : sem_{0, initial, max}
    {
    }
    Semaphore(const Semaphore &) = delete;
    Semaphore &operator=(const Semaphore &) = delete;

    bool wait() { return takt_sem_wait(&sem_) == TAKT_OK; }
    bool wait(Duration longest)
    {
        return takt_sem_wait_for(&sem_, static_cast<uint32_t>(longest.us)) == TAKT_OK;
    }
    bool tryWait() { return takt_sem_try(&sem_) == TAKT_OK; }
    bool signal() { return takt_sem_signal(&sem_) == TAKT_OK; }
    bool signalFromInterrupt() { return takt_sem_signal_isr(&sem_) == TAKT_OK; }
    constexpr struct takt_sem *raw() { return &sem_; } /* for the functions of takt/sem.h */

  private:
    struct takt_sem sem_;
};

__attribute__((noinline, cold, noreturn)) inline void unlocked_before()
{
    takt_fatal(TAKT_FATAL_CONTEXT, takt_self(),
               "Guard's mutex was unlocked before, or locked twice");
    __builtin_unreachable();
}

/* Holds a Mutex or Spinlock to the end of the scope. Of a Mutex that the loop has locked already it
 * would end the section of the first one: fatal, when that ends. */
template <typename L> class Guard
{
  public:
    TAKT_INLINED explicit Guard(L &lock) : lock_(lock) { lock_.lock(); }
    TAKT_INLINED ~Guard() { give(lock_); }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

  private:
    static TAKT_INLINED void give(Spinlock &lock) { lock.unlock(); }
    static TAKT_INLINED void give(Mutex &lock)
    {
        if (lock.unlock() == TAKT_EOWNER)
            unlocked_before();
    }

    L &lock_;
};

} // namespace takt

#undef TAKT_INLINED
#endif
