/*
 * The state as a stream of halfwords, one or three a register:
 *
 *   15        11 10 9 8          0
 *   [ block     | kind | register ]  value, 16 bits, or 32 in two halves
 *
 * block: an index into `blocks`, the base addresses; register: a word index in the block; kind: 16
 * bits, 32 bits, either of them added to what the register holds.
 */
#include "state.h"

static const uint32_t blocks[] = {
    0x40000000u, 0x40005400u, 0x40010000u, 0x40012400u, 0x40013000u, 0x40021000u,
    0x40022000u, 0x48000000u, 0xE000E100u,
};

#define BLOCK(at)                                                                                  \
    ((at) < 0x40001000u   ? 0u                                                                     \
     : (at) < 0x40010000u ? 1u                                                                     \
     : (at) < 0x40012000u ? 2u                                                                     \
     : (at) < 0x40013000u ? 3u                                                                     \
     : (at) < 0x40014000u ? 4u                                                                     \
     : (at) < 0x40022000u ? 5u                                                                     \
     : (at) < 0x48000000u ? 6u                                                                     \
     : (at) < 0xE0000000u ? 7u                                                                     \
                          : 8u)
#define BASE(at)                                                                                   \
    ((at) < 0x40001000u   ? 0x40000000u                                                            \
     : (at) < 0x40010000u ? 0x40005400u                                                            \
     : (at) < 0x40012000u ? 0x40010000u                                                            \
     : (at) < 0x40013000u ? 0x40012400u                                                            \
     : (at) < 0x40014000u ? 0x40013000u                                                            \
     : (at) < 0x40022000u ? 0x40021000u                                                            \
     : (at) < 0x48000000u ? 0x40022000u                                                            \
     : (at) < 0xE0000000u ? 0x48000000u                                                            \
                          : 0xE000E100u)

/* A record of either length, laid end to end: the assembler packs what the compiler would align. */
#define HEAD(at, kind) (BLOCK(at) << 12 | (kind) << 10 | ((at)-BASE(at)) / 4u)
#define WIDE(value)    ((value) > 0xFFFFu ? 1u : 0u)
#define RECORD(at, kind, value)                                                                    \
    __asm__ volatile(".pushsection .rodata.state, \"a\"\n"                                         \
                     "    .short %c0, %c1 & 0xFFFF\n"                                              \
                     "    .if %c2\n    .short %c1 >> 16 & 0xFFFF\n    .endif\n"                    \
                     ".popsection" ::"i"(HEAD(at, (kind) + 2u * WIDE(value))),                     \
                     "i"(value), "i"(WIDE(value)));

#define STORE(reg, value) RECORD((uint32_t)&(reg), 0u, value)
#define ADD(reg, bits)    RECORD((uint32_t)&(reg), 1u, bits)

extern const uint16_t state_start[], state_end[];

/* Emits the records; not called, but kept. */
__attribute__((used, section(".dropped"))) static void records(void)
{
    START_STATE(STORE, ADD)
}

void init(void)
{
    for (const uint16_t *at = state_start; at != state_end;) {
        uint32_t head = *at++, value = *at++;
        stm32f0_reg *reg = (stm32f0_reg *)blocks[head >> 12] + (head & 0x3FFu);
        if (head & 1u << 11)
            value |= (uint32_t)*at++ << 16;
        if (head & 1u << 10)
            value |= *reg;
        *reg = value;
    }
}
