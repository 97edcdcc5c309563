/* Clocks, as the board's start sets them (drivers/clock/rp2040_clocks.c); they stay so. */
#ifndef TAKT_HARDWARE_CLOCKS_H
#define TAKT_HARDWARE_CLOCKS_H

#include <pico/types.h>

enum clock_index {
    clk_gpout0 = 0,
    clk_gpout1,
    clk_gpout2,
    clk_gpout3,
    clk_ref,
    clk_sys,
    clk_peri,
    clk_usb,
    clk_adc,
    clk_rtc,
    CLK_COUNT
};
typedef enum clock_index clock_handle_t;

/* Hz; 0: it does not run. */
static inline uint32_t clock_get_hz(clock_handle_t clock)
{
    switch (clock) {
    case clk_sys:
    case clk_peri:
        return 125000000;
    case clk_ref:
        return 12000000;
    case clk_usb:
    case clk_adc:
        return 48000000;
    default:
        return 0;
    }
}

#endif
