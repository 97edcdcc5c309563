/*
 * What makes one call on a serial port one piece: while a loop prints a line, or parses a number,
 * the other loops that want to do the same wait, and only they.
 */
#ifndef TAKT_SERIAL_GATE_H
#define TAKT_SERIAL_GATE_H

#include <takt/create.h>
#include <takt/sem.h>

namespace takt
{

/* A loop, by what is its own for good: its place, unless threads are created meanwhile. */
#if TAKT_DYNAMIC
using Owner = const struct takt_thread *;
constexpr Owner NO_OWNER = nullptr;
inline Owner own()
{
    return takt_thread_self();
}
#else
using Owner = uint8_t;
constexpr Owner NO_OWNER = TAKT_NOBODY;
inline Owner own()
{
    return takt_self();
}
#endif

/*
 * A lock its owner may take again. In interrupts, before the kernel runs and while a mutex is held
 * nothing can wait: there it lets everyone pass.
 */
class OwnerLock
{
  public:
    /* True: release() must follow. off: with interrupts off, too, if it is free. */
    bool acquire(bool off = false);
    void release(); /* with interrupts off, too: a loop that waits goes on at the next one */
    bool held() const; /* by the calling loop? */
    /* With interrupts off: nothing is between two calls then. */
    bool is_free() const { return owner_ == NO_OWNER; }

  private:
    struct takt_sem free_ = TAKT_SEM_BINARY_INIT(1);
    Owner owner_ = NO_OWNER; /* written by the owner only */
    uint8_t depth_ = 0;
};

/* One serial port as Print and Stream see it. Sending and receiving do not exclude one another. */
struct SerialGate {
    uint8_t port;
    OwnerLock sending = {}, receiving = {};
};

/* Holds a lock to the end of the scope; no lock, nothing to do. */
class Hold
{
  public:
    explicit Hold(OwnerLock *lock)
        : lock_(!TAKT_ONE_THREAD && lock && lock->acquire() ? lock : nullptr)
    {
    }
    ~Hold()
    {
        if (!TAKT_ONE_THREAD && lock_)
            lock_->release();
    }
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

  private:
    OwnerLock *lock_;
};

} // namespace takt

#endif
