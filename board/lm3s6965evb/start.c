/*
 * The chip as drivers expect it: 50 MHz from the crystal of 8 MHz by the PLL (data sheet 5.2.5),
 * and a clock for every block they use.
 */
#include <start.h>

#include "../../drivers/lm3s/lm3s.h"

enum {
    RCC_SYSDIV_4 = 3 << 23, /* PLL: 400 MHz / 2 / 4 */
    RCC_USESYSDIV = 1 << 22,
    RCC_PWRDN = 1 << 13,
    RCC_BYPASS = 1 << 11,
    RCC_XTAL_8_MHZ = 0xE << 6,
    RIS_PLL_LOCKED = 1 << 6,
    RCGC1_TIMER0 = 1 << 16,
    RCGC1_UARTS = 3,
    RCGC2_GPIOS = 0x7F,
};

static void clock_start(void)
{
    LM3S_SYSCTL->rcc = RCC_BYPASS | RCC_PWRDN | RCC_XTAL_8_MHZ;
    LM3S_SYSCTL->misc = RIS_PLL_LOCKED;
    LM3S_SYSCTL->rcc = RCC_BYPASS | RCC_XTAL_8_MHZ | RCC_SYSDIV_4 | RCC_USESYSDIV;
    while (!(LM3S_SYSCTL->ris & RIS_PLL_LOCKED)) {
    }
    LM3S_SYSCTL->rcc = RCC_XTAL_8_MHZ | RCC_SYSDIV_4 | RCC_USESYSDIV;
}

void board_start(void)
{
    clock_start();
    LM3S_SYSCTL->rcgc[1] = RCGC1_TIMER0 | RCGC1_UARTS;
    LM3S_SYSCTL->rcgc[2] = RCGC2_GPIOS;
    (void)LM3S_SYSCTL->rcgc[2]; /* a few cycles until they are there */
    lm3s_timer_start();
}
