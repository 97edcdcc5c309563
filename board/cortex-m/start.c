/*
 * From reset to main: memory, chip, constructors. Runs on the interrupt stack, which main keeps
 * until takt_start().
 */
#include <takt/thread.h>

#include "start.h"

/* from sections.ld */
extern uint32_t __takt_data_load[], __takt_data_start[], __takt_data_end[];
extern uint32_t __takt_bss_start[], __takt_bss_end[];
extern uint32_t __takt_core_start[], __takt_core_end[];
extern void (*const __init_array_start[])(void);
extern void (*const __init_array_end[])(void);

int main(void);
void takt_reset(void) __attribute__((noreturn));

/* volatile: the compiler must not make calls of memcpy and memset of these */
static void memory_start(void)
{
    const uint32_t *from = __takt_data_load;
    for (volatile uint32_t *to = __takt_data_start; to != __takt_data_end;)
        *to++ = *from++;
    for (volatile uint32_t *to = __takt_bss_start; to != __takt_bss_end;)
        *to++ = 0;
    for (volatile uint32_t *to = __takt_core_start; to != __takt_core_end;)
        *to++ = 0;
}

void takt_reset(void)
{
    memory_start();
    board_start();
    for (void (*const *constructor)(void) = __init_array_start; constructor != __init_array_end;)
        (*constructor++)();
    (void)main();
    takt_fatal(TAKT_FATAL_START, TAKT_NOBODY, NULL);
}
