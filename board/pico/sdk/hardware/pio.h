/*
 * PIO, by the names of the pico's SDK: two blocks of four state machines, which run programs of up
 * to 32 instructions beside the CPU.
 *
 * Which machines and which instructions' places are taken is kept for all loops (drivers/pio); a
 * machine's own registers are its owner's. What waits here keeps the loop busy, on its budget.
 * Words are moved by the CPU, or by DMA (hardware/dma.h); handlers of interrupts are those of
 * hardware/irq.h.
 */
#ifndef TAKT_HARDWARE_PIO_H
#define TAKT_HARDWARE_PIO_H

#include <hardware/gpio.h>
#include <hardware/pio_instructions.h>
#include <hardware/regs/dreq.h>
#include <hardware/regs/intctrl.h>
#include <hardware/structs/pio.h>

#define NUM_PIOS               2u
#define NUM_PIO_STATE_MACHINES 4u
#define PIO_INSTRUCTION_COUNT  32u

typedef pio_hw_t *PIO;

#define pio0 pio0_hw
#define pio1 pio1_hw

enum pio_fifo_join {
    PIO_FIFO_JOIN_NONE = 0,
    PIO_FIFO_JOIN_TX = 1,
    PIO_FIFO_JOIN_RX = 2,
};

enum pio_mov_status_type { STATUS_TX_LESSTHAN = 0, STATUS_RX_LESSTHAN = 1 };

/* origin: where it must lie, -1: anywhere. */
typedef struct pio_program {
    const uint16_t *instructions;
    uint8_t length;
    int8_t origin;
    uint8_t pio_version;
} pio_program_t;

typedef struct {
    uint32_t clkdiv, execctrl, shiftctrl, pinctrl;
} pio_sm_config;

#ifdef __cplusplus
extern "C" {
#endif

/* drivers/pio. A machine or a place in memory is one program's; what is required and
 * not there ends the program. Thread or main. */
void pio_sm_claim(PIO pio, uint sm);
void pio_sm_unclaim(PIO pio, uint sm);
bool pio_sm_is_claimed(PIO pio, uint sm);
int pio_claim_unused_sm(PIO pio, bool required); /* -1: none */
bool pio_can_add_program(PIO pio, const pio_program_t *program);
bool pio_can_add_program_at_offset(PIO pio, const pio_program_t *program, uint offset);
/* The offset, or PICO_ERROR_INSUFFICIENT_RESOURCES. */
int pio_add_program(PIO pio, const pio_program_t *program);
int pio_add_program_at_offset(PIO pio, const pio_program_t *program, uint offset);
void pio_remove_program(PIO pio, const pio_program_t *program, uint offset);
void pio_clear_instruction_memory(PIO pio);
bool pio_claim_free_sm_and_add_program(const pio_program_t *program, PIO *pio, uint *sm,
                                       uint *offset);
void pio_remove_program_and_unclaim_sm(const pio_program_t *program, PIO pio, uint sm, uint offset);

#ifdef __cplusplus
}
#endif

/* All pins are within reach of both blocks. */
static inline bool pio_claim_free_sm_and_add_program_for_gpio_range(
    const pio_program_t *program, PIO *pio, uint *sm, uint *offset, uint gpio_base, uint gpio_count,
    bool set_gpio_base)
{
    (void)gpio_base, (void)gpio_count, (void)set_gpio_base;
    return pio_claim_free_sm_and_add_program(program, pio, sm, offset);
}

static inline int pio_set_gpio_base(PIO pio, uint gpio_base)
{
    (void)pio;
    return gpio_base == 0 ? PICO_OK : PICO_ERROR_INVALID_ARG;
}

static inline uint pio_get_gpio_base(PIO pio)
{
    (void)pio;
    return 0;
}

static inline uint pio_get_index(PIO pio)
{
    return pio == pio1;
}

static inline PIO pio_get_instance(uint n)
{
    return n == 0 ? pio0 : pio1;
}

static inline uint pio_get_funcsel(PIO pio)
{
    return GPIO_FUNC_PIO0 + pio_get_index(pio);
}

/* Configurations */

static inline void takt_field_(uint32_t *reg, uint low, uint bits, uint32_t value)
{
    uint32_t mask = ((1u << bits) - 1u) << low;
    *reg = (*reg & ~mask) | (value << low & mask);
}

static inline void sm_config_set_out_pins(pio_sm_config *c, uint base, uint count)
{
    takt_field_(&c->pinctrl, PIO_SM0_PINCTRL_OUT_BASE_LSB, 5, base);
    takt_field_(&c->pinctrl, PIO_SM0_PINCTRL_OUT_COUNT_LSB, 6, count);
}

static inline void sm_config_set_set_pins(pio_sm_config *c, uint base, uint count)
{
    takt_field_(&c->pinctrl, PIO_SM0_PINCTRL_SET_BASE_LSB, 5, base);
    takt_field_(&c->pinctrl, PIO_SM0_PINCTRL_SET_COUNT_LSB, 3, count);
}

static inline void sm_config_set_in_pins(pio_sm_config *c, uint base)
{
    takt_field_(&c->pinctrl, PIO_SM0_PINCTRL_IN_BASE_LSB, 5, base);
}

static inline void sm_config_set_in_pin_base(pio_sm_config *c, uint base)
{
    sm_config_set_in_pins(c, base);
}

static inline void sm_config_set_sideset_pins(pio_sm_config *c, uint base)
{
    takt_field_(&c->pinctrl, PIO_SM0_PINCTRL_SIDESET_BASE_LSB, 5, base);
}

static inline void sm_config_set_sideset_pin_base(pio_sm_config *c, uint base)
{
    sm_config_set_sideset_pins(c, base);
}

/* bits: with the one that says whether, where it is optional. */
static inline void sm_config_set_sideset(pio_sm_config *c, uint bits, bool optional, bool pindirs)
{
    takt_field_(&c->pinctrl, PIO_SM0_PINCTRL_SIDESET_COUNT_LSB, 3, bits);
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_SIDE_EN_LSB, 1, optional);
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_SIDE_PINDIR_LSB, 1, pindirs);
}

static inline void sm_config_set_clkdiv_int_frac(pio_sm_config *c, uint16_t whole, uint8_t frac)
{
    c->clkdiv = (uint32_t)whole << PIO_SM0_CLKDIV_INT_LSB |
                (uint32_t)frac << PIO_SM0_CLKDIV_FRAC_LSB;
}

static inline void sm_config_set_clkdiv(pio_sm_config *c, float div)
{
    uint32_t parts = (uint32_t)(div * 256.0f);
    sm_config_set_clkdiv_int_frac(c, (uint16_t)(parts >> 8), (uint8_t)parts);
}

static inline void sm_config_set_wrap(pio_sm_config *c, uint wrap_target, uint wrap)
{
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_WRAP_BOTTOM_LSB, 5, wrap_target);
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_WRAP_TOP_LSB, 5, wrap);
}

static inline void sm_config_set_jmp_pin(pio_sm_config *c, uint pin)
{
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_JMP_PIN_LSB, 5, pin);
}

static inline void sm_config_set_in_shift(pio_sm_config *c, bool right, bool autopush,
                                          uint threshold)
{
    takt_field_(&c->shiftctrl, PIO_SM0_SHIFTCTRL_IN_SHIFTDIR_LSB, 1, right);
    takt_field_(&c->shiftctrl, PIO_SM0_SHIFTCTRL_AUTOPUSH_LSB, 1, autopush);
    takt_field_(&c->shiftctrl, PIO_SM0_SHIFTCTRL_PUSH_THRESH_LSB, 5, threshold);
}

static inline void sm_config_set_out_shift(pio_sm_config *c, bool right, bool autopull,
                                           uint threshold)
{
    takt_field_(&c->shiftctrl, PIO_SM0_SHIFTCTRL_OUT_SHIFTDIR_LSB, 1, right);
    takt_field_(&c->shiftctrl, PIO_SM0_SHIFTCTRL_AUTOPULL_LSB, 1, autopull);
    takt_field_(&c->shiftctrl, PIO_SM0_SHIFTCTRL_PULL_THRESH_LSB, 5, threshold);
}

static inline void sm_config_set_fifo_join(pio_sm_config *c, enum pio_fifo_join join)
{
    takt_field_(&c->shiftctrl, PIO_SM0_SHIFTCTRL_FJOIN_TX_LSB, 2, (uint32_t)join);
}

static inline void sm_config_set_out_special(pio_sm_config *c, bool sticky, bool has_enable_pin,
                                             uint enable_pin)
{
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_OUT_STICKY_LSB, 1, sticky);
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_INLINE_OUT_EN_LSB, 1, has_enable_pin);
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_OUT_EN_SEL_LSB, 5, enable_pin);
}

static inline void sm_config_set_mov_status(pio_sm_config *c, enum pio_mov_status_type which,
                                            uint below)
{
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_STATUS_SEL_LSB, 1, (uint32_t)which);
    takt_field_(&c->execctrl, PIO_SM0_EXECCTRL_STATUS_N_LSB, 4, below);
}

/* The clock undivided, wrap over all of the memory, shifts to the right. */
static inline pio_sm_config pio_get_default_sm_config(void)
{
    pio_sm_config c = {0, 0, 0, 0};
    sm_config_set_clkdiv_int_frac(&c, 1, 0);
    sm_config_set_wrap(&c, 0, 31);
    sm_config_set_in_shift(&c, true, false, 32);
    sm_config_set_out_shift(&c, true, false, 32);
    return c;
}

/* Machines */

static inline void pio_sm_set_config(PIO pio, uint sm, const pio_sm_config *c)
{
    pio->sm[sm].clkdiv = c->clkdiv;
    pio->sm[sm].execctrl = c->execctrl;
    pio->sm[sm].shiftctrl = c->shiftctrl;
    pio->sm[sm].pinctrl = c->pinctrl;
}

static inline void pio_set_sm_mask_enabled(PIO pio, uint32_t mask, bool enabled)
{
    if (enabled)
        hw_set_bits(&pio->ctrl, mask);
    else
        hw_clear_bits(&pio->ctrl, mask);
}

static inline void pio_sm_set_enabled(PIO pio, uint sm, bool enabled)
{
    pio_set_sm_mask_enabled(pio, 1u << sm, enabled);
}

static inline void pio_restart_sm_mask(PIO pio, uint32_t mask)
{
    hw_set_bits(&pio->ctrl, mask << PIO_CTRL_SM_RESTART_LSB);
}

static inline void pio_sm_restart(PIO pio, uint sm)
{
    pio_restart_sm_mask(pio, 1u << sm);
}

static inline void pio_clkdiv_restart_sm_mask(PIO pio, uint32_t mask)
{
    hw_set_bits(&pio->ctrl, mask << PIO_CTRL_CLKDIV_RESTART_LSB);
}

static inline void pio_sm_clkdiv_restart(PIO pio, uint sm)
{
    pio_clkdiv_restart_sm_mask(pio, 1u << sm);
}

static inline void pio_enable_sm_mask_in_sync(PIO pio, uint32_t mask)
{
    hw_set_bits(&pio->ctrl, mask << PIO_CTRL_CLKDIV_RESTART_LSB | mask);
}

static inline uint8_t pio_sm_get_pc(PIO pio, uint sm)
{
    return (uint8_t)pio->sm[sm].addr;
}

static inline void pio_sm_exec(PIO pio, uint sm, uint instr)
{
    pio->sm[sm].instr = instr;
}

static inline bool pio_sm_is_exec_stalled(PIO pio, uint sm)
{
    return pio->sm[sm].execctrl >> PIO_SM0_EXECCTRL_EXEC_STALLED_LSB != 0;
}

static inline void pio_sm_exec_wait_blocking(PIO pio, uint sm, uint instr)
{
    pio_sm_exec(pio, sm, instr);
    while (pio_sm_is_exec_stalled(pio, sm)) {
    }
}

static inline void pio_sm_set_wrap(PIO pio, uint sm, uint wrap_target, uint wrap)
{
    hw_write_masked(&pio->sm[sm].execctrl,
                    wrap_target << PIO_SM0_EXECCTRL_WRAP_BOTTOM_LSB |
                        wrap << PIO_SM0_EXECCTRL_WRAP_TOP_LSB,
                    31u << PIO_SM0_EXECCTRL_WRAP_BOTTOM_LSB | 31u << PIO_SM0_EXECCTRL_WRAP_TOP_LSB);
}

static inline void pio_sm_set_clkdiv_int_frac(PIO pio, uint sm, uint16_t whole, uint8_t frac)
{
    pio->sm[sm].clkdiv = (uint32_t)whole << PIO_SM0_CLKDIV_INT_LSB |
                         (uint32_t)frac << PIO_SM0_CLKDIV_FRAC_LSB;
}

static inline void pio_sm_set_clkdiv(PIO pio, uint sm, float div)
{
    pio_sm_config c;
    sm_config_set_clkdiv(&c, div);
    pio->sm[sm].clkdiv = c.clkdiv;
}

static inline void pio_sm_set_out_pins(PIO pio, uint sm, uint base, uint count)
{
    pio_sm_config c = {0, 0, 0, pio->sm[sm].pinctrl};
    sm_config_set_out_pins(&c, base, count);
    pio->sm[sm].pinctrl = c.pinctrl;
}

static inline void pio_sm_set_set_pins(PIO pio, uint sm, uint base, uint count)
{
    pio_sm_config c = {0, 0, 0, pio->sm[sm].pinctrl};
    sm_config_set_set_pins(&c, base, count);
    pio->sm[sm].pinctrl = c.pinctrl;
}

static inline void pio_sm_set_in_pins(PIO pio, uint sm, uint base)
{
    pio_sm_config c = {0, 0, 0, pio->sm[sm].pinctrl};
    sm_config_set_in_pins(&c, base);
    pio->sm[sm].pinctrl = c.pinctrl;
}

static inline void pio_sm_set_sideset_pins(PIO pio, uint sm, uint base)
{
    pio_sm_config c = {0, 0, 0, pio->sm[sm].pinctrl};
    sm_config_set_sideset_pins(&c, base);
    pio->sm[sm].pinctrl = c.pinctrl;
}

/* FIFOs */

static inline void pio_sm_put(PIO pio, uint sm, uint32_t word)
{
    pio->txf[sm] = word;
}

static inline uint32_t pio_sm_get(PIO pio, uint sm)
{
    return pio->rxf[sm];
}

static inline bool pio_sm_is_rx_fifo_full(PIO pio, uint sm)
{
    return (pio->fstat >> (PIO_FSTAT_RXFULL_LSB + sm) & 1u) != 0;
}

static inline bool pio_sm_is_rx_fifo_empty(PIO pio, uint sm)
{
    return (pio->fstat >> (PIO_FSTAT_RXEMPTY_LSB + sm) & 1u) != 0;
}

static inline bool pio_sm_is_tx_fifo_full(PIO pio, uint sm)
{
    return (pio->fstat >> (PIO_FSTAT_TXFULL_LSB + sm) & 1u) != 0;
}

static inline bool pio_sm_is_tx_fifo_empty(PIO pio, uint sm)
{
    return (pio->fstat >> (PIO_FSTAT_TXEMPTY_LSB + sm) & 1u) != 0;
}

static inline uint pio_sm_get_tx_fifo_level(PIO pio, uint sm)
{
    return pio->flevel >> (8u * sm) & 15u;
}

static inline uint pio_sm_get_rx_fifo_level(PIO pio, uint sm)
{
    return pio->flevel >> (8u * sm + 4u) & 15u;
}

static inline void pio_sm_put_blocking(PIO pio, uint sm, uint32_t word)
{
    while (pio_sm_is_tx_fifo_full(pio, sm)) {
    }
    pio_sm_put(pio, sm, word);
}

static inline uint32_t pio_sm_get_blocking(PIO pio, uint sm)
{
    while (pio_sm_is_rx_fifo_empty(pio, sm)) {
    }
    return pio_sm_get(pio, sm);
}

/* A change of how FIFOs are joined empties them. */
static inline void pio_sm_clear_fifos(PIO pio, uint sm)
{
    hw_xor_bits(&pio->sm[sm].shiftctrl, 1u << PIO_SM0_SHIFTCTRL_FJOIN_RX_LSB);
    hw_xor_bits(&pio->sm[sm].shiftctrl, 1u << PIO_SM0_SHIFTCTRL_FJOIN_RX_LSB);
}

/* By the machine itself, which must not run. */
static inline void pio_sm_drain_tx_fifo(PIO pio, uint sm)
{
    bool automatic = (pio->sm[sm].shiftctrl >> PIO_SM0_SHIFTCTRL_AUTOPULL_LSB & 1u) != 0;
    uint take = automatic ? pio_encode_out(pio_null, 32) : pio_encode_pull(false, false);
    while (!pio_sm_is_tx_fifo_empty(pio, sm))
        pio_sm_exec(pio, sm, take);
}

/* Pins of a machine that does not run: SET instructions that it is given. */

static inline void takt_pio_set_(PIO pio, uint sm, enum pio_src_dest what, uint pin, uint count,
                                 bool high)
{
    uint32_t pinctrl = pio->sm[sm].pinctrl, execctrl = pio->sm[sm].execctrl;
    hw_clear_bits(&pio->sm[sm].execctrl, 1u << PIO_SM0_EXECCTRL_OUT_STICKY_LSB);
    for (; count > 0; count--, pin = (pin + 1u) & 31u) {
        pio->sm[sm].pinctrl =
            1u << PIO_SM0_PINCTRL_SET_COUNT_LSB | pin << PIO_SM0_PINCTRL_SET_BASE_LSB;
        pio_sm_exec(pio, sm, pio_encode_set(what, high));
    }
    pio->sm[sm].pinctrl = pinctrl;
    pio->sm[sm].execctrl = execctrl;
}

static inline int pio_sm_set_consecutive_pindirs(PIO pio, uint sm, uint pin, uint count, bool out)
{
    takt_pio_set_(pio, sm, pio_pindirs, pin, count, out);
    return PICO_OK;
}

static inline void takt_pio_set_masked_(PIO pio, uint sm, enum pio_src_dest what, uint32_t values,
                                        uint32_t mask)
{
    for (uint pin = 0; mask != 0; pin++, mask >>= 1, values >>= 1) {
        if ((mask & 1u) != 0)
            takt_pio_set_(pio, sm, what, pin, 1, (values & 1u) != 0);
    }
}

static inline void pio_sm_set_pins_with_mask(PIO pio, uint sm, uint32_t values, uint32_t mask)
{
    takt_pio_set_masked_(pio, sm, pio_pins, values, mask);
}

static inline void pio_sm_set_pins(PIO pio, uint sm, uint32_t values)
{
    pio_sm_set_pins_with_mask(pio, sm, values, 0xFFFFFFFFu);
}

static inline void pio_sm_set_pindirs_with_mask(PIO pio, uint sm, uint32_t outs, uint32_t mask)
{
    takt_pio_set_masked_(pio, sm, pio_pindirs, outs, mask);
}

/* The block drives the pin. */
static inline void pio_gpio_init(PIO pio, uint pin)
{
    gpio_set_function(pin, (gpio_function_t)pio_get_funcsel(pio));
}

/* Stopped at an instruction, its FIFOs, flags and registers as after a reset. */
static inline int pio_sm_init(PIO pio, uint sm, uint initial_pc, const pio_sm_config *config)
{
    uint32_t flags = 1u << PIO_FDEBUG_TXOVER_LSB | 1u << PIO_FDEBUG_RXUNDER_LSB |
                     1u << PIO_FDEBUG_TXSTALL_LSB | 1u << PIO_FDEBUG_RXSTALL_LSB;
    pio_sm_config usual = pio_get_default_sm_config();
    pio_sm_set_enabled(pio, sm, false);
    pio_sm_set_config(pio, sm, config != NULL ? config : &usual);
    pio_sm_clear_fifos(pio, sm);
    pio->fdebug = flags << sm;
    pio_sm_restart(pio, sm);
    pio_sm_clkdiv_restart(pio, sm);
    pio_sm_exec(pio, sm, pio_encode_jmp(initial_pc));
    return PICO_OK;
}

/* Flags between machines and the program. */

static inline bool pio_interrupt_get(PIO pio, uint flag)
{
    return (pio->irq >> flag & 1u) != 0;
}

static inline void pio_interrupt_clear(PIO pio, uint flag)
{
    pio->irq = 1u << flag;
}

/* Interrupts of a block: lines 0 and 1; sources: flags 0 to 3, and by machine, whether there are
 * words to take, or room for words. */

enum pio_interrupt_source {
    pis_sm0_rx_fifo_not_empty = 0,
    pis_sm1_rx_fifo_not_empty,
    pis_sm2_rx_fifo_not_empty,
    pis_sm3_rx_fifo_not_empty,
    pis_sm0_tx_fifo_not_full,
    pis_sm1_tx_fifo_not_full,
    pis_sm2_tx_fifo_not_full,
    pis_sm3_tx_fifo_not_full,
    pis_interrupt0,
    pis_interrupt1,
    pis_interrupt2,
    pis_interrupt3,
};
typedef enum pio_interrupt_source pio_interrupt_source_t;

static inline int pio_get_irq_num(PIO pio, uint line)
{
    return PIO0_IRQ_0 + (int)(2u * pio_get_index(pio) + line);
}

static inline void pio_set_irqn_source_mask_enabled(PIO pio, uint line, uint32_t sources, bool on)
{
    io_rw_32 *enables = line == 0 ? &pio->inte0 : &pio->inte1;
    if (on)
        hw_set_bits(enables, sources);
    else
        hw_clear_bits(enables, sources);
}

static inline void pio_set_irqn_source_enabled(PIO pio, uint line, enum pio_interrupt_source source,
                                               bool on)
{
    pio_set_irqn_source_mask_enabled(pio, line, 1u << (uint)source, on);
}

static inline void pio_set_irq0_source_enabled(PIO pio, enum pio_interrupt_source source, bool on)
{
    pio_set_irqn_source_enabled(pio, 0, source, on);
}

static inline void pio_set_irq1_source_enabled(PIO pio, enum pio_interrupt_source source, bool on)
{
    pio_set_irqn_source_enabled(pio, 1, source, on);
}

/* What paces a DMA channel that fills a machine's FIFO (tx), or empties it. */
static inline uint pio_get_dreq(PIO pio, uint sm, bool is_tx)
{
    return (pio == pio0 ? DREQ_PIO0_TX0 : DREQ_PIO1_TX0) + (is_tx ? 0u : 4u) + sm;
}

#endif
