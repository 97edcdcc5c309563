#pragma once
#define WHAT_WRITE 0
#define WHAT_READ 0
#define WHAT_INTERRUPTS 1
#define LARGE_BUDGET 0
#define IN_INTERRUPT 0
#define POLL 0
#define NO_BUDGETS 0
