/* The ADC (RP2040 data sheet 4.9.6). */
#ifndef TAKT_HARDWARE_STRUCTS_ADC_H
#define TAKT_HARDWARE_STRUCTS_ADC_H

#include <hardware/address_mapped.h>

typedef struct {
    io_rw_32 cs;
    io_ro_32 result;
    io_rw_32 fcs;
    io_ro_32 fifo;
    io_rw_32 div;
    io_ro_32 intr;
    io_rw_32 inte, intf;
    io_ro_32 ints;
} adc_hw_t;

#define adc_hw ((adc_hw_t *)0x4004C000u)

#define ADC_CS_EN_BITS         0x00000001u
#define ADC_CS_TS_EN_BITS      0x00000002u
#define ADC_CS_START_ONCE_BITS 0x00000004u
#define ADC_CS_START_MANY_BITS 0x00000008u
#define ADC_CS_READY_BITS      0x00000100u
#define ADC_CS_AINSEL_BITS     0x00007000u
#define ADC_CS_AINSEL_LSB      12
#define ADC_CS_RROBIN_BITS     0x001F0000u
#define ADC_CS_RROBIN_LSB      16
#define ADC_FCS_EN_BITS        0x00000001u
#define ADC_FCS_SHIFT_BITS     0x00000002u
#define ADC_FCS_ERR_BITS       0x00000004u
#define ADC_FCS_DREQ_EN_BITS   0x00000008u
#define ADC_FCS_EMPTY_BITS     0x00000100u
#define ADC_FCS_LEVEL_LSB      16
#define ADC_FCS_THRESH_LSB     24

#endif
