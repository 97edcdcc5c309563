/*
 * Printing NAME=NUMBER lines, one write each, for the test programs.
 */
#ifndef SAY_H
#define SAY_H

#include <string.h>
#include <takt/thread.h>
#include <takt/uart.h>

TAKT_TELLS_FATAL;

#define STACK (sizeof(void *) == 8 ? 65536 : sizeof(void *) == 2 ? 384 : 768) /* a host wants more */

static inline void say(const char *name, int32_t value)
{
    char line[48], *at = line + sizeof line;
    uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    *--at = '\n';
    do
        *--at = (char)('0' + rest % 10u);
    while (rest /= 10u);
    if (value < 0)
        *--at = '-';
    *--at = '=';
    size_t n = strlen(name);
    at -= n;
    memcpy(at, name, n);
    (void)takt_uart_write(0, at, (size_t)(line + sizeof line - at));
}

#endif
