/* PIO instructions as numbers (RP2040 data sheet 3.4). */
#ifndef TAKT_HARDWARE_PIO_INSTRUCTIONS_H
#define TAKT_HARDWARE_PIO_INSTRUCTIONS_H

#include <pico/types.h>

enum pio_instr_bits {
    pio_instr_bits_jmp = 0x0000,
    pio_instr_bits_wait = 0x2000,
    pio_instr_bits_in = 0x4000,
    pio_instr_bits_out = 0x6000,
    pio_instr_bits_push = 0x8000,
    pio_instr_bits_pull = 0x8080,
    pio_instr_bits_mov = 0xa000,
    pio_instr_bits_irq = 0xc000,
    pio_instr_bits_set = 0xe000,
};

/* Sources and destinations; which of them an instruction knows: 3.4. */
enum pio_src_dest {
    pio_pins = 0,
    pio_x = 1,
    pio_y = 2,
    pio_null = 3,
    pio_pindirs = 4,
    pio_exec_mov = 4,
    pio_status = 5,
    pio_pc = 5,
    pio_isr = 6,
    pio_osr = 7,
    pio_exec_out = 7,
};

static inline uint takt_pio_(uint bits, uint what, uint low)
{
    return bits | (what & 7u) << 5 | (low & 31u);
}

static inline uint pio_encode_delay(uint cycles)
{
    return cycles << 8;
}

static inline uint pio_encode_sideset(uint bits, uint value)
{
    return value << (13u - bits);
}

static inline uint pio_encode_sideset_opt(uint bits, uint value)
{
    return 0x1000u | value << (12u - bits);
}

static inline uint pio_encode_jmp(uint to)
{
    return takt_pio_(pio_instr_bits_jmp, 0, to);
}

static inline uint pio_encode_jmp_not_x(uint to)
{
    return takt_pio_(pio_instr_bits_jmp, 1, to);
}

static inline uint pio_encode_jmp_x_dec(uint to)
{
    return takt_pio_(pio_instr_bits_jmp, 2, to);
}

static inline uint pio_encode_jmp_not_y(uint to)
{
    return takt_pio_(pio_instr_bits_jmp, 3, to);
}

static inline uint pio_encode_jmp_y_dec(uint to)
{
    return takt_pio_(pio_instr_bits_jmp, 4, to);
}

static inline uint pio_encode_jmp_x_ne_y(uint to)
{
    return takt_pio_(pio_instr_bits_jmp, 5, to);
}

static inline uint pio_encode_jmp_pin(uint to)
{
    return takt_pio_(pio_instr_bits_jmp, 6, to);
}

static inline uint pio_encode_jmp_not_osre(uint to)
{
    return takt_pio_(pio_instr_bits_jmp, 7, to);
}

static inline uint pio_encode_wait_gpio(bool high, uint gpio)
{
    return takt_pio_(pio_instr_bits_wait, high ? 4 : 0, gpio);
}

static inline uint pio_encode_wait_pin(bool high, uint pin)
{
    return takt_pio_(pio_instr_bits_wait, high ? 5 : 1, pin);
}

static inline uint pio_encode_wait_irq(bool high, bool relative, uint irq)
{
    return takt_pio_(pio_instr_bits_wait, high ? 6 : 2, (relative ? 16u : 0u) | irq);
}

static inline uint pio_encode_in(enum pio_src_dest from, uint bits)
{
    return takt_pio_(pio_instr_bits_in, from, bits);
}

static inline uint pio_encode_out(enum pio_src_dest to, uint bits)
{
    return takt_pio_(pio_instr_bits_out, to, bits);
}

static inline uint pio_encode_push(bool if_full, bool block)
{
    return takt_pio_(pio_instr_bits_push, (if_full ? 2u : 0u) | (block ? 1u : 0u), 0);
}

static inline uint pio_encode_pull(bool if_empty, bool block)
{
    return takt_pio_(pio_instr_bits_pull, 4u | (if_empty ? 2u : 0u) | (block ? 1u : 0u), 0);
}

static inline uint pio_encode_mov(enum pio_src_dest to, enum pio_src_dest from)
{
    return takt_pio_(pio_instr_bits_mov, to, from);
}

static inline uint pio_encode_mov_not(enum pio_src_dest to, enum pio_src_dest from)
{
    return takt_pio_(pio_instr_bits_mov, to, 1u << 3 | (uint)from);
}

static inline uint pio_encode_mov_reverse(enum pio_src_dest to, enum pio_src_dest from)
{
    return takt_pio_(pio_instr_bits_mov, to, 2u << 3 | (uint)from);
}

static inline uint pio_encode_irq_set(bool relative, uint irq)
{
    return takt_pio_(pio_instr_bits_irq, 0, (relative ? 16u : 0u) | irq);
}

static inline uint pio_encode_irq_wait(bool relative, uint irq)
{
    return takt_pio_(pio_instr_bits_irq, 1, (relative ? 16u : 0u) | irq);
}

static inline uint pio_encode_irq_clear(bool relative, uint irq)
{
    return takt_pio_(pio_instr_bits_irq, 2, (relative ? 16u : 0u) | irq);
}

static inline uint pio_encode_set(enum pio_src_dest to, uint value)
{
    return takt_pio_(pio_instr_bits_set, to, value);
}

static inline uint pio_encode_nop(void)
{
    return pio_encode_mov(pio_y, pio_y);
}

#endif
