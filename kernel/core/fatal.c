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

#define TEXT_BYTES  28 /* that a number follows */
#define DIGIT_BYTES 11 /* of 32 bits, and the end */
#define DIGITS(n)   DIGITS_(n)
#define DIGITS_(n)  #n

/* A text in flash. */
static void say(const char *text)
{
    char c[2] = {0};
    while ((c[0] = (char)TAKT_FLASH_BYTE(text++)) != '\0')
        port_fatal(c);
}

/* The thread that has the stack on which, or nearest below which, sp lies. */
static uint8_t nearest(const char *sp)
{
    if (TAKT_ONE_THREAD)
        return 0;
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
    takt_fatal_record.place = place;
    takt_fatal_record.why = why;
    takt_fatal_record.code = code;
    say(TAKT_FLASH_STRING("\r\ntakt: fatal: "));
    if (why)
        port_fatal(why);
    else
        say(text_of(code));
    if (place < takt_places()) {
        say(TAKT_FLASH_STRING(" (in "));
        say(TAKT_OF(place, name));
        say(TAKT_FLASH_STRING(")"));
    }
    say(TAKT_FLASH_STRING("\r\n"));
    port_halt();
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

void takt_fatal_number(const char *text, unsigned number, unsigned base)
{
    char why[TEXT_BYTES + DIGIT_BYTES], digits[DIGIT_BYTES];
    char *to = why, *first = digits + DIGIT_BYTES - 1;
    while ((*to = (char)TAKT_FLASH_BYTE(text++)) != '\0' && to < why + TEXT_BYTES)
        to++;
    *first = '\0';
    for (unsigned left = number, n = 0; base == 16 ? n < 8 : left || !n; left /= base, n++)
        *--first = (char)TAKT_FLASH_BYTE(TAKT_FLASH_STRING("0123456789abcdef") + left % base);
    while ((*to++ = *first++) != '\0') {
    }
    takt_fatal(TAKT_FATAL_FAULT, takt_self(), why);
}

void takt_unhandled(uint32_t exception)
{
    takt_fatal_number(TAKT_FLASH_STRING("no handler for exception "), (unsigned)exception, 10);
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
