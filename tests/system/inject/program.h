/*
 * Of both programs that are disturbed: their interrupts and threads.
 */
#ifndef TAKT_TESTS_INJECT_PROGRAM_H
#define TAKT_TESTS_INJECT_PROGRAM_H

#include <takt/thread.h>
#include <takt/vcpu.h>

/* Interrupts 8 and 9, which the chips give to devices that no driver here uses. */
#if defined(BOARD_PICO)
#define HIGH_HANDLER isr_pio0_1
#define LOW_HANDLER  isr_pio1_0
#else
#define HIGH_HANDLER isr_tsc
#define LOW_HANDLER  isr_dma1
#endif
void HIGH_HANDLER(void);
void LOW_HANDLER(void);

/* As a mutex would. */
#if defined(DISPATCHER_IN_C)
__asm__(".globl takt_dispatch_linked");
#endif

/* Budgets that last for all windows. */
#if defined(BUDGETS)
#define THREAD(id, order, entry, arg)                                                              \
    TAKT_BUDGET_THREAD(id, 200000000, 1000000000 + (order), entry, arg, 600);
#else
#define THREAD(id, order, entry, arg) TAKT_THREAD(id, order, entry, arg, 512);
#endif

#endif
