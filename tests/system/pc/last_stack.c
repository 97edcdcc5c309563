/*
 * A thread ends by an exception that comes in on the last stack: a machine check, or a double fault,
 * for which it cuts the table of interrupts behind that, and reads where nothing is: neither this
 * exception nor the one that follows from it can be taken.
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
#ifdef MACHINE_CHECK
    __asm__ volatile("int $18");
#endif
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
