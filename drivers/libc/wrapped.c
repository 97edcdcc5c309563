/*
 * malloc() and its like made safe between threads, on boards whose C library knows nothing of
 * threads: they are linked under other names, with these in their places (--wrap).
 *
 * While it is locked every other thread waits (a mutex of ceiling 0), interrupts do not. realloc()
 * and calloc() call the others, so it may be locked already.
 */
#include <stdlib.h>

#include <takt/flash.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/thread.h>

#ifdef __AVR__
extern char __heap_end[]; /* from the link script, as is the start, which malloc knows */
/* Else it looks at the stack pointer. */
#define BEFORE_MALLOC() (void)(__malloc_heap_end = __heap_end)
#else
#define BEFORE_MALLOC() (void)0
#endif

void *__real_malloc(size_t size);
void *__real_calloc(size_t items, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t items, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

/* The search for room takes longer the more pieces of free memory there are; 1000 cycles. */
#ifdef F_CPU
#define LONGEST_US (1000000000 / (F_CPU / 1000) / 1000)
#else
#define LONGEST_US 60
#endif
static struct takt_mutex heap = TAKT_MUTEX_COMPUTED(LONGEST_US);

static __attribute__((noinline, noreturn)) void stop_in_isr(void)
{
    TAKT_FACT("last");
    takt_fatal(TAKT_FATAL_CONTEXT, takt_self(),
               TAKT_FLASH_TEXT(32, TAKT_FLASH_STRING("malloc or free in an interrupt")));
}

/* Whether unlock() must follow; in main it is refused, where no thread runs. */
static bool lock(void)
{
    if (port_in_isr())
        stop_in_isr();
    BEFORE_MALLOC();
    return !TAKT_ONE_THREAD && takt_mutex_lock(&heap) == TAKT_OK;
}

static void unlock(bool locked)
{
    if (!TAKT_ONE_THREAD && locked)
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
