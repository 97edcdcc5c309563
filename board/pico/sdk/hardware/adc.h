/*
 * The ADC by the names of the pico's SDK. analogRead() uses the same converter: one of the two, or
 * one after the other in one loop. A conversion takes 2 us, for which adc_read() keeps the loop
 * busy.
 */
#ifndef TAKT_HARDWARE_ADC_H
#define TAKT_HARDWARE_ADC_H

#include <hardware/gpio.h>
#include <hardware/resets.h>
#include <hardware/structs/adc.h>

#define NUM_ADC_CHANNELS 5u /* the last one: the temperature sensor */

static inline void takt_adc_await_(void)
{
    while ((adc_hw->cs & ADC_CS_READY_BITS) == 0) {
    }
}

static inline void adc_init(void)
{
    reset_block(RESETS_RESET_ADC_BITS);
    unreset_block_wait(RESETS_RESET_ADC_BITS);
    adc_hw->cs = ADC_CS_EN_BITS;
    takt_adc_await_();
}

/* GPIO26 to 29: only the converter loads the pad. */
static inline void adc_gpio_init(uint gpio)
{
    gpio_set_function(gpio, GPIO_FUNC_NULL);
    gpio_disable_pulls(gpio);
    gpio_set_input_enabled(gpio, false);
}

static inline void adc_select_input(uint input)
{
    hw_write_masked(&adc_hw->cs, input << ADC_CS_AINSEL_LSB, ADC_CS_AINSEL_BITS);
}

static inline uint adc_get_selected_input(void)
{
    return (adc_hw->cs & ADC_CS_AINSEL_BITS) >> ADC_CS_AINSEL_LSB;
}

/* Inputs to take in turn, 0: none. */
static inline void adc_set_round_robin(uint inputs)
{
    hw_write_masked(&adc_hw->cs, inputs << ADC_CS_RROBIN_LSB, ADC_CS_RROBIN_BITS);
}

static inline void adc_set_temp_sensor_enabled(bool enabled)
{
    hw_write_masked(&adc_hw->cs, enabled ? ADC_CS_TS_EN_BITS : 0u, ADC_CS_TS_EN_BITS);
}

static inline uint16_t adc_read(void)
{
    hw_set_bits(&adc_hw->cs, ADC_CS_START_ONCE_BITS);
    takt_adc_await_();
    return (uint16_t)adc_hw->result;
}

/* One conversion after the other, into the FIFO. */
static inline void adc_run(bool on)
{
    hw_write_masked(&adc_hw->cs, on ? ADC_CS_START_MANY_BITS : 0u, ADC_CS_START_MANY_BITS);
}

/* 1 + div periods of 48 MHz from one to the next, 96 at least. */
static inline void adc_set_clkdiv(float div)
{
    adc_hw->div = (uint32_t)(div * 256.0f);
}

static inline void adc_fifo_setup(bool on, bool dreq, uint16_t threshold, bool errors, bool bytes)
{
    adc_hw->fcs = (on ? ADC_FCS_EN_BITS : 0u) | (dreq ? ADC_FCS_DREQ_EN_BITS : 0u) |
                  (uint32_t)threshold << ADC_FCS_THRESH_LSB | (errors ? ADC_FCS_ERR_BITS : 0u) |
                  (bytes ? ADC_FCS_SHIFT_BITS : 0u);
}

static inline bool adc_fifo_is_empty(void)
{
    return (adc_hw->fcs & ADC_FCS_EMPTY_BITS) != 0;
}

static inline uint8_t adc_fifo_get_level(void)
{
    return (uint8_t)(adc_hw->fcs >> ADC_FCS_LEVEL_LSB & 15u);
}

static inline uint16_t adc_fifo_get(void)
{
    return (uint16_t)adc_hw->fifo;
}

static inline uint16_t adc_fifo_get_blocking(void)
{
    while (adc_fifo_is_empty()) {
    }
    return adc_fifo_get();
}

/* And what is under way. */
static inline void adc_fifo_drain(void)
{
    takt_adc_await_();
    while (!adc_fifo_is_empty())
        (void)adc_fifo_get();
}

/* ADC_IRQ_FIFO, as hardware/irq.h has it: as many as the threshold are there. */
static inline void adc_irq_set_enabled(bool enabled)
{
    adc_hw->inte = enabled;
}

#endif
