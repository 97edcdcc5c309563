/* The DMA (RP2040 data sheet 2.5.7). */
#ifndef TAKT_HARDWARE_STRUCTS_DMA_H
#define TAKT_HARDWARE_STRUCTS_DMA_H

#include <hardware/address_mapped.h>

#define NUM_DMA_CHANNELS 12u
#define NUM_DMA_TIMERS   4u

/* Four sets of the same registers; a write of the last one of a set starts the channel. */
typedef struct {
    io_rw_32 read_addr, write_addr, transfer_count, ctrl_trig;
    io_rw_32 al1_ctrl, al1_read_addr, al1_write_addr, al1_transfer_count_trig;
    io_rw_32 al2_ctrl, al2_transfer_count, al2_read_addr, al2_write_addr_trig;
    io_rw_32 al3_ctrl, al3_write_addr, al3_transfer_count, al3_read_addr_trig;
} dma_channel_hw_t;

typedef struct {
    dma_channel_hw_t ch[NUM_DMA_CHANNELS];
    uint32_t unused0[64];
    io_rw_32 intr, inte0, intf0, ints0;
    uint32_t unused1;
    io_rw_32 inte1, intf1, ints1;
    io_rw_32 timer[NUM_DMA_TIMERS];
    io_wo_32 multi_channel_trigger;
    io_rw_32 sniff_ctrl, sniff_data;
    uint32_t unused2;
    io_ro_32 fifo_levels;
    io_rw_32 abort;
    io_ro_32 n_channels;
} dma_hw_t;

#define dma_hw ((dma_hw_t *)0x50000000u)

/* Fields of CTRL. */
#define DMA_CH0_CTRL_TRIG_EN_BITS             0x00000001u
#define DMA_CH0_CTRL_TRIG_EN_LSB              0
#define DMA_CH0_CTRL_TRIG_HIGH_PRIORITY_BITS  0x00000002u
#define DMA_CH0_CTRL_TRIG_HIGH_PRIORITY_LSB   1
#define DMA_CH0_CTRL_TRIG_DATA_SIZE_BITS      0x0000000Cu
#define DMA_CH0_CTRL_TRIG_DATA_SIZE_LSB       2
#define DMA_CH0_CTRL_TRIG_INCR_READ_BITS      0x00000010u
#define DMA_CH0_CTRL_TRIG_INCR_READ_LSB       4
#define DMA_CH0_CTRL_TRIG_INCR_WRITE_BITS     0x00000020u
#define DMA_CH0_CTRL_TRIG_INCR_WRITE_LSB      5
#define DMA_CH0_CTRL_TRIG_RING_SIZE_BITS      0x000003C0u
#define DMA_CH0_CTRL_TRIG_RING_SIZE_LSB       6
#define DMA_CH0_CTRL_TRIG_RING_SEL_BITS       0x00000400u
#define DMA_CH0_CTRL_TRIG_RING_SEL_LSB        10
#define DMA_CH0_CTRL_TRIG_CHAIN_TO_BITS       0x00007800u
#define DMA_CH0_CTRL_TRIG_CHAIN_TO_LSB        11
#define DMA_CH0_CTRL_TRIG_TREQ_SEL_BITS       0x001F8000u
#define DMA_CH0_CTRL_TRIG_TREQ_SEL_LSB        15
#define DMA_CH0_CTRL_TRIG_IRQ_QUIET_BITS      0x00200000u
#define DMA_CH0_CTRL_TRIG_IRQ_QUIET_LSB       21
#define DMA_CH0_CTRL_TRIG_BSWAP_BITS          0x00400000u
#define DMA_CH0_CTRL_TRIG_BSWAP_LSB           22
#define DMA_CH0_CTRL_TRIG_BUSY_BITS           0x01000000u
#define DMA_CH0_CTRL_TRIG_WRITE_ERROR_BITS    0x20000000u
#define DMA_CH0_CTRL_TRIG_READ_ERROR_BITS     0x40000000u
#define DMA_CH0_CTRL_TRIG_AHB_ERROR_BITS      0x80000000u

#endif
