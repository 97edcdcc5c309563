/*
 * Which PIO state machines are taken, and which places of a block's instruction memory: a bit for
 * each, taken and given back by any loop. The rest of hardware/pio.h is in the header.
 */
#include <hardware/pio.h>
#include <hardware/pwm.h>
#include <pico/platform.h>
#include <takt/port.h>
#include <takt/thread.h>

#include "../rp2040/rp2040.h"

/* By block. */
static volatile uint32_t machines[NUM_PIOS], places[NUM_PIOS];

void panic(const char *text, ...)
{
    takt_fatal(TAKT_FATAL_ASSERT, takt_self(), text);
}

void takt_pio_release(PIO pio)
{
    rp2040_release(pio == pio0 ? RP2040_RESET_PIO0 : RP2040_RESET_PIO1);
}

/* Some libraries look at the registers before they claim anything, in constructors of global
 * objects. */
__attribute__((constructor(101))) static void release_all(void)
{
    rp2040_release(RP2040_RESET_PIO0 | RP2040_RESET_PIO1);
}

void takt_pwm_release(void)
{
    rp2040_release(RP2040_RESET_PWM);
}

/* All of them or none. */
static bool take(volatile uint32_t *set, uint32_t bits)
{
    port_irq_t irq = port_irq_save();
    bool free = (*set & bits) == 0;
    if (free)
        *set |= bits;
    port_irq_restore(irq);
    return free;
}

static void give(volatile uint32_t *set, uint32_t bits)
{
    port_irq_t irq = port_irq_save();
    *set &= ~bits;
    port_irq_restore(irq);
}

void pio_sm_claim(PIO pio, uint sm)
{
    takt_pio_release(pio);
    if (!take(&machines[pio_get_index(pio)], 1u << sm))
        panic("PIO: the state machine is claimed already");
}

void pio_sm_unclaim(PIO pio, uint sm)
{
    give(&machines[pio_get_index(pio)], 1u << sm);
}

bool pio_sm_is_claimed(PIO pio, uint sm)
{
    return (machines[pio_get_index(pio)] >> sm & 1u) != 0;
}

int pio_claim_unused_sm(PIO pio, bool required)
{
    takt_pio_release(pio);
    for (uint sm = 0; sm < NUM_PIO_STATE_MACHINES; sm++) {
        if (take(&machines[pio_get_index(pio)], 1u << sm))
            return (int)sm;
    }
    if (required)
        panic("PIO: no state machine is left");
    return -1;
}

static uint32_t places_of(const pio_program_t *program, uint offset)
{
    uint32_t all = program->length < 32u ? (1u << program->length) - 1u : ~0u;
    return all << offset;
}

static bool fits(const pio_program_t *program, uint offset)
{
    return offset + program->length <= PIO_INSTRUCTION_COUNT &&
           (program->origin < 0 || (uint)program->origin == offset);
}

bool pio_can_add_program_at_offset(PIO pio, const pio_program_t *program, uint offset)
{
    return fits(program, offset) &&
           (places[pio_get_index(pio)] & places_of(program, offset)) == 0;
}

/* Jumps are counted from the program's beginning. */
static void load(PIO pio, const pio_program_t *program, uint offset)
{
    for (uint n = 0; n < program->length; n++) {
        uint32_t instruction = program->instructions[n];
        bool jump = (instruction & 0xE000u) == pio_instr_bits_jmp;
        pio->instr_mem[offset + n] = jump ? instruction + offset : instruction;
    }
}

int pio_add_program_at_offset(PIO pio, const pio_program_t *program, uint offset)
{
    takt_pio_release(pio);
    if (!fits(program, offset) || !take(&places[pio_get_index(pio)], places_of(program, offset)))
        return PICO_ERROR_INSUFFICIENT_RESOURCES;
    load(pio, program, offset);
    return (int)offset;
}

/* From the end, so that programs that must lie at the beginning find room. */
int pio_add_program(PIO pio, const pio_program_t *program)
{
    for (uint offset = PIO_INSTRUCTION_COUNT; offset-- > 0;) {
        if (pio_can_add_program_at_offset(pio, program, offset) &&
            pio_add_program_at_offset(pio, program, offset) >= 0)
            return (int)offset;
    }
    return PICO_ERROR_INSUFFICIENT_RESOURCES;
}

bool pio_can_add_program(PIO pio, const pio_program_t *program)
{
    for (uint offset = PIO_INSTRUCTION_COUNT; offset-- > 0;) {
        if (pio_can_add_program_at_offset(pio, program, offset))
            return true;
    }
    return false;
}

void pio_remove_program(PIO pio, const pio_program_t *program, uint offset)
{
    give(&places[pio_get_index(pio)], places_of(program, offset));
}

void pio_clear_instruction_memory(PIO pio)
{
    takt_pio_release(pio);
    for (uint n = 0; n < PIO_INSTRUCTION_COUNT; n++)
        pio->instr_mem[n] = pio_encode_jmp(n);
    give(&places[pio_get_index(pio)], ~0u);
}

bool pio_claim_free_sm_and_add_program(const pio_program_t *program, PIO *pio, uint *sm,
                                       uint *offset)
{
    for (uint n = 0; n < NUM_PIOS; n++) {
        PIO block = pio_get_instance(n);
        int machine = pio_claim_unused_sm(block, false);
        int at = machine >= 0 ? pio_add_program(block, program) : -1;
        if (at >= 0) {
            *pio = block, *sm = (uint)machine, *offset = (uint)at;
            return true;
        }
        if (machine >= 0)
            pio_sm_unclaim(block, (uint)machine);
    }
    return false;
}

void pio_remove_program_and_unclaim_sm(const pio_program_t *program, PIO pio, uint sm, uint offset)
{
    pio_sm_set_enabled(pio, sm, false);
    pio_remove_program(pio, program, offset);
    pio_sm_unclaim(pio, sm);
}
