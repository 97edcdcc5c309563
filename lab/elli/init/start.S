/* Calls init() and stops: all that is measured lies between `before` and `after`. */
    .syntax unified
    .cpu cortex-m0
    .thumb
    .section .vectors, "a", %progbits
    .word 0x20002000
    .word start
    .section .text.start, "ax", %progbits
    .global start, before, after
    .type start, %function
    .thumb_func
start:
    cpsid i
before:
    bl init
after:
    b after
