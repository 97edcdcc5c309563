/*
 * Threads created at run time; only where the table of threads is in RAM (TAKT_DYNAMIC: boards
 * `sim` and `pc`).
 */
#ifndef TAKT_CREATE_H
#define TAKT_CREATE_H

#include <takt/vcpu.h>

/*
 * Adds a thread and makes it ready; it may run before the call returns. The descriptor, its stack
 * and its VCPU (if any; initialised with TAKT_VCPU_INIT) must stay in memory for good. A thread
 * with a VCPU is placed rate monotonically, one without comes last. Thread context, O(threads).
 * Returns its place; TAKT_EADMIT when the exact test refuses the enlarged set, TAKT_ENOSPACE
 * beyond TAKT_PLACES threads, TAKT_EINVAL for a budget out of range, TAKT_ECONTEXT in an interrupt,
 * before start or holding a mutex. On error nothing has changed.
 */
int takt_thread_create(const struct takt_thread *thread);

#endif
