/*
 * For assembler of the Cortex-M ports: how a function begins.
 */
#ifndef TAKT_PORT_ARM_FUNCTION_H
#define TAKT_PORT_ARM_FUNCTION_H

#include <takt/fact.h>

/* In a section of its own, so that it is linked only where it is called. */
.macro function name
    .section .text.\name, "ax", %progbits
    .balign 4
    .global \name
    .type \name, %function
    .thumb_func
\name:
.endm

/* Where it stands, in the section there is. */
.macro exported name
    .global \name
    .type \name, %function
    .thumb_func
\name:
.endm

#endif
