/*
 * From reset to main: chip and clocks, then the program is copied from flash to RAM, at the speed
 * that they give, and constructors. Runs on the interrupt stack, which main keeps until
 * takt_start().
 */
#pragma long_calls /* from flash */
#include <takt/thread.h>

#include "../../drivers/rp2040/rp2040.h"

/* from pico.ld */
extern uint32_t __takt_program_load[], __takt_program_start[], __takt_program_end[];
extern uint32_t __takt_bss_start[], __takt_bss_end[];
extern void (*const __init_array_start[])(void);
extern void (*const __init_array_end[])(void);
extern const uint32_t takt_vectors[];

int main(void);
void takt_reset(void) __attribute__((noreturn, section(".reset")));

/* volatile: the compiler must not make calls of memcpy and memset of these */
static inline __attribute__((always_inline)) void memory_start(void)
{
    const uint32_t *from = __takt_program_load;
    for (volatile uint32_t *to = __takt_program_start; to != __takt_program_end;)
        *to++ = *from++;
    for (volatile uint32_t *to = __takt_bss_start; to != __takt_bss_end;)
        *to++ = 0;
}

/* Blocks that a debugger or watchdog reset may have left running stop, except what flash needs to
 * go on and the PLLs, which may still clock the CPU. Pins and clocks start, and what programs use
 * by its registers, some libraries in constructors; drivers release their own blocks. */
static inline __attribute__((always_inline)) void chip_start(void)
{
    RP2040_SET(RP2040_RESETS->reset) =
        RP2040_RESET_ALL & ~(RP2040_RESET_IO_QSPI | RP2040_RESET_PADS_QSPI | RP2040_RESET_PLL_SYS |
                             RP2040_RESET_PLL_USB | RP2040_RESET_SYSCFG);
    rp2040_clocks_start();
    rp2040_release(RP2040_RESET_IO_BANK0 | RP2040_RESET_PADS_BANK0 | RP2040_RESET_DMA |
                   RP2040_RESET_PIO0 | RP2040_RESET_PIO1 | RP2040_RESET_PWM);
}

/* From RAM: flash may be used for something else from here on. */
static __attribute__((noinline, noreturn, section(".text.program_start"))) void program_start(void)
{
    *(rp2040_reg *)0xE000ED08u = (uint32_t)takt_vectors;
    for (void (*const *constructor)(void) = __init_array_start; constructor != __init_array_end;)
        (*constructor++)();
    (void)main();
    takt_fatal(TAKT_FATAL_START, TAKT_NOBODY, NULL);
}

void takt_reset(void)
{
    chip_start();
    memory_start();
    rp2040_timer_start(); /* at 0 */
    program_start();
}
