/*
 * What admission must know of the board when a budget is changed while the program runs: the same
 * figures as in board.toml, which says where they come from (a test compares them).
 */
#include <takt/admit.h>

/* From pico.ld: 0 unless the program links the driver. */
extern const char takt_wire_ns[], takt_wire_long_ns[], takt_wire1_ns[], takt_spi_ns[],
    takt_spi_next_ns[];

static const struct takt_admit_irq interrupts[] = {
    {15000, 1380, 0}, /* Serial sends */
    {15000, 270, 0},  /* Serial receives */
    {5000, 500, 0},   /* pins */
    {16000, 1000, 0}, /* pulses */
    {(uint32_t)takt_wire_ns, 200, 0},
    {(uint32_t)takt_wire_long_ns, 1000, 0},
    {(uint32_t)takt_wire1_ns, 200, 0},
    {(uint32_t)takt_spi_ns, 100, 0},
    {(uint32_t)takt_spi_next_ns, 1000, 0},
};

const struct takt_admit_set takt_admit_board = {
    .irqs = interrupts,
    .irq_count = sizeof interrupts / sizeof interrupts[0],
    .costs = {.switch_ns = 15000, .alarm_ns = 4900, .margin_us = TAKT_BUDGET_MARGIN_US},
};
