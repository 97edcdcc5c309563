/* What a board's costs are in the kernel, as variables (kernel_library.py): included before all
 * else. */
#ifndef TAKT_TESTS_COSTS_H
#define TAKT_TESTS_COSTS_H

#include <stdint.h>

extern uint32_t harness_margin_us;
extern uint32_t harness_io_start_us; /* of a bottom half */
extern uint32_t harness_piece_us;

#define TAKT_BUDGET_MARGIN_US   harness_margin_us
#define TAKT_IO_START_COST_US   harness_io_start_us
#define TAKT_PIECE_US           harness_piece_us

#endif
