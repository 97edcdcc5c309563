/*
 * Loops, bottom halves and interrupts of several kinds, near what admission bears: `last` has whatever
 * budget the test gives it.
 */
#include <takt/endpoint.h>
#include <takt/io.h>
#include <takt/time.h>
#include <takt/vcpu.h>

#include "check.h"

#ifdef SERIAL
#include <takt/uart.h>
#endif

#define ROOM 4096

static void turn(void *arg)
{
    (void)arg;
    done = 1;
    for (;;)
        takt_sleep_ms(1);
}

static void serve(void *io)
{
    for (;;)
        (void)takt_io_wait(io);
}

TAKT_IO_THREAD(usb, 1, 100, serve, &takt_io_usb, ROOM);
TAKT_BUDGET_THREAD(rx, 250, 2000, turn, 0, ROOM);
TAKT_BUDGET_THREAD(tx, 300, 2000, turn, 0, ROOM);
TAKT_BUDGET_THREAD(one, 1000, 7000, turn, 0, ROOM);
TAKT_BUDGET_THREAD(two, 1000, 7000, turn, 0, ROOM);
#ifdef TWO_SHARES
TAKT_IO_THREAD(more, 3, 50, serve, &takt_io_more, ROOM);
TAKT_BUDGET_THREAD(large, 9000, 20000, turn, 0, ROOM);
#endif
#ifdef LOOPS
TAKT_BUDGET_THREAD(third, 6000, 9000, turn, 0, ROOM);
TAKT_BUDGET_THREAD(fourth, 7000, 11000, turn, 0, ROOM);
#endif
#ifdef BACKGROUND
TAKT_THREAD(idler, 8, turn, 0, ROOM);
TAKT_THREAD(waker, 9, turn, 0, ROOM);
#endif
TAKT_BUDGET_THREAD(last, 1000, 7000, turn, 0, ROOM);

int main(void)
{
#ifdef SERIAL
    (void)takt_uart_open(0, 115200, 8, 0, 1);
    (void)takt_uart_write(0, "x", 1);
#endif
    takt_start();
}
