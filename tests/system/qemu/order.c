/*
 * Threads are more urgent by period, then by priority, wherever they are defined: each runs once, and
 * says which in turn it should be.
 */
#include <takt/vcpu.h>

#include "check.h"

enum { SHORT, LONG, SEVEN, TEN, TEN_TOO, LAST, THREADS };

static uint32_t ran;

static void mark(void *arg)
{
    CHECK((uintptr_t)arg == ran);
    if (++ran == THREADS)
        done = 1;
}

TAKT_THREAD(last, 200, mark, (void *)LAST, STACK_BYTES);
TAKT_THREAD(ten, 10, mark, (void *)TEN, STACK_BYTES);
TAKT_THREAD(ten_too, 10, mark, (void *)TEN_TOO, STACK_BYTES);
TAKT_THREAD(seven, 7, mark, (void *)SEVEN, STACK_BYTES);
TAKT_BUDGET_THREAD(long_, 9000, 1000000, mark, (void *)LONG, STACK_BYTES);
TAKT_BUDGET_THREAD(short_, 9000, 90000, mark, (void *)SHORT, STACK_BYTES);

int main(void)
{
    takt_start();
}
