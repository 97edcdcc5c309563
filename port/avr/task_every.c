/*
 * Tasks alone, with a short tick: the timer interrupts at every one, but passes come as far apart
 * as the periods allow (task_spread.c). The ticks in between are counted here, by what has the
 * CPU:
 *
 *      nothing   rest(), woken by interrupt B, which does nothing
 *      a task    interrupt A counts; the last tick's is that of task.c. So it is when a trigger has
 *                started one in the midst of rest()
 */
#pragma GCC optimize("no-move-loop-invariants") /* constants would be kept in registers to save */

#include "task_passes.h"
#include "task_timer.h"

PORT_TASK_LOOK_ALONE;

#define AHEAD      GPIOR0 /* ticks to the next pass, in a register an instruction away */
#define TAKE_AHEAD "in r24, 0x1E\n\tdec r24\n\tout 0x1E, r24\n\t"
static uint8_t apart; /* and between two passes */

static void rest(void)
{
    TIMSK1 = 1 << OCIE1B;
    __asm__ volatile("1:\tsei\n\tsleep\n\tcli\n\t"
                     "sbis %[flags], %[tick]\n\trjmp 1b\n\t" /* another interrupt */
                     "out %[flags], %[seen]\n\t" TAKE_AHEAD "brne 1b"
                     :
                     : [flags] "I"(_SFR_IO_ADDR(TIFR1)), [tick] "I"(OCF1A),
                       [seen] "r"((uint8_t)(1 << OCF1A))
                     : "r24", "memory");
    AHEAD = apart;
    TIMSK1 = 1 << OCIE1A;
}

static __attribute__((noinline)) void passes(void)
{
    port_task_passes(rest);
}

/* Interrupt A, when a pass is due. */
void __vector_of_pass(void) __attribute__((signal, used));
void __vector_of_pass(void)
{
    AHEAD = apart;
    passes();
}

PORT_TASK_VECTOR(TIMER1_COMPA_vect, "push r24\n\tin r24, __SREG__\n\tpush r24\n\t" TAKE_AHEAD
                                    "breq 1f\n\t"
                                    "pop r24\n\tout __SREG__, r24\n\tpop r24\n\treti\n"
                                    "1:\tpop r24\n\tout __SREG__, r24\n\tpop r24\n\t"
                                    "jmp __vector_of_pass");
PORT_TASK_VECTOR(TIMER1_COMPB_vect, "reti");

void port_tasks_run_every(uint16_t top, uint8_t clock)
{
    cli();
    apart = (uint8_t)port_tasks_spread(UINT8_MAX);
    AHEAD = apart;
    timer_start(top, clock);
    passes();
    __builtin_unreachable();
}
