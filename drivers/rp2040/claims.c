/*
 * Which PIO state machines, places of a block's instruction memory, DMA channels, DMA timers and
 * spin locks are taken: a bit for each, taken and given back by any loop. The rest of
 * hardware/pio.h, hardware/dma.h and hardware/sync.h is in the headers.
 */
#include <hardware/dma.h>
#include <hardware/pio.h>
#include <takt/port.h>
#include <takt/thread.h>

static volatile uint32_t machines[NUM_PIOS], places[NUM_PIOS]; /* by block */
static volatile uint32_t channels, timers, locks;

void panic(const char *text, ...)
{
    takt_fatal(TAKT_FATAL_ASSERT, takt_self(), text);
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

static int take_one(volatile uint32_t *set, uint count)
{
    for (uint n = 0; n < count; n++) {
        if (take(set, 1u << n))
            return (int)n;
    }
    return -1;
}

/* DMA and spin locks. */

void dma_claim_mask(uint32_t mask)
{
    if (!take(&channels, mask))
        panic("DMA: the channel is claimed already");
}

void dma_channel_claim(uint channel)
{
    dma_claim_mask(1u << channel);
}

void dma_unclaim_mask(uint32_t mask)
{
    give(&channels, mask);
}

void dma_channel_unclaim(uint channel)
{
    dma_unclaim_mask(1u << channel);
}

int dma_claim_unused_channel(bool required)
{
    int channel = take_one(&channels, NUM_DMA_CHANNELS);
    if (channel < 0 && required)
        panic("DMA: no channel is left");
    return channel;
}

bool dma_channel_is_claimed(uint channel)
{
    return (channels >> channel & 1u) != 0;
}

void dma_timer_claim(uint timer)
{
    if (!take(&timers, 1u << timer))
        panic("DMA: the timer is claimed already");
}

void dma_timer_unclaim(uint timer)
{
    give(&timers, 1u << timer);
}

int dma_claim_unused_timer(bool required)
{
    int timer = take_one(&timers, NUM_DMA_TIMERS);
    if (timer < 0 && required)
        panic("DMA: no timer is left");
    return timer;
}

bool dma_timer_is_claimed(uint timer)
{
    return (timers >> timer & 1u) != 0;
}

void spin_lock_claim(uint number)
{
    if (!take(&locks, 1u << number))
        panic("the spin lock is claimed already");
}

int spin_lock_claim_unused(bool required)
{
    int number = take_one(&locks, NUM_SPIN_LOCKS);
    if (number < 0 && required)
        panic("no spin lock is left");
    return number;
}

void spin_lock_unclaim(uint number)
{
    give(&locks, 1u << number);
}

bool spin_lock_is_claimed(uint number)
{
    return (locks >> number & 1u) != 0;
}

/* PIO. */

void pio_sm_claim(PIO pio, uint sm)
{
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
    int sm = take_one(&machines[pio_get_index(pio)], NUM_PIO_STATE_MACHINES);
    if (sm < 0 && required)
        panic("PIO: no state machine is left");
    return sm;
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
