/*
 * What admission must know of the board when a budget is changed while the program runs: the same
 * figures as in board.toml, which says where they come from (a test compares them).
 */
#include <takt/admit.h>

/* From pico.ld: 0 unless the program links the driver. */
extern const char takt_sends_ns[], takt_receives_ns[], takt_pins_ns[], takt_pulses_ns[],
    takt_wire_ns[], takt_wire_long_ns[], takt_wire1_ns[], takt_spi_ns[], takt_spi_next_ns[],
    takt_repeats_ns[], takt_own_ns[];

static const struct takt_admit_irq interrupts[] = {
    {(uint32_t)takt_sends_ns, 1380, 0},
    {(uint32_t)takt_receives_ns, 270, 0},
    {(uint32_t)takt_pins_ns, 500, 0},
    {(uint32_t)takt_pulses_ns, 1000, 0},
    {(uint32_t)takt_wire_ns, 200, 0},
    {(uint32_t)takt_wire_long_ns, 1000, 0},
    {(uint32_t)takt_wire1_ns, 200, 0},
    {(uint32_t)takt_spi_ns, 100, 0},
    {(uint32_t)takt_spi_next_ns, 1000, 0},
    {(uint32_t)takt_repeats_ns, 50, 0},
    {(uint32_t)takt_own_ns, 200, 0},
};

const struct takt_admit_set takt_admit_board = {
    .irqs = interrupts,
    .irq_count = sizeof interrupts / sizeof interrupts[0],
    .costs = {.switch_ns = 17000, .alarm_ns = 8300, .margin_us = TAKT_BUDGET_MARGIN_US},
};
