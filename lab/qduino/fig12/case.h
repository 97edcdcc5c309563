#pragma once
#define MULTI_LOOP 1
#define SINGLE_LOOP 0
#define ECHO_INTERRUPT 0
#define BUSY 0
#define NO_BUDGETS 0
