/* Arithmetic, logic, shifts, moves. Flags: `nz` holds the last result, sign-extended. */
#include "ops.h"

#define RD m->r[i->a]
#define RN m->r[i->b]

/* An operation `expr` whose result goes to RD and to N and Z; C and V stay. */
#define LOGIC(name, expr)                                                                          \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t res = (expr);                                                                     \
        RD = res;                                                                                  \
        nz = SEXT(res);                                                                            \
        cy += COST(i);                                                                             \
        NEXT;                                                                                      \
    }

LOGIC(mov_i, i->imm)
LOGIC(mov_s, RN)
LOGIC(and_r, RD &RN)
LOGIC(eor_r, RD ^ RN)
LOGIC(orr_r, RD | RN)
LOGIC(bic_r, RD & ~RN)
LOGIC(mvn_r, ~RN)
LOGIC(mul_r, RD *RN)

/* An operation without flags. */
#define PLAIN(name, expr)                                                                          \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        RD = (expr);                                                                               \
        cy += COST(i);                                                                             \
        NEXT;                                                                                      \
    }

PLAIN(constant, i->imm)
PLAIN(mov_hi, RN)
PLAIN(add_hi, RD + RN)
PLAIN(add_const, RD + i->imm)
PLAIN(add_sp, RN + i->imm)
PLAIN(sxth, (uint32_t)(int16_t)RN)
PLAIN(sxtb, (uint32_t)(int8_t)RN)
PLAIN(uxth, (uint16_t)RN)
PLAIN(uxtb, (uint8_t)RN)
PLAIN(rev, __builtin_bswap32(RN))
PLAIN(rev16, (RN & 0x00ff00ffu) << 8 | (RN >> 8 & 0x00ff00ffu))
PLAIN(revsh, (uint32_t)(int16_t)__builtin_bswap16((uint16_t)RN))

/* The stack pointer goes anywhere. */
#define STACK(name, expr)                                                                          \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t from = RD;                                                                        \
        RD = (expr);                                                                               \
        cy += COST(i);                                                                             \
        if (m->delivered.count != 0 && m->ipsr == 0)                                               \
            delivered_stack(m, m->base + REL(cy), from, RD);                                       \
        NEXT;                                                                                      \
    }

STACK(mov_sp, RN & ~3u)
STACK(add_hi_sp, (RD + RN) & ~3u)

/* x + y, or x - y, with all flags; `store` says where the result goes. */
#define ADD(name, left, right, store)                                                              \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t x = (left), y = (right), res = x + y;                                             \
        carry = res < x;                                                                           \
        over = ~(x ^ y) & (x ^ res);                                                               \
        nz = SEXT(res);                                                                            \
        store;                                                                                     \
        cy += COST(i);                                                                             \
        NEXT;                                                                                      \
    }
#define SUB(name, left, right, store)                                                              \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t x = (left), y = (right), res = x - y;                                             \
        carry = x >= y;                                                                            \
        over = (x ^ y) & (x ^ res);                                                                \
        nz = SEXT(res);                                                                            \
        store;                                                                                     \
        cy += COST(i);                                                                             \
        NEXT;                                                                                      \
    }

ADD(add_r, RN, m->r[i->imm], RD = res)
ADD(add_i, RN, i->imm, RD = res)
ADD(cmn_r, RD, RN, (void)0)
SUB(sub_r, RN, m->r[i->imm], RD = res)
SUB(sub_i, RN, i->imm, RD = res)
SUB(rsb, 0, RN, RD = res)
SUB(cmp_i, RD, i->imm, (void)0)
SUB(cmp_r, RD, RN, (void)0)

/* x + y + C; SBC is the same with y inverted. */
#define WITH_CARRY(name, right)                                                                    \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t x = RD, y = (right);                                                              \
        uint64_t wide = (uint64_t)x + y + carry;                                                   \
        uint32_t res = (uint32_t)wide;                                                             \
        carry = (uint32_t)(wide >> 32);                                                            \
        over = ~(x ^ y) & (x ^ res);                                                               \
        nz = SEXT(res);                                                                            \
        RD = res;                                                                                  \
        cy += COST(i);                                                                             \
        NEXT;                                                                                      \
    }

WITH_CARRY(adc_r, RN)
WITH_CARRY(sbc_r, ~RN)

void op_tst_r(ARGS)
{
    nz = SEXT(RD & RN);
    cy += COST(i);
    NEXT;
}

/* Shifts by an immediate: LSL 1..31 (0 is a move), LSR and ASR 1..32. */
#define SHIFT_I(name, out, expr)                                                                   \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t x = RN, n = i->imm, res;                                                          \
        carry = (out);                                                                             \
        res = (expr);                                                                              \
        RD = res;                                                                                  \
        nz = SEXT(res);                                                                            \
        cy += COST(i);                                                                             \
        NEXT;                                                                                      \
    }

SHIFT_I(lsl_i, x >> (32 - n) & 1, x << n)
SHIFT_I(lsr_i, x >> (n - 1) & 1, (uint32_t)((uint64_t)x >> n))
SHIFT_I(asr_i, (uint32_t)((int32_t)x >> (n - 1)) & 1, (uint32_t)((int64_t)(int32_t)x >> n))

/* Shifts by the low byte of a register: 0 changes nothing but N and Z. */
#define SHIFT_R(name, body)                                                                        \
    void op_##name(ARGS)                                                                           \
    {                                                                                              \
        uint32_t res = RD, n = RN & 0xff;                                                          \
        if (n != 0) {                                                                              \
            body;                                                                                  \
        }                                                                                          \
        RD = res;                                                                                  \
        nz = SEXT(res);                                                                            \
        cy += COST(i);                                                                             \
        NEXT;                                                                                      \
    }

SHIFT_R(lsl_r, carry = n <= 32 ? (uint32_t)((uint64_t)res << n >> 32) & 1 : 0;
        res = n < 32 ? res << n : 0)
SHIFT_R(lsr_r, carry = n <= 32 ? res >> (n - 1) & 1 : 0; res = n < 32 ? res >> n : 0)
SHIFT_R(asr_r, n = n > 32 ? 32 : n; carry = (uint32_t)((int32_t)res >> (n - 1)) & 1;
        res = (uint32_t)((int64_t)(int32_t)res >> n))
SHIFT_R(ror_r, n &= 31; res = n != 0 ? res >> n | res << (32 - n) : res; carry = res >> 31)
