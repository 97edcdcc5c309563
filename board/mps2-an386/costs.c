/*
 * What admission must know of the board when a budget is changed while the program runs: the same
 * figures as in board.toml, which says where they come from (a test compares them).
 */
#include <takt/admit.h>

/* From mps2-an386.ld: 0 unless the program links the driver. */
extern const char takt_receives_ns[];

static const struct takt_admit_irq interrupts[] = {
    {(uint32_t)takt_receives_ns, 270, 0},
};

const struct takt_admit_set takt_admit_board = {
    .irqs = interrupts,
    .irq_count = sizeof interrupts / sizeof interrupts[0],
    .costs = {.switch_ns = 113000, .alarm_ns = 55000, .margin_us = TAKT_BUDGET_MARGIN_US},
};
