/* Resets of blocks (RP2040 data sheet 2.14): a bit for each, 1: held in it. */
#ifndef TAKT_HARDWARE_RESETS_H
#define TAKT_HARDWARE_RESETS_H

#include <hardware/address_mapped.h>

typedef struct {
    io_rw_32 reset, wdsel;
    io_ro_32 reset_done;
} resets_hw_t;

#define resets_hw ((resets_hw_t *)0x4000C000u)

#define RESETS_RESET_ADC_BITS   (1u << 0)
#define RESETS_RESET_DMA_BITS   (1u << 2)
#define RESETS_RESET_I2C0_BITS  (1u << 3)
#define RESETS_RESET_I2C1_BITS  (1u << 4)
#define RESETS_RESET_PIO0_BITS  (1u << 10)
#define RESETS_RESET_PIO1_BITS  (1u << 11)
#define RESETS_RESET_PWM_BITS   (1u << 14)
#define RESETS_RESET_SPI0_BITS  (1u << 16)
#define RESETS_RESET_SPI1_BITS  (1u << 17)
#define RESETS_RESET_UART0_BITS (1u << 22)
#define RESETS_RESET_UART1_BITS (1u << 23)

static inline void reset_block(uint32_t blocks)
{
    hw_set_bits(&resets_hw->reset, blocks);
}

static inline void unreset_block(uint32_t blocks)
{
    hw_clear_bits(&resets_hw->reset, blocks);
}

static inline void unreset_block_wait(uint32_t blocks)
{
    unreset_block(blocks);
    while ((~resets_hw->reset_done & blocks) != 0) {
    }
}

#endif
