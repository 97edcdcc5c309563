/*
 * main(), unless the sketch brings its own.
 */
#include <takt/thread.h>

/* Brings start.cpp and the loops in. */
__asm__(".globl takt_arduino_thread");

int main()
{
    takt_start();
}
