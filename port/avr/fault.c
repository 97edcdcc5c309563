/*
 * AVR: fatal errors on the console, in programs that tell (takt/thread.h).
 */
#include <takt/console.h>

#include "core/cpu.h"

_Static_assert(offsetof(struct takt_core, current) == 1 && TAKT_FATAL_STACK == 1 &&
                   TAKT_FATAL_ISR_STACK == 8 && TAKT_PLACES == 8,
               "switch.S");

void port_fatal(const char *text)
{
    while (*text)
        board_console_put(*text++);
}

/* Vectors without a handler: an rcall each, whose return address says which. */
__asm__(".pushsection .text.port_unhandled_table,\"ax\",@progbits\n\t"
        ".global port_unhandled_table\n"
        "port_unhandled_table:\n\t"
        ".rept 32\n\trcall 1f\n\t.endr\n"
        "1: pop r23\n\tpop r22\n\tclr r1\n\t"
        "subi r22, lo8(pm(port_unhandled_table + 2))\n\t"
        "sbci r23, hi8(pm(port_unhandled_table + 2))\n\t"
        "clr r24\n\tclr r25\n\tjmp takt_unhandled\n\t.popsection");
