/*
 * The chip as drivers expect it: it runs at 25 MHz from the start.
 */
#include <start.h>

#include "../../drivers/cmsdk/cmsdk.h"

#define SCB_CPACR (*(cmsdk_reg *)0xE000ED88u)

void board_start(void)
{
    SCB_CPACR |= 0xFu << 20; /* the FPU, which stacks lazily from reset */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    cmsdk_timer_start();
}
