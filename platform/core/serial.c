/* Serial lines: bytes on their way to the chip wait until the line is free; those it sent wait for
 * whoever asks. The chip says how long a frame takes. */
#include "machine.h"

void serial_reset(struct takt_machine *m)
{
    for (uint32_t port = 0; port < UARTS; port++) {
        struct serial *s = &m->serial[port];
        s->count = s->head = s->taken.count = 0;
        s->receiving = false;
    }
}

void serial_sent(struct takt_machine *m, uint32_t port, uint8_t byte, uint64_t when)
{
    struct takt_byte sent = {when, byte, 0};
    record_add(&m->serial[port].taken, &sent, sizeof sent);
    if (m->serial[port].watch)
        machine_stop(m, TAKT_STOP_UART, when, byte | port << 8);
}

void serial_put(struct takt_machine *m, uint32_t port, uint8_t byte, uint64_t when)
{
    struct serial *s = &m->serial[port];
    if (s->count == sizeof s->waiting) {
        report_note(m, "more than 1024 bytes wait to be sent to a UART: dropped");
        return;
    }
    s->waiting[(s->head + s->count++) % sizeof s->waiting] = byte;
    m->chip->uart_waits(m, port, when);
}

uint8_t serial_arrived(struct takt_machine *m, uint32_t port)
{
    struct serial *s = &m->serial[port];
    uint8_t byte = s->waiting[s->head];
    s->head = (s->head + 1) % sizeof s->waiting;
    s->count--;
    s->receiving = false;
    return byte;
}

void takt_uart_send(struct takt_machine *m, uint32_t port, const uint8_t *data, uint32_t size,
                    uint64_t at)
{
    for (uint32_t k = 0; k < size && port < UARTS; k++)
        external_add(m, at, EXTERNAL_UART, port, data[k]);
}

uint32_t takt_uart_take(struct takt_machine *m, uint32_t port, struct takt_byte *out, uint32_t room)
{
    return port < UARTS ? record_take(&m->serial[port].taken, out, room) : 0;
}

void takt_uart_watch(struct takt_machine *m, uint32_t port, int32_t on)
{
    if (port < UARTS)
        m->serial[port].watch = on != 0;
}
