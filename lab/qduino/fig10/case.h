#pragma once
#define WITH_LOOP_1 1
#define WITH_LOOP_2 1
#define WITH_LOOP_3 1
#define NO_BUDGETS 0
#define SINGLE_LOOP 0
