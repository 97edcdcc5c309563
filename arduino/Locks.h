/*
 * Locks between loops. All but Critical and Guard, which are for scopes, can be global objects:
 * nothing runs to construct them.
 */
#ifndef TAKT_CXX_LOCKS_H
#define TAKT_CXX_LOCKS_H

#include <takt/mutex.h>
#include <takt/sem.h>
#include <takt/spinlock.h>

#include "Duration.h"

namespace takt
{

/*
 * Mutual exclusion by priority ceiling: while it is locked no other loop runs (or, with a ceiling,
 * none at or below that place), so locking never waits. Inside, nothing may wait: delay() and the
 * like do not sleep there.
 */
class Mutex
{
  public:
    constexpr explicit Mutex(uint8_t ceiling = 0) : mutex_ TAKT_MUTEX_INIT(ceiling) {}
    Mutex(const Mutex &) = delete;
    Mutex &operator=(const Mutex &) = delete;

    int lock() { return takt_mutex_lock(&mutex_); }     /* TAKT_OK, or see takt/mutex.h */
    int unlock() { return takt_mutex_unlock(&mutex_); } /* in the reverse order of locking */

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

    void lock() { takt_spinlock_lock(&lock_); }
    void unlock() { takt_spinlock_unlock(&lock_); }

  private:
    struct takt_spinlock lock_ = TAKT_SPINLOCK_INIT;
};

/*
 * A critical section, to the end of the scope: interrupts and the scheduler off. For a few
 * instructions, within which nothing waits; they nest.
 *
 *     { takt::Critical section; copy = count; }
 */
class Critical
{
  public:
    Critical() : state_(port_irq_save()) {}
    ~Critical() { port_irq_restore(state_); }
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

/* Holds a Mutex or Spinlock to the end of the scope. */
template <typename L> class Guard
{
  public:
    explicit Guard(L &lock) : lock_(lock) { lock_.lock(); }
    ~Guard() { lock_.unlock(); }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

  private:
    L &lock_;
};

} // namespace takt

#endif
