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
void takt_unhandled(uint32_t exception) __attribute__((noreturn)); /* from vectors.h */

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
    takt_fatal(TAKT_FATAL_CONTEXT, TAKT_NOBODY, "main() returned without takt_start()");
}

/* Never called and dropped by the linker; but it makes the linker look for what newlib is to use
 * in the drivers first, before it finds newlib's own. */
void takt_libc_hooks(void);
void takt_libc_hooks(void)
{
    void *_sbrk(ptrdiff_t bytes);
    void __malloc_lock(void *reent);
    (void)_sbrk(0);
    __malloc_lock(NULL);
}

void takt_unhandled(uint32_t exception)
{
    static char why[] = "no handler for exception ...";
    why[25] = (char)('0' + exception / 100u % 10u);
    why[26] = (char)('0' + exception / 10u % 10u);
    why[27] = (char)('0' + exception % 10u);
    takt_fatal(TAKT_FATAL_FAULT, takt_self(), why);
}
