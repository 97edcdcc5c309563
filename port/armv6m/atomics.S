/*
 * What clang calls where GCC loads or stores in place: for ARMv6-M it takes no access to be atomic.
 * One of an aligned value is. The order asked for is not looked at: each is a barrier.
 */
#include "../arm_function.h"

    .syntax unified
    .thumb

.macro load bytes, instruction
    function __atomic_load_\bytes
    \instruction r0, [r0]
    dmb
    bx lr
.endm

.macro store bytes, instruction
    function __atomic_store_\bytes
    dmb
    \instruction r1, [r0]
    dmb
    bx lr
.endm

    load 1, ldrb
    load 2, ldrh
    load 4, ldr
    store 1, strb
    store 2, strh
    store 4, str
