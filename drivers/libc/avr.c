/*
 * What avr-libc asks of a system. Takt itself allocates nothing; malloc is here for code that uses
 * it (String): its memory is what static objects leave, and it is safe between threads (wrapped.c).
 */
#include <stdlib.h>

#include <takt/thread.h>

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
