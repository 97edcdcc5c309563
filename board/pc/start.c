/*
 * From long mode to main: what the loader and the firmware say, CPU 0, interrupt controllers, the
 * clock, constructors. Runs on main's stack.
 */
#include <irq.h>
#include <page.h>
#include <takt/thread.h>
#include <x86.h>

#include "../../drivers/clock/pc_clock.h"
#include "../../drivers/libc/musl.h"
#include "apic.h"
#include "firmware.h"

extern char __heap_start[]; /* from pc.ld */
extern void (*const __init_array_start[])(void);
extern void (*const __init_array_end[])(void);

int main(void);
void takt_reset(uint32_t magic, const uint8_t *info) __attribute__((noreturn));

void takt_reset(uint32_t magic, const uint8_t *info)
{
    const uint8_t *root = pc_loader_read(magic, info);
    x86_first_cpu();
    pc_firmware_read(root);
    (void)page_guard(NULL);
    irq_start();
    apic_start();
    x86_count_cpus();
    pc_clock_start();
    musl_start(__heap_start, (char *)(uintptr_t)pc_firmware.memory_end);
    if ((uintptr_t)__heap_start > pc_firmware.memory_end)
        takt_fatal(TAKT_FATAL_START, TAKT_NOBODY, "the program needs more memory");
    for (void (*const *constructor)(void) = __init_array_start; constructor != __init_array_end;)
        (*constructor++)();
    (void)main();
    takt_fatal(TAKT_FATAL_START, TAKT_NOBODY, NULL);
}
