#pragma once
#define IO_C 2
#define IO_T 10
#define HANDLER_C 3
#define HANDLER_T 10
#define WITH_DEVICE 1
#define IN_INTERRUPT 0
#define POLL 0
#define NO_BUDGETS 0
