/* System instructions. Those that may let an exception in end the slice. */
#include "ops.h"

void op_nop(ARGS)
{
    cy += COST(i);
    NEXT;
}

void op_barrier(ARGS)
{
    cy += COST(i);
    i++; /* two halfwords */
    NEXT;
}

void op_sev(ARGS)
{
    m->exc.event = true;
    cy += COST(i);
    NEXT;
}

/* The instruction may have turned interrupts on or off. */
static inline void look(struct takt_machine *m, const struct insn *i, uint64_t cy)
{
    if (m->masked.log)
        masked_look(m, m->base + REL(cy), code_address(m, i));
    if (m->delivered.yields_high != 0 && !interrupts_masked(m))
        delivered_unmasked(m, m->base + REL(cy));
}

void op_cpsie(ARGS)
{
    if (privileged(m))
        m->exc.primask = false;
    bus_attention(m);
    cy += COST(i);
    look(m, i, cy);
    NEXT;
}

void op_cpsid(ARGS)
{
    if (privileged(m))
        m->exc.primask = true;
    cy += COST(i);
    look(m, i, cy);
    NEXT;
}

void op_wfi(ARGS)
{
    m->sleeping = true;
    m->waiting_event = false;
    bus_attention(m);
    cy += COST(i);
    NEXT;
}

void op_wfe(ARGS)
{
    if (!m->exc.event) {
        m->sleeping = true;
        m->waiting_event = true;
        bus_attention(m);
    }
    m->exc.event = false;
    cy += COST(i);
    NEXT;
}

void op_svc(ARGS)
{
    if (m->exc.priority[EXC_SVCALL] >= exception_level(m)) {
        m->fault = FAULT_SVC;
        m->fault_address = code_address(m, i);
        return leave_fault(PASS);
    }
    m->exc.pending |= 1ULL << EXC_SVCALL;
    bus_attention(m);
    cy += COST(i);
    NEXT;
}

void op_bkpt(ARGS)
{
    sync(m, i, cy);
    machine_fail(m, TAKT_STOP_HALT, "BKPT #%u at pc=0x%08x", (unsigned)i->imm,
                 (unsigned)code_address(m, i));
    return leave(PASS);
}

enum { SYSM_IPSR = 5, SYSM_MSP = 8, SYSM_PSP = 9, SYSM_PRIMASK = 16, SYSM_CONTROL = 20 };

static uint32_t special_read(const struct takt_machine *m, uint32_t sysm)
{
    if (sysm < 8) { /* combinations of APSR (unless bit 2), IPSR (bit 0), EPSR (reads as 0) */
        uint32_t psr = xpsr_get(m);
        return ((sysm & 4) == 0 ? psr & 0xf0000000u : 0) | ((sysm & 1) != 0 ? psr & 0x3fu : 0);
    }
    if (sysm == SYSM_CONTROL)
        return m->control;
    if (!privileged(m))
        return 0;
    if (sysm == SYSM_MSP)
        return m->psp_active ? m->other_sp : m->r[13];
    if (sysm == SYSM_PSP)
        return m->psp_active ? m->r[13] : m->other_sp;
    return sysm == SYSM_PRIMASK ? m->exc.primask : 0;
}

static void special_write(struct takt_machine *m, uint32_t sysm, uint32_t value)
{
    if (sysm < 4)
        flags_set(m, value);
    if (!privileged(m))
        return;
    if (sysm == SYSM_MSP || sysm == SYSM_PSP) {
        uint32_t *sp = (sysm == SYSM_PSP) == m->psp_active ? &m->r[13] : &m->other_sp;
        *sp = value & ~3u;
    } else if (sysm == SYSM_PRIMASK) {
        m->exc.primask = (value & 1) != 0;
        bus_attention(m);
    } else if (sysm == SYSM_CONTROL && m->ipsr == 0) {
        m->control = value & 3;
        stack_select(m, (value & 2) != 0);
    }
}

void op_mrs(ARGS)
{
    m->nz = nz;
    m->carry = carry;
    m->over = over;
    m->r[i->a] = special_read(m, i->imm);
    cy += COST(i);
    i++; /* two halfwords */
    NEXT;
}

void op_msr(ARGS)
{
    m->nz = nz;
    m->carry = carry;
    m->over = over;
    uint32_t sp = m->r[13];
    special_write(m, i->imm, m->r[i->b]);
    nz = m->nz;
    carry = m->carry;
    over = m->over;
    cy += COST(i);
    look(m, i, cy);
    if (m->r[13] != sp && m->delivered.count != 0 && m->ipsr == 0)
        delivered_stack(m, m->base + REL(cy), sp, m->r[13]);
    i++; /* two halfwords */
    NEXT;
}
