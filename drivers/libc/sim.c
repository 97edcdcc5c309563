/*
 * exit(), abort() and a failed assert() of a program on the simulated board end the program, not
 * the host.
 */
#include <stdlib.h>

#include <takt/thread.h>

void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));

void exit(int status)
{
    (void)status;
    takt_fatal(TAKT_FATAL_EXIT, takt_self(), "the program called exit or abort");
}

void abort(void)
{
    exit(1);
}

void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    (void)what, (void)file, (void)line, (void)function;
    exit(1);
}
