/*
 * Fatal errors: one line on the console that names what happened and where, a record for
 * debuggers, and a stop. Nothing here may rely on the scheduler being sound.
 */
#include "cpu.h"

volatile struct takt_fatal_record takt_fatal_record;

/* Appends text to line[*at..size), always terminated. */
static void append(char *line, size_t size, size_t *at, const char *text)
{
    while (*text && *at + 1 < size)
        line[(*at)++] = *text++;
    line[*at] = '\0';
}

void takt_fatal(enum takt_fatal code, uint8_t place, const char *why)
{
    char line[96];
    size_t at = 0;
    port_irq_save();
    takt_fatal_record.place = place;
    takt_fatal_record.why = why;
    takt_fatal_record.code = code;
    append(line, sizeof line, &at, "\r\ntakt: fatal: ");
    append(line, sizeof line, &at, why);
    if (place < takt_places()) {
        append(line, sizeof line, &at, " (in ");
        append(line, sizeof line, &at, takt_table[place]->name);
        append(line, sizeof line, &at, ")");
    }
    append(line, sizeof line, &at, "\r\n");
    port_fatal(line);
}
