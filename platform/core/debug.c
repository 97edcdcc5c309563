/* Break addresses, watched addresses, and the pins as seen from outside. */
#include "machine.h"

/* Adds or removes an address; -1 when the list is full. */
static int list_change(uint32_t *list, uint32_t *count, uint32_t room, uint32_t address, bool on)
{
    for (uint32_t k = 0; k < *count; k++) {
        if (list[k] != address)
            continue;
        if (!on)
            list[k] = list[--*count];
        return 0;
    }
    if (!on)
        return 0;
    if (*count == room)
        return -1;
    list[(*count)++] = address;
    return 0;
}

static void mark_watched(struct takt_machine *m)
{
    for (uint32_t k = 0; k < RAM_SIZE / 64; k++)
        m->granule[k] &= (uint8_t)~GRANULE_WATCH;
    for (uint32_t k = 0; k < m->watch_count; k++) {
        if (m->watches[k] - RAM_BASE < RAM_SIZE)
            m->granule[(m->watches[k] - RAM_BASE) / 64] |= GRANULE_WATCH;
    }
    for (uint32_t k = 0; k < m->write_log_count; k++) {
        if (m->write_logs[k] - RAM_BASE < RAM_SIZE)
            m->granule[(m->write_logs[k] - RAM_BASE) / 64] |= GRANULE_WATCH;
    }
}

int takt_break_at(struct takt_machine *m, uint32_t address, int32_t on)
{
    address &= ~1u;
    code_forget(m, address, 2);
    return list_change(m->breaks, &m->break_count, 32, address, on != 0);
}

int takt_stop_on_write(struct takt_machine *m, uint32_t address, int32_t on)
{
    int result = list_change(m->watches, &m->watch_count, 16, address & ~3u, on != 0);
    mark_watched(m);
    return result;
}

int takt_log_write(struct takt_machine *m, uint32_t address, int32_t on)
{
    int result = list_change(m->write_logs, &m->write_log_count, 16, address & ~3u, on != 0);
    mark_watched(m);
    return result;
}

uint32_t takt_stores(struct takt_machine *m, struct takt_store *out, uint32_t room)
{
    return record_take(&m->stores, out, room);
}

static void change_bit(uint32_t *set, uint32_t pin, bool on)
{
    *set = (*set & ~(1u << pin)) | (uint32_t)on << pin;
}

void takt_pin_drive(struct takt_machine *m, uint32_t pin, int32_t level, uint64_t at)
{
    if (pin >= PIN_COUNT)
        return;
    if (at > m->now) {
        external_add(m, at, EXTERNAL_PIN, pin, level);
        return;
    }
    wave_end(m, pin, m->now);
    pins_outside(m, pin, level, m->now);
}

int32_t takt_pin_level(struct takt_machine *m, uint32_t pin)
{
    wave_sync(m, m->now);
    chip_outputs_refresh(m);
    return pin < PIN_COUNT ? (int32_t)(m->pins.wire >> pin & 1) : 0;
}

int32_t takt_pin_driven(struct takt_machine *m, uint32_t pin)
{
    return pin < PIN_COUNT ? (int32_t)(m->pins.driven >> pin & 1) : 0;
}

void takt_pin_watch(struct takt_machine *m, uint32_t pin, int32_t on)
{
    if (pin < PIN_COUNT)
        change_bit(&m->pins.watch, pin, on != 0);
    chip_outputs_refresh(m);
}

void takt_pin_log(struct takt_machine *m, uint32_t pin, int32_t on)
{
    if (pin >= PIN_COUNT)
        return;
    wave_sync(m, m->now);
    change_bit(&m->pins.log, pin, on != 0);
    change_bit(&m->pins.log_outside, pin, on > 1);
    chip_outputs_refresh(m);
    wave_arm(m);
}

uint32_t takt_pin_edges(struct takt_machine *m, struct takt_edge *out, uint32_t room)
{
    return record_take(&m->pins.edges, out, room);
}

void takt_uart_send(struct takt_machine *m, uint32_t port, const uint8_t *data, uint32_t size,
                    uint64_t at)
{
    if (port > 1)
        return;
    for (uint32_t k = 0; k < size; k++)
        external_add(m, at, EXTERNAL_UART0 + port, 0, data[k]);
}

void takt_adc_set(struct takt_machine *m, uint32_t channel, double volts, uint64_t at)
{
    int64_t microvolts = (int64_t)(volts * 1e6 + (volts < 0 ? -0.5 : 0.5));
    if (channel > 4)
        return;
    if (at <= m->now)
        chip_adc_set(m, channel, microvolts);
    else
        external_add(m, at, EXTERNAL_ADC, channel, microvolts);
}
