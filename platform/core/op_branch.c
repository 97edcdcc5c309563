/* Branches. Relative ones hold their distance in code entries; costs come from the core's table. */
#include "ops.h"

#define X(name, condition)                                                                         \
    void op_b_##name(ARGS)                                                                         \
    {                                                                                              \
        if (condition) {                                                                           \
            cy += ONE + i->b;                                                                      \
            i += (int32_t)i->imm;                                                                  \
        } else {                                                                                   \
            cy += COST(i);                                                                         \
            i++;                                                                                   \
        }                                                                                          \
        DISPATCH;                                                                                  \
    }
CONDITIONS(X)
#undef X

void op_b(ARGS)
{
    cy += COST(i);
    i += (int32_t)i->imm;
    DISPATCH;
}

void op_bl(ARGS)
{
    m->r[14] = (code_address(m, i) + 4) | 1;
    cy += COST(i);
    i += (int32_t)i->imm;
    DISPATCH;
}

/* The code entry of an address; wild ones go to the last guard, which faults. */
static const struct insn *entry_of(struct takt_machine *m, uint32_t address)
{
    code_jump(m, address);
    return m->at;
}

static inline uint64_t target_wait(const struct takt_machine *m, uint32_t address)
{
    return m->wait_states != 0 ? cycles_jump_wait(m, address & ~1u) : 0;
}

void interwork(ARGS)
{
    uint32_t target = m->addr;
    if (target >> 28 == 0xf && m->ipsr != 0) {
        leave(PASS);
        exception_return(m, target);
        return;
    }
    i = entry_of(m, target & ~1u);
    cy += target_wait(m, target);
    if ((target & 1) == 0) {
        m->fault = FAULT_STATE;
        m->fault_address = target;
        return leave_fault(PASS);
    }
    DISPATCH;
}

void op_bx(ARGS)
{
    m->addr = m->r[i->b];
    cy += COST(i);
    return interwork(PASS);
}

void op_blx(ARGS)
{
    uint32_t target = m->r[i->b];
    m->r[14] = (code_address(m, i) + 2) | 1;
    cy += COST(i) + target_wait(m, target);
    i = entry_of(m, target & ~1u);
    if ((target & 1) == 0) {
        m->fault = FAULT_STATE;
        m->fault_address = target;
        return leave_fault(PASS);
    }
    DISPATCH;
}

void op_mov_pc(ARGS)
{
    uint32_t target = m->r[i->b] & ~1u;
    cy += COST(i) + target_wait(m, target);
    i = entry_of(m, target);
    DISPATCH;
}

/* i->imm: the PC value the instruction reads. */
void op_add_pc(ARGS)
{
    uint32_t target = (i->imm + m->r[i->b]) & ~1u;
    cy += COST(i) + target_wait(m, target);
    i = entry_of(m, target);
    DISPATCH;
}
