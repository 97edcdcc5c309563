/*
 * The interpreter's handlers. Each executes one predecoded instruction and calls the next one
 * in tail position, so state stays in host registers; compile with -O2 (see CMakeLists.txt).
 *
 * `cy` counts cycles since `base` in its low and instructions in its high half. A handler that
 * needs the machine's time calls sync() first. A slow path has the same shape as a handler.
 */
#ifndef TAKT_OPS_H
#define TAKT_OPS_H

#include "machine.h"

#define ARGS                                                                                       \
    struct takt_machine *m, const struct insn *i, uint64_t cy, int64_t nz, uint32_t carry,         \
        uint32_t over
#define PASS m, i, cy, nz, carry, over

typedef void op_fn(ARGS);

#define CONDITIONS(X)                                                                              \
    X(eq, (uint32_t)nz == 0)                                                                       \
    X(ne, (uint32_t)nz != 0)                                                                       \
    X(cs, carry != 0)                                                                              \
    X(cc, carry == 0)                                                                              \
    X(mi, nz < 0)                                                                                  \
    X(pl, nz >= 0)                                                                                 \
    X(vs, over >> 31 != 0)                                                                         \
    X(vc, over >> 31 == 0)                                                                         \
    X(hi, carry != 0 && (uint32_t)nz != 0)                                                         \
    X(ls, carry == 0 || (uint32_t)nz == 0)                                                         \
    X(ge, (nz < 0) == (over >> 31 != 0))                                                           \
    X(lt, (nz < 0) != (over >> 31 != 0))                                                           \
    X(gt, (uint32_t)nz != 0 && (nz < 0) == (over >> 31 != 0))                                      \
    X(le, (uint32_t)nz == 0 || (nz < 0) != (over >> 31 != 0))

/* clang-format off */
/* OP_decode must be 0: that is what unwritten code memory holds. */
#define OPS(X)                                                                                   \
    X(decode) X(edge) X(stop_here) X(undefined)                                                  \
    X(lsl_i) X(lsr_i) X(asr_i) X(add_r) X(sub_r) X(add_i) X(sub_i) X(mov_i) X(mov_s) X(cmp_i)    \
    X(and_r) X(eor_r) X(lsl_r) X(lsr_r) X(asr_r) X(adc_r) X(sbc_r) X(ror_r) X(tst_r) X(rsb)      \
    X(cmp_r) X(cmn_r) X(orr_r) X(mul_r) X(bic_r) X(mvn_r)                                        \
    X(add_hi) X(add_hi_sp) X(add_const) X(mov_hi) X(mov_sp) X(constant) X(add_sp)                \
    X(sxth) X(sxtb) X(uxth) X(uxtb) X(rev) X(rev16) X(revsh)                                     \
    X(ldr_i) X(ldrh_i) X(ldrb_i) X(ldr_r) X(ldrh_r) X(ldrb_r) X(ldrsb_r) X(ldrsh_r) X(ldr_a)     \
    X(str_i) X(strh_i) X(strb_i) X(str_r) X(strh_r) X(strb_r)                                    \
    X(push) X(pop) X(pop_pc) X(ldm) X(stm)                                                       \
    X(b_eq) X(b_ne) X(b_cs) X(b_cc) X(b_mi) X(b_pl) X(b_vs) X(b_vc) X(b_hi) X(b_ls) X(b_ge)      \
    X(b_lt) X(b_gt) X(b_le) X(b) X(bl) X(bx) X(blx) X(mov_pc) X(add_pc)                          \
    X(svc) X(bkpt) X(cpsie) X(cpsid) X(msr) X(mrs) X(nop) X(barrier) X(sev) X(wfe) X(wfi)
/* clang-format on */

#define X(name) OP_##name,
enum op { OPS(X) OP_COUNT };
#undef X
#define OP_CACHED 0x80 /* with another: in flash behind a cache */
#define X(name) op_fn op_##name;
OPS(X)
#undef X

extern op_fn *const op_table[OP_CACHED + OP_COUNT];
op_fn op_cached;

op_fn leave;       /* ends the slice; `i` is the next instruction */
op_fn interwork;   /* goes to m->addr as BX and POP {pc} do; the cost is in already */
op_fn leave_fault; /* ends the slice; m->fault is set, `i` is to blame */

#define ONE     (1ULL << 32)
#define COST(i) (ONE + (i)->cycles)
/* with extra (or, through the I/O port, fewer) cycles; at least 1 remains */
#define COST_AND(i, extra) (ONE + (uint32_t)((i)->cycles + (extra)))
#define REL(cy)            ((uint32_t)(cy))
#define SEXT(res)          ((int64_t)(int32_t)(res))

#define DISPATCH                                                                                   \
    do {                                                                                           \
        if (__builtin_expect(REL(cy) >= m->bound, 0))                                              \
            return leave(PASS);                                                                    \
        return op_table[i->op](PASS);                                                              \
    } while (0)
#define NEXT                                                                                       \
    do {                                                                                           \
        i++;                                                                                       \
        DISPATCH;                                                                                  \
    } while (0)

/* Makes m->now the start of instruction `i`. */
static inline void sync(struct takt_machine *m, const struct insn *i, uint64_t cy)
{
    m->now = m->base + REL(cy);
    m->at = i;
}

#endif
