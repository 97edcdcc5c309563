/*
 * Two threads, on two CPUs if there are, mask a line each, again and again, and look at the I/O APIC
 * whether it is.
 */
#include <irq.h>
#include <takt/cpus.h>
#include <takt/port.h>
#include <takt/sem.h>

#include "check.h"

enum { ROUNDS = 3000, LINES = 2, SELECT = 0, WINDOW = 4, ROUTES = 0x10, MASKED = 1 << 16 };

static volatile uint32_t *const io_apic = (volatile uint32_t *)0xFEC00000;
static const uint8_t lines[LINES] = {5, 7};
static struct takt_sem over = TAKT_SEM_INIT(0);

static void nothing(void *arg)
{
    (void)arg;
}

static bool is_masked(uint8_t line)
{
    port_irq_t irq = port_irq_save();
    io_apic[SELECT] = ROUTES + 2u * line;
    bool masked = io_apic[WINDOW] & MASKED;
    port_irq_restore(irq);
    return masked;
}

static void mask(void *arg)
{
    uint8_t line = lines[(uintptr_t)arg];
    CHECK(irq_line(line, nothing, NULL) > 0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        irq_line_mask(line, round % 2);
        CHECK(is_masked(line) == round % 2);
    }
    takt_sem_signal(&over);
}

static void judge(void *arg)
{
    (void)arg;
    for (int i = 0; i < LINES; i++)
        takt_sem_wait(&over);
    done = 1;
}

TAKT_THREAD(judge, 1, judge, 0, 4096);
TAKT_THREAD(one, 2, mask, (void *)0, 4096);
TAKT_THREAD(two, 3, mask, (void *)1, 4096);
TAKT_ON_CPU(one, 0);
TAKT_ON_CPU(two, 1);

int main(void)
{
    takt_start();
}
