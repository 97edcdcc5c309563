/*
 * Second boot stage of the RP2040 (data sheet 2.8.1). The boot ROM copies the first 256 bytes of
 * flash to RAM, checks the CRC in their last word and jumps to their start.
 *
 * It sets the flash controller (SSI, data sheet 4.10) to execute in place with the flash's "fast
 * read dual output" command (3Bh: command and address on one wire, eight dummy clocks, data on
 * two), which every 25-series flash knows and which needs no mode bit in the flash, at
 * clk_sys / 2. The firmware then starts as after a reset.
 *
 * The code is position independent. After a change: python3 board/pico/boot2_crc.py
 */
#include "boot2_crc.h"

#define SSI 0x18000000
#define PADS_QSPI 0x40020000
#define CLEAR 0x3000 /* alias: writing ones clears bits */
#define VECTORS 0x10000100
#define VTOR 0xE000ED08

    .syntax unified
    .cpu cortex-m0plus
    .thumb
    .section .boot2, "ax", %progbits
    .global takt_boot2
    .type takt_boot2, %function
takt_boot2:
    ldr r3, =PADS_QSPI          /* for 62.5 MHz: */
    movs r0, #0x21
    str r0, [r3, #0x04]         /* clock: 8 mA, fast edges, no input */
    ldr r3, =PADS_QSPI + CLEAR
    movs r0, #2
    str r0, [r3, #0x08]         /* data 0 and 1: no Schmitt trigger, which delays */
    str r0, [r3, #0x0C]

    ldr r3, =SSI
    movs r0, #0
    str r0, [r3, #0x08]         /* SSIENR: off while it is being set */
    movs r0, #2
    str r0, [r3, #0x14]         /* BAUDR: clk_sys / 2 */
    movs r0, #1
    ldr r1, =SSI + 0xF0
    str r0, [r1]                /* RX_SAMPLE_DLY: the board delays data by one cycle */
    ldr r0, =0x001F0300 | 1 << 21
    str r0, [r3, #0x00]         /* CTRLR0: dual, 32-bit frames, "EEPROM read" */
    movs r0, #0
    str r0, [r3, #0x04]         /* CTRLR1: one frame an access */
    ldr r0, =0x3B << 24 | 8 << 11 | 2 << 8 | 6 << 2
    str r0, [r1, #0x04]         /* SPI_CTRLR0: 3Bh, 8 dummies, 8-bit command, 24-bit address */
    movs r0, #1
    str r0, [r3, #0x10]         /* SER: the flash is slave 0 */
    str r0, [r3, #0x08]

    ldr r0, =VECTORS
    ldr r1, =VTOR
    str r0, [r1]
    ldr r1, [r0]
    msr msp, r1
    ldr r1, [r0, #4]
    bx r1
    .pool

    .org 252
    .word BOOT2_CRC
