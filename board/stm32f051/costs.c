/*
 * What admission must know of the board when a budget is changed while the program runs: the same
 * figures as in board.toml, which says where they come from (a test compares them).
 */
#include <takt/admit.h>

/* From sections.ld: 0 unless the program links the driver. */
extern const char takt_sends_ns[], takt_sent_ns[], takt_receives_ns[], takt_pins_ns[],
    takt_pulses_ns[], takt_wire_ns[], takt_wire_ends_ns[], takt_wire1_ns[], takt_spi_next_ns[];

static const struct takt_admit_irq interrupts[] = {
    {(uint32_t)takt_sends_ns, 86, 0},
    {(uint32_t)takt_sent_ns, 500, 0},
    {(uint32_t)takt_receives_ns, 1000, 0},
    {(uint32_t)takt_pins_ns, 500, 0},
    {(uint32_t)takt_pulses_ns, 1500, 0},
    {(uint32_t)takt_wire_ns, 90, 0},
    {(uint32_t)takt_wire_ends_ns, 180, 0},
    {(uint32_t)takt_wire1_ns, 90, 0},
    {(uint32_t)takt_spi_next_ns, 1000, 0},
};

const struct takt_admit_set takt_admit_board = {
    .irqs = interrupts,
    .irq_count = sizeof interrupts / sizeof interrupts[0],
    .costs = {.switch_ns = 55000, .alarm_ns = 25500, .margin_us = TAKT_BUDGET_MARGIN_US},
};
