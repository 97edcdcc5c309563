#ifdef __AVR__
#include "kept_avr.h"
#else
/* uint32_t registers_kept(uint32_t seed, int (*fn)(struct takt_sem *), struct takt_sem *arg): calls
 * fn(arg) with values made from `seed` in r4-r11 and says whether they, its result (0) or the stack
 * are not what they should be. */
    .syntax unified
    .cpu cortex-m0
    .thumb
    .text
    .balign 4
    .global registers_kept
    .type registers_kept, %function
    .thumb_func
registers_kept:
    push    {r4-r7, lr}
    mov     r4, r8
    mov     r5, r9
    mov     r6, r10
    mov     r7, r11
    push    {r0, r4-r7}         /* the seed, to compare with */
    mov     r3, r1
    adds    r1, r0, #1
    mov     r8, r1
    adds    r1, r0, #2
    mov     r9, r1
    adds    r1, r0, #3
    mov     r10, r1
    adds    r1, r0, #4
    mov     r11, r1
    adds    r4, r0, #5
    adds    r5, r0, #6
    adds    r6, r0, #7
    mvns    r7, r0
    mov     r0, r2
    blx     r3
    ldr     r1, [sp]
    mvns    r7, r7
    eors    r7, r1
    orrs    r0, r7              /* whatever is wrong stays in r0 */
    .macro same reg, off
    mov     r2, \reg
    subs    r2, r2, r1
    subs    r2, #\off
    orrs    r0, r2
    .endm
    same    r8, 1
    same    r9, 2
    same    r10, 3
    same    r11, 4
    same    r4, 5
    same    r5, 6
    same    r6, 7
    pop     {r1, r4-r7}
    mov     r8, r4
    mov     r9, r5
    mov     r10, r6
    mov     r11, r7
    pop     {r4-r7, pc}
    .size registers_kept, . - registers_kept
#endif
