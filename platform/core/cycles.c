/*
 * Cycle costs. Instructions: Cortex-M0+ TRM (DDI 0484C) table 3-1 and Cortex-M0 TRM (DDI 0432C)
 * table 3-1, one-cycle multiplier. Exception entry: the documented worst-case interrupt latency
 * at zero wait states, 15 and 16 cycles. For the rest the manuals give no figure. On a Cortex-M0 it
 * was measured (the Ell-i thesis, Appendix A; tests/platform/test_measured.py), from the end of the
 * instruction before to the handler's first:
 *
 *   BX, exit                          3 + 13
 *   BX, tail chain                    3 + 12
 *   SVC, entry                        2 + 16
 *   store to ICSR, delay, entry   2 + 1 + 16    the delay executes what follows the store
 *
 * Of a Cortex-M0+, whose pipeline is a stage shorter, no measurement is published: exit and tail
 * chain are taken to be 2 + 11, the rest as above.
 *
 * Wait states: flash is fetched a word at a time. Without prefetch `wait_states` are paid by each
 * instruction that starts a word, by a jump into the middle of one, and by each load from flash.
 * With prefetch the next word is read while this one executes, so code in sequence pays nothing;
 * a jump pays for its target's word, and for the next word too when it needs that at once:
 *
 *   target        |..ab|..     a takes more than a cycle: 1 x     else: 2 x
 *   target      |abcd|......                                            1 x
 */
#include "machine.h"

static const struct cycle_table m0p = {
    .branch = 2,
    .bl = 3,
    .bx = 2,
    .pop_pc = 3,
    .move_special = 3,
    .barrier = 3,
    .port = 1,
    .entry = 15,
    .exit = 11,
    .tail_chain = 11,
};

static const struct cycle_table m0 = {
    .branch = 3,
    .bl = 4,
    .bx = 3,
    .pop_pc = 4,
    .move_special = 4,
    .barrier = 4,
    .port = 0,
    .entry = 16,
    .exit = 13,
    .tail_chain = 12,
};

struct cycle_table cycles_of(uint32_t core)
{
    return core == TAKT_CORE_M0 ? m0 : m0p;
}

uint32_t cycles_fetch_wait(const struct takt_machine *m, uint32_t address)
{
    return address - m->flash_base < m->flash_size ? m->wait_states : 0;
}

/* Of a load from flash. */
uint32_t cycles_load_wait(struct takt_machine *m, uint32_t address)
{
    return m->flash_cached ? m->chip->flash_wait(m, address) : m->wait_states;
}

/* Is the halfword after this one wanted a cycle later? So it is after what takes one cycle and
 * is no jump, and by a 32-bit instruction. */
static bool hurries(uint32_t code)
{
    uint32_t top = code >> 12;
    if (top == 4) /* not: jumps, literals */
        return (code & 0x800) == 0 && (code & 0xff00) != 0x4700 && (code & 0xfd87) != 0x4487;
    if (top == 11) /* not: PUSH, POP */
        return (code & 0x600) != 0x400;
    return top < 4 || top == 10 || top == 13 || code >> 11 >= 0x1d;
}

uint32_t cycles_jump_wait(const struct takt_machine *m, uint32_t target)
{
    uint32_t off = target - m->flash_base, wait = cycles_fetch_wait(m, target);
    bool middle = (target & 2) != 0;
    if (wait == 0 || (!middle && !m->prefetch))
        return 0;
    uint32_t code = m->flash[off] | (uint32_t)m->flash[off + 1] << 8;
    return m->prefetch && middle && hurries(code) ? 2 * wait : wait;
}

/* What the chip's registers say; an instruction's cost is in its decoded form. */
void cycles_set_wait(struct takt_machine *m, uint32_t wait_states, bool prefetch)
{
    uint32_t wait = m->wait_forced ? m->wait_states : wait_states;
    if (wait == m->wait_states && prefetch == m->prefetch)
        return;
    m->wait_states = wait;
    m->prefetch = prefetch;
    code_forget(m, m->flash_base, m->flash_size);
    code_forget(m, RAM_BASE, m->ram_size);
}
