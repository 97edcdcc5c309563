/*
 * OwnerLock: a binary semaphore and its owner. `owner_` equals the caller only if the caller itself
 * wrote it, so it may be compared without the lock. Where there is one thread it has all locks.
 */
#include "serial_gate.h"

#include "pin_lines.h"

#include <takt/job.h>
#include <takt/port.h>
#include <takt/thread.h>

/* Stands for takt_sem_wait() where no handler is a thread (pin_lines.h). */
__attribute__((weak)) int takt::wait_for_lock(struct takt_sem *sem)
{
    return takt_sem_wait(sem);
}

namespace takt
{

bool OwnerLock::acquire(bool off)
{
    if (port_in_isr())
        return false;
    if (TAKT_ONE_THREAD)
        return true;
    Owner self = own();
    if (self == NO_OWNER)
        return false;
    if (owner_ != self) {
        takt_begin_whole_call();
        if (wait_for_lock(&free_) != TAKT_OK && !(off && takt_sem_try(&free_) == TAKT_OK)) {
            takt_end_whole_call();
            return false;
        }
        owner_ = self;
    }
    depth_++;
    return true;
}

void OwnerLock::release()
{
    if (TAKT_ONE_THREAD || --depth_ > 0)
        return;
    owner_ = NO_OWNER;
    if (takt_sem_signal(&free_) != TAKT_OK)
        takt_sem_signal_isr(&free_); /* interrupts are off */
    takt_end_whole_call();
}

bool OwnerLock::held() const
{
    return !port_in_isr() && (TAKT_ONE_THREAD || (own() != NO_OWNER && owner_ == own()));
}

} // namespace takt
