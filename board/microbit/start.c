/*
 * The chip as drivers expect it. It needs no help to run at 16 MHz but for its crystal, without
 * which the UART would be off by too much.
 */
#include <start.h>

#include "../../drivers/nrf51/nrf51.h"

#define COLUMN_1 4u

void board_start(void)
{
    NRF51_CLOCK->hfclk_started = 0;
    NRF51_CLOCK->hfclk_start = 1;
    while (NRF51_CLOCK->hfclk_started == 0) {
    }
    nrf51_timer_start();
    NRF51_GPIO->pin_cnf[COLUMN_1] = NRF51_PIN_OUTPUT; /* low: LED_BUILTIN, a row, lights its LED */
}
