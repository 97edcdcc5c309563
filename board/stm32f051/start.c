/*
 * From reset to main: chip, memory, constructors. Runs on the interrupt stack, which main keeps
 * until takt_start(). Every reset of this chip resets all of its blocks, so what follows starts
 * from known values.
 *
 * The chip's state is data, see drivers/stm32f0/start.h. HSI / 2 x 12 = 48 MHz needs one wait
 * state; the switch to the PLL happens by itself when that is stable (RM0091 6.2.6).
 */
#include <takt/thread.h>

#include "../../drivers/stm32f0/start.h"

STM32F0_START(flash, 10, STM32F0_FLASH->acr, STM32F0_FLASH_PREFETCH | STM32F0_FLASH_ONE_WAIT);
STM32F0_START(multiply, 11, STM32F0_RCC->cfgr, STM32F0_CFGR_PLL_X12);
STM32F0_START_ADD(pll, 12, STM32F0_RCC->cr, STM32F0_CR_PLL_ON);
STM32F0_START(turn, 13, STM32F0_RCC->cfgr, STM32F0_CFGR_PLL_X12 | STM32F0_CFGR_SWITCH_PLL);
STM32F0_START_ADD(ports, 20, STM32F0_RCC->ahbenr, STM32F0_AHB_PORTS);

/* from sections.ld */
extern const struct stm32f0_record __takt_init_start[], __takt_init_end[];
extern uint32_t __takt_data_load[], __takt_data_start[], __takt_data_end[];
extern uint32_t __takt_bss_start[], __takt_bss_end[];
extern uint32_t __takt_core_start[], __takt_core_end[];
extern void (*const __init_array_start[])(void);
extern void (*const __init_array_end[])(void);

int main(void);
void takt_reset(void) __attribute__((noreturn));

static void chip_start(void)
{
    for (const struct stm32f0_record *r = __takt_init_start; r != __takt_init_end; r++) {
        stm32f0_reg *reg = (stm32f0_reg *)(r->where & ~STM32F0_ADD);
        uint32_t value = r->value;
        if (r->where & STM32F0_ADD)
            value |= *reg;
        *reg = value;
    }
    while ((STM32F0_RCC->cfgr & STM32F0_CFGR_RUNS_MASK) != STM32F0_CFGR_RUNS_PLL) {
    }
}

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
    chip_start();
    memory_start();
    for (void (*const *constructor)(void) = __init_array_start; constructor != __init_array_end;)
        (*constructor++)();
    (void)main();
    takt_fatal(TAKT_FATAL_START, TAKT_NOBODY, NULL);
}
