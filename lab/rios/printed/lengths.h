/* Tasks of any length for the paper's schedulers. */
#include "../lengths/body.h"

#ifndef GCD
#define GCD 25
#endif
enum { period_1 = GCD, period_2 = 2 * GCD, period_3 = 4 * GCD };

int TickFct_1(int state)
{
    body(0);
    return state;
}

int TickFct_2(int state)
{
    body(1);
    return state;
}

int TickFct_3(int state)
{
    body(2);
    return state;
}
