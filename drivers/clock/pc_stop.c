/*
 * Stops for what watches, see pc_stop.h. QEMU, stopped, moves its clock on to the next timer
 * that expires: one is set a little ahead.
 */
#include <x86.h>

#include "pc_stop.h"

#define AHEAD 20u /* the stop's own time, in QEMU */

uint32_t pc_stop_behind;
bool pc_stop_at_doorbells;

/* A watchpoint is at its beginning. Alone in its page, for QEMU looks at all that goes there. */
uint32_t pc_stop_reason[1024] __attribute__((used, aligned(4096)));

/* Its first instruction stops, and may be repeated from outside. */
void __attribute__((naked, noinline)) pc_stops(__attribute__((unused)) enum pc_stop_why why)
{
    __asm__("movl %edi, pc_stop_reason(%rip)\n\tret");
}

void pc_stop(enum pc_stop_why why)
{
    volatile uint32_t *behind = (volatile uint32_t *)(uintptr_t)pc_stop_behind;
    if (behind == NULL)
        return;
    uint64_t at = x86_ticks() / 10 + AHEAD;
    behind[0] = (uint32_t)at;
    behind[1] = (uint32_t)(at >> 32);
    pc_stops(why);
}
