/*
 * Fatal errors. Code and place are left in takt_core for a debugger, and the CPU stops. Programs
 * with a console (TAKT_HAS_TELLING) have one line on it that names what happened and where, and a
 * record for debuggers. Nothing here may rely on the scheduler being sound.
 */
#include "cpu.h"

#include <takt/flash.h>

#if TAKT_HAS_TELLING

/* A port may leave the stack it is on, which may be too small for this (port_inline.h). */
#ifndef PORT_LAST_STACK
#define PORT_LAST_STACK (void)0
#define PORT_LAST_STACK_CALL
#endif

volatile struct takt_fatal_record takt_fatal_record;

#define LINE_BYTES   96
#define NUMBER_BYTES 48
#define WHY_BYTES    40 /* what text_of() says, and its end */
#define NAME_BYTES   48
#define START        "\r\ntakt: fatal: "
#define START_BYTES  16
#define DIGITS(n)    DIGITS_(n)
#define DIGITS_(n)   #n

/* Appends text to line[*at..size), always terminated. */
static void append(char *line, size_t size, size_t *at, const char *text)
{
    while (*text && *at + 1 < size)
        line[(*at)++] = *text++;
    line[*at] = '\0';
}

/* The thread that has the stack on which, or nearest below which, sp lies. */
static uint8_t nearest(const char *sp)
{
    uint8_t found = TAKT_NOBODY;
    for (uint8_t place = 0; place < takt_places(); place++) {
        const char *end = TAKT_OF(place, stack_end);
        if (sp <= end && (found == TAKT_NOBODY || end < TAKT_OF(found, stack_end)))
            found = place;
    }
    return found;
}

/* What the kernel itself says by code only; in flash. No switch: a compiler makes a table of that,
 * in RAM. */
static const char *text_of(enum takt_fatal code)
{
    if (code == TAKT_FATAL_STACK)
        return TAKT_FLASH_STRING("stack overflow");
    if (code == TAKT_FATAL_ISR_STACK)
        return TAKT_FLASH_STRING("stack overflow (of the interrupts)");
    if (code == TAKT_FATAL_THREADS)
        return TAKT_FLASH_STRING("a program needs 1 to " DIGITS(TAKT_PLACES) " threads");
    if (code == TAKT_FATAL_START)
        return TAKT_FLASH_STRING("main() returned without takt_start()");
    return TAKT_FLASH_STRING("fatal error");
}

/* On a stack that is not needed any more, where the port has such a thing. */
static PORT_LAST_STACK_CALL __attribute__((noreturn)) void tell(enum takt_fatal code, uint8_t place,
                                                               const char *why)
{
    char line[LINE_BYTES];
    size_t at = 0;
    why = why ? why : TAKT_FLASH_TEXT(WHY_BYTES, text_of(code));
    takt_fatal_record.place = place;
    takt_fatal_record.why = why;
    takt_fatal_record.code = code;
    append(line, sizeof line, &at, TAKT_FLASH_TEXT(START_BYTES, TAKT_FLASH_STRING(START)));
    append(line, sizeof line, &at, why);
    if (place < takt_places()) {
        append(line, sizeof line, &at, " (in ");
        append(line, sizeof line, &at, TAKT_FLASH_TEXT(NAME_BYTES, TAKT_OF(place, name)));
        append(line, sizeof line, &at, ")");
    }
    append(line, sizeof line, &at, "\r\n");
    port_fatal(line);
}

void takt_fatal(enum takt_fatal code, uint8_t place, const char *why)
{
    TAKT_FACT("last");
    port_irq_save();
    /* Which thread it was may be lost: what says so lies next to the stacks. */
    if (code == TAKT_FATAL_STACK && place >= takt_places())
        place = nearest(__builtin_frame_address(0));
    takt_note_fatal(code, place);
    PORT_LAST_STACK;
    tell(code, place, why);
}

void takt_fatal_number(const char *text, uint32_t number, uint32_t base)
{
    char why[NUMBER_BYTES], digits[11], *first = digits + sizeof digits - 1;
    size_t at = 0;
    *first = '\0';
    for (uint32_t left = number, n = 0; base == 16 ? n < 8 : left || !n; left /= base, n++)
        *--first = (char)TAKT_FLASH_BYTE(TAKT_FLASH_STRING("0123456789abcdef") + left % base);
    append(why, sizeof why, &at, text);
    append(why, sizeof why, &at, first);
    takt_fatal(TAKT_FATAL_FAULT, takt_self(), why);
}

void takt_unhandled(uint32_t exception)
{
    takt_fatal_number(TAKT_FLASH_TEXT(WHY_BYTES, TAKT_FLASH_STRING("no handler for exception ")),
                      exception, 10);
}

#else

void takt_fatal(enum takt_fatal code, uint8_t place, const char *why)
{
    TAKT_FACT("last");
    (void)why;
    port_irq_save();
    takt_note_fatal(code, place);
    port_halt();
}

void takt_unhandled(uint32_t exception)
{
    (void)exception;
    takt_fatal(TAKT_FATAL_FAULT, takt_core.current, NULL);
}

#endif
