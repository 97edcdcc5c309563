/* What the machine tells its user: stops, faults, accesses nobody models, record lists. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define REPORTS_MAX 200u

static struct report *report_new(struct takt_machine *m)
{
    if (m->report_count >= REPORTS_MAX)
        return NULL;
    if (m->reports == NULL)
        m->reports = calloc(REPORTS_MAX, sizeof *m->reports);
    return m->reports != NULL ? &m->reports[m->report_count++] : NULL;
}

void report_access(struct takt_machine *m, const char *device, uint32_t address, uint32_t offset,
                   bool write, uint32_t value)
{
    for (uint32_t k = 0; k < m->report_count; k++) {
        struct report *r = &m->reports[k];
        if (r->address == address && r->write == write) {
            r->count++;
            return;
        }
    }
    struct report *r = report_new(m);
    if (r == NULL)
        return;
    r->address = address;
    r->write = write;
    r->count = 1;
    unsigned pc = code_address(m, m->at);
    if (write)
        snprintf(r->text, sizeof r->text, "%s+0x%x write 0x%x at pc=0x%08x", device,
                 (unsigned)offset, (unsigned)value, pc);
    else
        snprintf(r->text, sizeof r->text, "%s+0x%x read at pc=0x%08x", device, (unsigned)offset,
                 pc);
}

void report_note(struct takt_machine *m, const char *text)
{
    for (uint32_t k = 0; k < m->report_count; k++) {
        if (strncmp(m->reports[k].text, text, strlen(text)) == 0)
            return;
    }
    struct report *r = report_new(m);
    if (r != NULL)
        snprintf(r->text, sizeof r->text, "%s at pc=0x%08x", text,
                 (unsigned)code_address(m, m->at));
}

/* Only the first stop of a run counts. */
void machine_stop(struct takt_machine *m, uint32_t reason, uint64_t cycle, uint32_t detail)
{
    if (!m->stopped)
        m->stop = (struct takt_stop){reason, detail, cycle};
    m->stopped = true;
    bus_attention(m);
}

void takt_run(struct takt_machine *m, uint64_t until, struct takt_stop *stop)
{
    if (!m->dead) {
        m->stopped = false;
        machine_run(m, until);
        if (!m->stopped)
            m->stop = (struct takt_stop){TAKT_STOP_TIME, 0, m->now};
    }
    *stop = m->stop;
}

void takt_pause(struct takt_machine *m)
{
    machine_stop(m, TAKT_STOP_TIME, m->now, 0);
}

/* Notes a fault; TAKT_STOP_TIME as the reason lets the program go on (to its handler). */
void machine_fail(struct takt_machine *m, uint32_t reason, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->fault_text, sizeof m->fault_text, format, args);
    va_end(args);
    m->dead = m->dead || reason == TAKT_STOP_FAULT;
    if (reason != TAKT_STOP_TIME)
        machine_stop(m, reason, m->now, 0);
}

void machine_watchdog(struct takt_machine *m)
{
    machine_fail(m, TAKT_STOP_FAULT, "the watchdog reset the chip: not fed since %.6f s",
                 (double)m->fed / chip_hz(m));
    m->by_watchdog = true;
}

uint64_t takt_watchdog_fed(const struct takt_machine *m)
{
    return m->fed;
}

void record_add(struct record_list *list, const void *record, uint32_t size)
{
    if (list->count == list->room) {
        uint32_t room = list->room != 0 ? list->room * 2 : 256;
        uint8_t *data = realloc(list->data, (size_t)room * size);
        if (data == NULL)
            return;
        list->data = data;
        list->room = room;
    }
    list->record = size;
    memcpy(list->data + (size_t)list->count++ * size, record, size);
}

uint32_t record_take(struct record_list *list, void *out, uint32_t room)
{
    uint32_t taken = list->count < room ? list->count : room;
    size_t bytes = (size_t)taken * list->record;
    if (taken == 0)
        return 0;
    memcpy(out, list->data, bytes);
    list->count -= taken;
    memmove(list->data, list->data + bytes, (size_t)list->count * list->record);
    return taken;
}
