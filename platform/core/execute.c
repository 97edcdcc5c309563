/* Dispatch: entering and leaving a slice of predecoded code. */
#include "ops.h"

#define X(name) op_##name,
op_fn *const op_table[OP_CACHED + OP_COUNT] = {
    OPS(X)[OP_CACHED ... OP_CACHED + OP_COUNT - 1] = op_cached};
#undef X

_Static_assert(OP_COUNT <= OP_CACHED, "a bit is free");

void execute(struct takt_machine *m)
{
    op_table[m->at->op](m, m->at, 0, m->nz, m->carry, m->over);
}

void leave(ARGS)
{
    m->at = i;
    m->nz = nz;
    m->carry = carry;
    m->over = over;
    m->now = m->base + REL(cy);
    m->instructions += cy >> 32;
}

void leave_fault(ARGS)
{
    leave(PASS);
}

void op_decode(ARGS)
{
    decode(m, (struct insn *)i); /* the code array is ours and writable */
    DISPATCH;
}

/* Waits for its code, then executes it. */
void op_cached(ARGS)
{
    uint32_t size = code_halfword(m, i) >> 11 >= 0x1d ? 4 : 2;
    cy += m->chip->fetch_wait(m, code_address(m, i), size);
    return op_table[i->op & ~OP_CACHED](PASS);
}

void op_edge(ARGS)
{
    m->fault = FAULT_FETCH;
    m->fault_address = code_address(m, i);
    return leave_fault(PASS);
}

void op_stop_here(ARGS)
{
    sync(m, i, cy);
    m->reported = i;
    machine_stop(m, TAKT_STOP_BREAK, m->now, code_address(m, i));
    return leave(PASS);
}

void op_undefined(ARGS)
{
    m->fault = FAULT_UNDEFINED;
    m->fault_address = code_address(m, i);
    return leave_fault(PASS);
}
