/*
 * Thumb (ARMv6-M) decoding, by the top bits as in the Architecture Reference Manual A5.2.
 * Whatever is not an instruction of ARMv6-M, or unpredictable without use, is undefined.
 */
#include "ops.h"

struct half {
    uint32_t code;           /* the halfword */
    uint32_t address;        /* of the instruction */
    uint32_t low, mid, high; /* bits 2:0, 5:3, 8:6 */
};

static void set(struct insn *i, enum op op, uint32_t a, uint32_t b, uint32_t imm)
{
    i->a = (uint8_t)a;
    i->b = (uint8_t)b;
    i->imm = imm;
    i->cycles = 1;
    i->op = (uint8_t)op;
}

static void undefined(struct insn *i)
{
    set(i, OP_undefined, 0, 0, 0);
}

static uint32_t sign_extend(uint32_t value, unsigned bits)
{
    uint32_t top = 1u << (bits - 1);
    return ((value & ((1u << bits) - 1)) ^ top) - top;
}

/* 00xxxx: shift, add, subtract, move, compare with immediates. */
static void decode_immediate(struct insn *i, const struct half *h)
{
    uint32_t shift = h->code >> 6 & 31, rd8 = h->code >> 8 & 7, imm8 = h->code & 0xff;
    static const uint8_t three[4] = {OP_add_r, OP_sub_r, OP_add_i, OP_sub_i};
    static const uint8_t eight[4] = {OP_mov_i, OP_cmp_i, OP_add_i, OP_sub_i};
    switch (h->code >> 11 & 7) {
    case 0:
        set(i, shift != 0 ? OP_lsl_i : OP_mov_s, h->low, h->mid, shift);
        return;
    case 1:
        set(i, OP_lsr_i, h->low, h->mid, shift != 0 ? shift : 32);
        return;
    case 2:
        set(i, OP_asr_i, h->low, h->mid, shift != 0 ? shift : 32);
        return;
    case 3:
        set(i, (enum op)three[h->code >> 9 & 3], h->low, h->mid, h->high);
        return;
    }
    set(i, (enum op)eight[h->code >> 11 & 3], rd8, rd8, imm8);
}

/* 010000 */
static void decode_data(struct insn *i, const struct half *h)
{
    static const uint8_t op[16] = {OP_and_r, OP_eor_r, OP_lsl_r, OP_lsr_r, OP_asr_r, OP_adc_r,
                                   OP_sbc_r, OP_ror_r, OP_tst_r, OP_rsb,   OP_cmp_r, OP_cmn_r,
                                   OP_orr_r, OP_mul_r, OP_bic_r, OP_mvn_r};
    set(i, (enum op)op[h->code >> 6 & 15], h->low, h->mid, 0);
}

static void decode_add_high(struct takt_machine *m, struct insn *i, const struct half *h,
                            uint32_t rd, uint32_t rm)
{
    uint32_t pc = h->address + 4;
    if (rd == 15) {
        set(i, rm == 15 ? OP_undefined : OP_add_pc, 15, rm, pc);
        i->cycles = m->cost.branch;
    } else if (rm == 15) {
        set(i, OP_add_const, rd, 0, pc);
    } else {
        set(i, rd == 13 ? OP_add_hi_sp : OP_add_hi, rd, rm, 0);
    }
}

static void decode_move_high(struct takt_machine *m, struct insn *i, const struct half *h,
                             uint32_t rd, uint32_t rm)
{
    uint32_t pc = h->address + 4;
    if (rd == 15 && rm == 15) { /* a jump over the next instruction */
        set(i, OP_b, 0, 0, 2);
        i->cycles = m->cost.branch;
    } else if (rd == 15) {
        set(i, OP_mov_pc, 15, rm, 0);
        i->cycles = m->cost.branch;
    } else if (rm == 15) {
        set(i, OP_constant, rd, 0, rd == 13 ? pc & ~3u : pc);
    } else {
        set(i, rd == 13 ? OP_mov_sp : OP_mov_hi, rd, rm, 0);
    }
}

/* 010001: operations on high registers, BX, BLX. */
static void decode_high(struct takt_machine *m, struct insn *i, const struct half *h)
{
    uint32_t rd = h->low | (h->code >> 4 & 8), rm = h->code >> 3 & 15;
    switch (h->code >> 8 & 3) {
    case 0:
        decode_add_high(m, i, h, rd, rm);
        break;
    case 1:
        set(i, rd == 15 || rm == 15 ? OP_undefined : OP_cmp_r, rd, rm, 0);
        break;
    case 2:
        decode_move_high(m, i, h, rd, rm);
        break;
    case 3:
        set(i,
            rm == 15 || h->low != 0 ? OP_undefined
            : (h->code & 0x80) != 0 ? OP_blx
                                    : OP_bx,
            0, rm, 0);
        i->cycles = m->cost.bx;
        break;
    }
}

/* 01001x: the word at an address known now; flash never changes while running. */
static void decode_literal(struct takt_machine *m, struct insn *i, const struct half *h)
{
    uint32_t at = ((h->address + 4) & ~3u) + (h->code & 0xff) * 4, rd = h->code >> 8 & 7;
    uint8_t *flash = at - m->flash_base < m->flash_size ? m->flash + (at - m->flash_base) : NULL;
    if (flash != NULL && !m->flash_cached) {
        uint32_t value;
        __builtin_memcpy(&value, flash, 4);
        set(i, OP_constant, rd, 0, value);
        i->cycles = (uint8_t)(2 + m->wait_states);
    } else {
        set(i, OP_ldr_a, rd, 0, at);
        i->cycles = 2;
    }
}

/* 0101xx: register offset. */
static void decode_register_offset(struct insn *i, const struct half *h)
{
    static const uint8_t op[8] = {OP_str_r, OP_strh_r, OP_strb_r, OP_ldrsb_r,
                                  OP_ldr_r, OP_ldrh_r, OP_ldrb_r, OP_ldrsh_r};
    set(i, (enum op)op[h->code >> 9 & 7], h->low, h->mid, h->high);
    i->cycles = 2;
}

/* 011xxx, 1000xx, 1001xx: immediate offset. */
static void decode_immediate_offset(struct insn *i, const struct half *h)
{
    bool load = (h->code & 0x800) != 0;
    uint32_t offset = h->code >> 6 & 31, kind = h->code >> 12;
    if (kind == 6)
        set(i, load ? OP_ldr_i : OP_str_i, h->low, h->mid, offset * 4);
    else if (kind == 7)
        set(i, load ? OP_ldrb_i : OP_strb_i, h->low, h->mid, offset);
    else if (kind == 8)
        set(i, load ? OP_ldrh_i : OP_strh_i, h->low, h->mid, offset * 2);
    else
        set(i, load ? OP_ldr_i : OP_str_i, h->code >> 8 & 7, 13, (h->code & 0xff) * 4);
    i->cycles = 2;
}

static void decode_hint(struct insn *i, const struct half *h)
{
    static const uint8_t op[5] = {OP_nop, OP_nop, OP_wfe, OP_wfi, OP_sev};
    uint32_t hint = h->code >> 4 & 15;
    set(i, (h->code & 15) != 0 ? OP_undefined : hint < 5 ? (enum op)op[hint] : OP_nop, 0, 0, 0);
    if (i->op == OP_wfe || i->op == OP_wfi)
        i->cycles = 2;
}

static void decode_stack_list(struct takt_machine *m, struct insn *i, const struct half *h,
                              bool pop)
{
    bool extra = (h->code & 0x100) != 0;
    uint32_t list = (h->code & 0xff) | (extra ? pop ? 0x8000u : 0x4000u : 0);
    uint32_t count = (uint32_t)__builtin_popcount(list);
    set(i, list == 0 ? OP_undefined : !pop ? OP_push : extra ? OP_pop_pc : OP_pop, 0, 0, list);
    i->cycles = (uint8_t)((pop && extra ? m->cost.pop_pc : 1) + count);
}

/* 1011xx */
static void decode_misc(struct takt_machine *m, struct insn *i, const struct half *h)
{
    static const uint8_t extend[4] = {OP_sxth, OP_sxtb, OP_uxth, OP_uxtb};
    static const uint8_t reverse[4] = {OP_rev, OP_rev16, OP_undefined, OP_revsh};
    uint32_t sub = h->code >> 8 & 15, imm7 = (h->code & 0x7f) * 4;
    if (sub == 0)
        set(i, OP_add_sp, 13, 13, (h->code & 0x80) != 0 ? 0u - imm7 : imm7);
    else if (sub == 2)
        set(i, (enum op)extend[h->code >> 6 & 3], h->low, h->mid, 0);
    else if (sub == 4 || sub == 5 || sub == 12 || sub == 13)
        decode_stack_list(m, i, h, sub >= 12);
    else if ((h->code & 0xffef) == 0xb662)
        set(i, (h->code & 0x10) != 0 ? OP_cpsid : OP_cpsie, 0, 0, 0);
    else if (sub == 10)
        set(i, (enum op)reverse[h->code >> 6 & 3], h->low, h->mid, 0);
    else if (sub == 14)
        set(i, OP_bkpt, 0, 0, h->code & 0xff);
    else if (sub == 15)
        decode_hint(i, h);
    else
        undefined(i);
}

static void decode_multiple(struct insn *i, const struct half *h)
{
    uint32_t list = h->code & 0xff, rn = h->code >> 8 & 7;
    bool load = (h->code & 0x800) != 0;
    set(i, list == 0 ? OP_undefined : load ? OP_ldm : OP_stm, 0, rn, list);
    i->cycles = (uint8_t)(1 + __builtin_popcount(list));
}

/* The distance to a target, kept inside the code array (its guards fault). */
static uint32_t distance(const struct takt_machine *m, const struct insn *i, uint32_t offset)
{
    int64_t index = i - m->code, target = index + 2 + (int32_t)offset / 2;
    int64_t flash = m->flash_size / 2, ram = flash + 2, end = ram + m->ram_size / 2;
    if (index < flash)
        target = target < 0 || target > flash ? flash : target;
    else
        target = target < ram || target > end ? end : target;
    return (uint32_t)(int32_t)(target - index);
}

static uint8_t branch_cost(const struct takt_machine *m, const struct half *h, uint32_t offset,
                           uint32_t cycles)
{
    return (uint8_t)(cycles + cycles_jump_wait(m, h->address + 4 + offset));
}

/* 1101xx, 11100x */
static void decode_branch(struct takt_machine *m, struct insn *i, const struct half *h)
{
    uint32_t condition = h->code >> 8 & 15, offset;
    if (h->code >> 12 == 14) {
        offset = sign_extend(h->code & 0x7ff, 11) * 2;
        set(i, OP_b, 0, 0, distance(m, i, offset));
        i->cycles = branch_cost(m, h, offset, m->cost.branch);
    } else if (condition == 15) {
        set(i, OP_svc, 0, 0, h->code & 0xff);
        i->cycles = 2;
    } else if (condition == 14) {
        undefined(i);
    } else {
        offset = sign_extend(h->code & 0xff, 8) * 2;
        set(i, (enum op)(OP_b_eq + condition), 0, branch_cost(m, h, offset, m->cost.branch),
            distance(m, i, offset));
    }
}

static void decode_bl(struct takt_machine *m, struct insn *i, const struct half *h, uint32_t second)
{
    uint32_t s = h->code >> 10 & 1, j1 = second >> 13 & 1, j2 = second >> 11 & 1;
    uint32_t offset = s << 24 | (~(j1 ^ s) & 1) << 23 | (~(j2 ^ s) & 1) << 22 |
                      (h->code & 0x3ff) << 12 | (second & 0x7ff) << 1;
    offset = sign_extend(offset, 25);
    set(i, OP_bl, 0, 0, distance(m, i, offset));
    i->cycles = branch_cost(m, h, offset, m->cost.bl);
}

/* A 32-bit instruction: BL, MSR, MRS, DSB, DMB, ISB. */
static void decode_wide(struct takt_machine *m, struct insn *i, const struct half *h)
{
    uint32_t second = code_halfword(m, i + 1), sysm = second & 0xff;
    if ((h->code & 0xf800) == 0xf000 && (second & 0xd000) == 0xd000) {
        decode_bl(m, i, h, second);
        return;
    }
    if ((h->code & 0xfff0) == 0xf380 && (second & 0xff00) == 0x8800)
        set(i, OP_msr, 0, h->code & 15, sysm);
    else if (h->code == 0xf3ef && (second & 0xf000) == 0x8000)
        set(i, OP_mrs, second >> 8 & 15, 0, sysm);
    else if (h->code == 0xf3bf && (second & 0xff00) == 0x8f00 && sysm >= 0x40 && sysm < 0x70)
        set(i, OP_barrier, 0, 0, 0);
    else
        undefined(i);
    i->cycles = i->op == OP_barrier ? m->cost.barrier : m->cost.move_special;
}

static void decode_half(struct takt_machine *m, struct insn *i, const struct half *h)
{
    uint32_t top = h->code >> 12;
    if (top < 4)
        decode_immediate(i, h);
    else if (top == 4 && (h->code & 0x800) != 0)
        decode_literal(m, i, h);
    else if (top == 4 && (h->code & 0x400) != 0)
        decode_high(m, i, h);
    else if (top == 4)
        decode_data(i, h);
    else if (top == 5)
        decode_register_offset(i, h);
    else if (top < 10)
        decode_immediate_offset(i, h);
    else if (top == 10)
        set(i, (h->code & 0x800) != 0 ? OP_add_sp : OP_constant, h->code >> 8 & 7, 13,
            (h->code & 0x800) != 0 ? (h->code & 0xff) * 4
                                   : ((h->address + 4) & ~3u) + (h->code & 0xff) * 4);
    else if (top == 11)
        decode_misc(m, i, h);
    else if (top == 12)
        decode_multiple(i, h);
    else if (top == 13 || (h->code & 0xf800) == 0xe000)
        decode_branch(m, i, h);
    else
        decode_wide(m, i, h);
}

static bool is_break(const struct takt_machine *m, uint32_t address)
{
    for (uint32_t k = 0; k < m->break_count; k++) {
        if (m->breaks[k] == address)
            return true;
    }
    return false;
}

void decode(struct takt_machine *m, struct insn *i)
{
    uint32_t code = code_halfword(m, i), address = code_address(m, i);
    struct half h = {code, address, code & 7, code >> 3 & 7, code >> 6 & 7};
    decode_half(m, i, &h);
    bool wide = code >> 11 >= 0x1d;
    uint32_t wait = m->prefetch ? 0 : cycles_fetch_wait(m, address);
    if ((address & 2) == 0 || wide)
        i->cycles = (uint8_t)(i->cycles + wait);
    if ((address & 2) == 0 && i->op >= OP_b_eq && i->op <= OP_b_le)
        i->b = (uint8_t)(i->b + wait);
    if (address - RAM_BASE < m->ram_size) {
        uint32_t last = (address - RAM_BASE + (wide ? 3 : 1)) / 64;
        m->granule[(address - RAM_BASE) / 64] |= GRANULE_CODE;
        if (last < m->ram_size / 64)
            m->granule[last] |= GRANULE_CODE;
    }
    if (m->flash_cached && address - m->flash_base < m->flash_size)
        i->op |= OP_CACHED;
    if (m->break_count != 0 && is_break(m, address))
        i->op = OP_stop_here;
}
