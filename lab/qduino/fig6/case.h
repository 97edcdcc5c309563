#pragma once
#define BUSY 0
#define SOFTWARE 0
#define NO_BUDGETS 0
