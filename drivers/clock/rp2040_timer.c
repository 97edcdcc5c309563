/*
 * The RP2040's timer from reset on (data sheet 4.6). Apart from the kernel clock, which a program
 * may have elsewhere.
 */
#include "../rp2040/rp2040.h"

void rp2040_timer_start(void)
{
    rp2040_release(RP2040_RESET_TIMER);
    RP2040_TIMER->armed = 0xF; /* disarm what ran before a warm start */
    RP2040_TIMER->intf = 0;
    RP2040_TIMER->intr = 0xF;
    RP2040_TIMER->inte = 0;
}
