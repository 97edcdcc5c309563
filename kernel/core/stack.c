/*
 * Has a stack overflowed?
 */
#include "cpu.h"

#define STACK_RESERVE 16     /* bytes above the sentinel a switch itself still needs */

/* A stack is sound when its sentinel stands and the stack pointer is above it. What says whose it
 * is may be gone: it lies next to the stacks. */
void takt_check_stack(uint8_t place)
{
    if (place >= TAKT_PLACES && place < TAKT_TCBS)
        return; /* where a CPU begins */
    const char *sp = port_thread_sp();
    const struct takt_thread *const *thread = &takt_table[place];
    if (takt_is_thread(thread)) {
        const char *stack = TAKT_FLASH_POINTER(&TAKT_FLASH_POINTER(thread)->stack);
        if (sp >= stack + STACK_RESERVE && *(const takt_sentinel_t *)(const void *)stack == TAKT_SENTINEL)
            return;
    }
    takt_fatal(TAKT_FATAL_STACK, place, NULL);
}
