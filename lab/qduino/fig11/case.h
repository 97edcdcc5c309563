#pragma once
#define IO_MS 10
#define HANDLER_MS 5
#define IN_INTERRUPT 0
#define POLL 0
#define NO_BUDGETS 0
#define RUNS 5
