/*
 * What newlib asks of a system. Takt itself allocates nothing; malloc is here for code that uses
 * it (String): its memory is what static objects leave, and it is safe between threads.
 *
 * While it is locked every other thread waits (a mutex of ceiling 0), interrupts do not.
 */
#include <errno.h>
#include <malloc.h>
#include <reent.h>
#include <stddef.h>
#include <string.h>

#include <takt/fact.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/thread.h>

extern char __heap_start[], __heap_end[]; /* from the link script */

void *_sbrk(ptrdiff_t bytes)
{
    static char *top = __heap_start;
    if (bytes > __heap_end - top || bytes < __heap_start - top) {
        errno = ENOMEM;
        return (void *)-1;
    }
    char *block = top;
    top += bytes;
    return block;
}

/* Their addresses are taken only to see whether they are linked. */
TAKT_FACT_OF(_printf_float, "called nowhere");
TAKT_FACT_OF(_scanf_float, "called nowhere");

/* A failed assert(), also of the conversion of reals. newlib's own prints by stdio, which calls
 * itself: no stack could be sized for that. */
void __wrap___assert_func(const char *file, int line, const char *function, const char *expression)
{
    (void)file, (void)line, (void)function; /* what the caller is tells as much */
    char why[64] = "assertion failed: ";
    strlcat(why, expression, sizeof why);
    takt_fatal(TAKT_FATAL_ASSERT, takt_self(), why);
}

/* exit() and abort() end here: there is nowhere to go back to. */
void _exit(int status)
{
    (void)status;
    takt_fatal(TAKT_FATAL_EXIT, takt_self(), "the program called exit or abort");
}

/* The search for room takes longer the more pieces of free memory there are; 1000 cycles at 16 MHz.
 * */
#define LONGEST_US 60
static struct takt_mutex heap = TAKT_MUTEX_COMPUTED(LONGEST_US);
static unsigned nested; /* newlib locks again inside; written by the holder only */

void __wrap___malloc_lock(struct _reent *reent)
{
    (void)reent;
    if (port_in_isr())
        takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), "malloc or free in an interrupt");
    if (takt_mutex_lock(&heap) == TAKT_EOWNER) /* in main it is refused, where no thread runs */
        nested++;
}

void __wrap___malloc_unlock(struct _reent *reent)
{
    (void)reent;
    if (nested > 0)
        nested--;
    else
        (void)takt_mutex_unlock(&heap);
}
