#pragma once
#define FOREGROUND_MS 50
#define BACKGROUND_LOOPS 2
#define BACKGROUND_MS 24
#define NO_BUDGETS 0
#define SINGLE_LOOP 0
#define BURSTS 0
