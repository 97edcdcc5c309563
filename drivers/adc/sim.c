/*
 * ADC of the simulated chip: 12 bits of 3.3 V.
 */
#include <takt/adc.h>
#include <takt/port.h>

#include "../sim/chip.h"

int takt_adc_read(uint8_t pin)
{
    if (pin < 26 || pin > 29)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    sim_cost(SIM_COST_ADC);
    double steps = sim_volts[pin - 26] / 3.3 * 4095.0 + 0.5;
    return steps < 0 ? 0 : steps > 4095 ? 4095 : (int)steps;
}
