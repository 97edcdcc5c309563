/*
 * Mistakes that stop the program; CASE says which.
 */
#include <stdlib.h>
#include <takt/gpio.h>
#include <takt/time.h>

#include "say.h"

enum { MAIN_RETURNS, NO_HANDLER, MALLOC_IN_ISR, BAD_ADDRESS, STACK_OVERFLOW };

static volatile uint32_t *volatile nowhere = (volatile uint32_t *)0xC0000000u;

static void on_edge(uint8_t pin, unsigned edges, takt_time_t at, void *arg)
{
    (void)pin, (void)edges, (void)at;
    *(void **)arg = malloc(4);
}

static int deep(int n)
{
    volatile char frame[64];
    frame[0] = (char)n;
    if (n == 0)
        takt_sleep(10);
    return n == 0 ? 0 : deep(n - 1) + frame[0];
}

static void thread(void *arg)
{
    static void *block;
    static const char held[] = "said before, and more of it than fits the hardware's FIFO\r\n";
    (void)arg;
    if (CASE != BAD_ADDRESS) { /* there the console opens the port itself */
        takt_uart_open(0, 115200, 8, TAKT_PARITY_NONE, 1);
        takt_uart_write(0, held, sizeof held - 1);
    }
#ifndef BOARD_SIM
    if (CASE == NO_HANDLER) {
        *(volatile uint32_t *)0xE000E100u = 1u << 9;
        *(volatile uint32_t *)0xE000E200u = 1u << 9;
    }
#endif
    if (CASE == MALLOC_IN_ISR) {
        takt_gpio_mode(2, TAKT_GPIO_INPUT_PULLDOWN);
        takt_gpio_on_edge(2, TAKT_EDGE_LOW, on_edge, &block);
    }
    if (CASE == BAD_ADDRESS)
        *nowhere = 1;
    if (CASE == STACK_OVERFLOW)
        say("deep", deep(20));
    takt_sleep_ms(1000);
}

TAKT_THREAD(careless, 1, thread, 0, STACK)

int main(void)
{
    if (CASE != MAIN_RETURNS)
        takt_start();
}
