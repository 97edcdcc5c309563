/*
 * What admission must know of the board when a budget is changed while the program runs: the same
 * figures as in board.toml, which says where they come from (a test compares them).
 */
#include <takt/admit.h>

static const struct takt_admit_irq interrupts[] = {
    {20000, 2400, 0}, /* Serial sends */
};

const struct takt_admit_set takt_admit_board = {
    .irqs = interrupts,
    .irq_count = sizeof interrupts / sizeof interrupts[0],
    .costs = {.switch_ns = 0, .alarm_ns = 0, .margin_us = TAKT_BUDGET_MARGIN_US},
};
