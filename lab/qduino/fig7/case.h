#pragma once
#define WITH_WRITES 1
#define WITH_PRIMES 1
#define MULTI_LOOP 1
#define PRIME_US 450000
#define WRITE_US 3000
#define SINGLE_US 470000
#define NO_BUDGETS 0
