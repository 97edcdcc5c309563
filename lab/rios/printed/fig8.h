/* Figure 8's tasks for the paper's schedulers. */
#include <util/delay.h>

#ifndef GCD
#define GCD 25
#endif
enum { period_1 = 25, period_2 = 50, period_3 = 100 };

int __attribute__((noinline)) TickFct_1(int state)
{
    _delay_ms(1);
    return state;
}

int __attribute__((noinline)) TickFct_2(int state)
{
    _delay_ms(5);
    return state;
}

int __attribute__((noinline)) TickFct_3(int state)
{
    _delay_ms(25);
    return state;
}
