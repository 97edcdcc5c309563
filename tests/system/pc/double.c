/*
 * A thread cuts the table of interrupts behind the double fault, and reads where nothing is: neither
 * that exception nor the one that follows from it can be taken.
 */
#include <takt/time.h>
#include <takt/thread.h>

enum { LAST_THERE = 8, ENTRY = 16, LATER_US = 20000 };

struct table {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static void cutter(void *arg)
{
    (void)arg;
    takt_sleep(LATER_US);
    struct table table;
    __asm__ volatile("cli\n\tsidt %0" : "=m"(table));
    table.limit = (LAST_THERE + 1) * ENTRY - 1;
    __asm__ volatile("lidt %0" : : "m"(table));
    *(volatile int *)0 = 1;
}

TAKT_THREAD(cutter, 1, cutter, 0, 4096);

int main(void)
{
    takt_start();
}
