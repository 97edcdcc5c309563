/*
 * What avr-libc asks of a system. Takt itself allocates nothing; malloc is here for those who use
 * it (String): its memory is what static objects leave, and it is safe between threads.
 *
 * While it is locked every other thread waits (a mutex of ceiling 0), interrupts do not. realloc() and
 * calloc() call the others, so it may be locked already.
 */
#include <stdlib.h>

#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/thread.h>

extern char __heap_end[]; /* from the link script, as is the start, which malloc knows */

void *__real_malloc(size_t size);
void *__real_calloc(size_t items, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t items, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static struct takt_mutex heap = TAKT_MUTEX_INIT(0);

/* Whether unlock() must follow; in main it is refused, where nobody else is. */
static bool lock(void)
{
    if (port_in_isr())
        takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), "malloc or free in an interrupt");
    __malloc_heap_end = __heap_end; /* else it would look at the stack pointer */
    return takt_mutex_lock(&heap) == TAKT_OK;
}

static void unlock(bool locked)
{
    if (locked)
        (void)takt_mutex_unlock(&heap);
}

void *__wrap_malloc(size_t size)
{
    bool locked = lock();
    void *memory = __real_malloc(size);
    unlock(locked);
    return memory;
}

void *__wrap_calloc(size_t items, size_t size)
{
    bool locked = lock();
    void *memory = __real_calloc(items, size);
    unlock(locked);
    return memory;
}

void *__wrap_realloc(void *memory, size_t size)
{
    bool locked = lock();
    void *moved = __real_realloc(memory, size);
    unlock(locked);
    return moved;
}

void __wrap_free(void *memory)
{
    bool locked = lock();
    __real_free(memory);
    unlock(locked);
}

/* exit(), abort() and a failed assert() end here: there is nowhere to go back to. */
void exit(int status)
{
    (void)status;
    takt_fatal(TAKT_FATAL_EXIT, takt_self(), "the program called exit or abort");
}

void abort(void)
{
    exit(1);
}
