/*
 * Second boot stage of the RP2040 (data sheet 2.8.1). The boot ROM copies the first 256 bytes of
 * flash to RAM, checks the CRC in their last word and jumps to their start.
 *
 * It sets the flash controller (SSI, data sheet 4.10) to execute in place at clk_sys / 2, with one
 * of two commands:
 *
 *   EBh on four lines, in continuous read: the mode bits A0h behind an address tell the flash that
 *       the next read has no command. 20 clocks a word. The flash must have its four lines on: bit
 *       1 of its second status register, which is set until power goes if it is not.
 *   3Bh on two lines, where that bit cannot be set: command, eight dummy clocks, 56 clocks a word.
 *       Every 25-series flash knows it.
 *
 * The firmware then starts as after a reset. The code is position independent. After a change:
 * python3 board/pico/boot2_crc.py
 */
#include "boot2_crc.h"

#define SSI 0x18000000
#define PADS_QSPI 0x40020000
#define CLEAR 0x3000 /* alias: writing ones clears bits */
#define VECTORS 0x10000100
#define VTOR 0xE000ED08

/* Registers of the SSI. */
#define CTRLR0 0x00
#define CTRLR1 0x04
#define SSIENR 0x08
#define SER 0x10
#define BAUDR 0x14
#define SR 0x28
#define DR0 0x60
#define RX_SAMPLE_DLY 0xF0
#define SPI_CTRLR0 0xF4

#define FOUR_LINES 2 /* in the flash's second status */

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
    str r0, [r3, #0x08]         /* data 0 to 3: no Schmitt trigger, which delays */
    str r0, [r3, #0x0C]
    str r0, [r3, #0x10]
    str r0, [r3, #0x14]

    ldr r3, =SSI
    movs r4, #0
    movs r5, #1
    str r4, [r3, #SSIENR]       /* off while it is being set */
    movs r0, #2
    str r0, [r3, #BAUDR]        /* clk_sys / 2 */
    ldr r6, =SSI + RX_SAMPLE_DLY
    str r5, [r6]                /* the board delays data by one cycle */
    ldr r0, =7 << 16            /* one line, 8-bit frames, both ways */
    str r0, [r3, #CTRLR0]
    str r5, [r3, #SER]          /* the flash is slave 0 */
    str r5, [r3, #SSIENR]

    bl read_status
    bne 1f
    movs r0, #0x50              /* until power goes: */
    bl exchange
    ldr r0, =FOUR_LINES << 8 | 0x31
    bl exchange
    bl read_status
1:  str r4, [r3, #SSIENR]
    str r4, [r3, #CTRLR1]       /* one frame an access */
    beq two_lines

    ldr r0, =0x001F0300 | 2 << 21
    str r0, [r3, #CTRLR0]       /* four lines, 32-bit frames, "EEPROM read" */
    ldr r0, =4 << 11 | 2 << 8 | 8 << 2 | 1
    str r0, [r6, #SPI_CTRLR0 - RX_SAMPLE_DLY] /* 8-bit command on one, address and mode on four */
    str r5, [r3, #SSIENR]
    movs r0, #0xEB
    str r0, [r3, #DR0]
    movs r0, #0xA0              /* address 0, continuous read from here on */
    str r0, [r3, #DR0]
    bl wait
    str r4, [r3, #SSIENR]
    ldr r0, =0xA0 << 24 | 4 << 11 | 8 << 2 | 2 /* no command, address and mode on four */
    b go

two_lines:
    ldr r0, =0x001F0300 | 1 << 21
    str r0, [r3, #CTRLR0]       /* two lines, 32-bit frames, "EEPROM read" */
    ldr r0, =0x3B << 24 | 8 << 11 | 2 << 8 | 6 << 2 /* 3Bh, 8 dummies, 24-bit address */
go: str r0, [r6, #SPI_CTRLR0 - RX_SAMPLE_DLY]
    str r5, [r3, #SSIENR]

    ldr r0, =VECTORS
    ldr r1, =VTOR
    str r0, [r1]
    ldr r1, [r0]
    msr msp, r1
    ldr r1, [r0, #4]
    bx r1

/* Z: the flash's four lines are not on. */
read_status:
    mov r7, lr
    ldr r0, =0xFF35             /* any second byte */
    bl exchange
    movs r1, #FOUR_LINES
    tst r0, r1
    bx r7

/* Sends the low byte of r0 and the one above, if there is one; r0: what came with that. */
exchange:
    mov r2, lr
    str r0, [r3, #DR0]
    lsrs r0, r0, #8
    beq 1f
    str r0, [r3, #DR0]
1:  bl wait
    ldr r1, [r3, #DR0]
    cmp r0, #0
    beq 2f
    ldr r0, [r3, #DR0]
2:  bx r2

/* Until all is sent and the bus is idle. */
wait:
    ldr r1, [r3, #SR]
    lsls r1, r1, #29            /* carry: none; bit 2: nothing to send; then bit 0: busy */
    bpl wait
    lsls r1, r1, #2
    bmi wait
    bx lr
    .pool

    .org 252
    .word BOOT2_CRC
