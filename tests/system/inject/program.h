/*
 * What both programs that are disturbed have: four threads and a semaphore of each, two interrupts,
 * main().
 */
#ifndef TAKT_TESTS_INJECT_PROGRAM_H
#define TAKT_TESTS_INJECT_PROGRAM_H

#include <takt/io.h>
#include <takt/isr.h>
#include <takt/mutex.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/task.h>
#include <takt/thread.h>
#include <takt/vcpu.h>

/* Interrupts 8 and 9, which the chips give to devices that no driver here uses. */
#if defined(__AVR__)
#define HIGH_HANDLER isr_INT0
#define LOW_HANDLER  isr_INT1
PORT_VECTOR_(INT0_vect, "isr_INT0");
PORT_VECTOR_(INT1_vect, "isr_INT1");
#elif defined(BOARD_PICO)
#define HIGH_HANDLER isr_pio0_1
#define LOW_HANDLER  isr_pio1_0
#else
#define HIGH_HANDLER isr_tsc
#define LOW_HANDLER  isr_dma1
#endif
void HIGH_HANDLER(void);
void LOW_HANDLER(void);

#if defined(__AVR__)
#define STACK_BYTES 160
#else
#define STACK_BYTES 512
#endif

/* As tasks have it; no thread runs this one. */
#if defined(DISPATCHER_IN_C)
TAKT_NEEDS_(TASKS);
TAKT_TASK(none, 0, TAKT_TICK_US)
{
}
#endif

/* Budgets that last for all windows. The last thread may have none, and the first may be a bottom
 * half, which works for the last. */
#if defined(BUDGETS)
#define THREAD(id, order, entry, arg)                                                              \
    TAKT_BUDGET_THREAD(id, 50000000, 250000000 + (order), entry, arg, STACK_BYTES + 88);
#else
#define THREAD(id, order, entry, arg) TAKT_THREAD(id, order, entry, arg, STACK_BYTES);
#endif
#if defined(LAST_HAS_NONE)
#define LAST_THREAD(id, order, entry, arg)                                                         \
    TAKT_THREAD(id, order, entry, arg, STACK_BYTES + 88);
#else
#define LAST_THREAD THREAD
#endif
#if defined(FIRST_IS_BOTTOM)
#define FIRST_THREAD(id, order, entry, arg)                                                        \
    TAKT_IO_THREAD(id, 1, 1, entry, arg, STACK_BYTES + 88);
extern struct takt_io_vcpu takt_io_top;
#else
#define FIRST_THREAD THREAD
#endif

TAKT_TELLS_FATAL;

enum { TOP, MID, WORK, BASE, THREADS };

volatile uint32_t opened, closed, wrong, told[THREADS], served[THREADS];
extern volatile uint32_t wakes[2]; /* the thread that each interrupt wakes */
struct takt_sem sems[THREADS] = {
    TAKT_SEM_INIT(0),
    TAKT_SEM_INIT(0),
    TAKT_SEM_INIT(0),
    TAKT_SEM_INIT(0),
};

/* What the compiler takes for granted at the beginning of a handler. */
static uint8_t broken(void)
{
    uint8_t zero = 0;
#if defined(__AVR__)
    __asm__ volatile("ldi %0, 1\n\tcp __zero_reg__, %0\n\tsbc %0, %0\n\tinc %0" : "=d"(zero));
#endif
    return zero;
}

static void tell(uint32_t place, uint8_t source)
{
    wrong += broken();
    takt_isr_enter();
    told[place]++;
#if defined(FIRST_IS_BOTTOM)
    if (place == TOP)
        takt_io_raise_isr(&takt_io_top, BASE);
    else
#endif
        wrong += takt_sem_signal_isr(&sems[place]) != TAKT_OK;
    takt_isr_exit(source);
}

void HIGH_HANDLER(void)
{
    tell(wakes[0], 8);
}

void LOW_HANDLER(void)
{
    tell(wakes[1], 9);
}

static void listen(void)
{
#if !defined(__AVR__)
    *(volatile uint32_t *)0xE000E408u = 0x8040; /* interrupts 8 and 9 */
    *(volatile uint32_t *)0xE000E100u = 0x300;
#endif
}

int main(void)
{
    takt_start();
}

#endif
