/*
 * Serial wires of the simulated board seen from outside (machine.h).
 */
#include "machine.h"

#include <stddef.h>

#include "../../drivers/sim/chip.h"
#include "../../port/sim/sim.h"
#include "log.h"

#pragma weak sim_byte_in /* there only if the program uses the serial driver */
#pragma weak sim_byte_us

static struct sim_log sent[SIM_PORTS];
static struct wire {
    struct sim_log to_come; /* struct arrival, by time */
    bool busy;
} wires[SIM_PORTS];

struct arrival {
    uint64_t at;
    uint8_t byte;
};

void sim_byte_out(uint8_t port, uint8_t byte, uint64_t at)
{
    sim_log_add(&sent[port], &(struct sim_machine_byte){at, byte, 0},
                sizeof(struct sim_machine_byte));
}

uint32_t sim_machine_uart_take(uint32_t port, struct sim_machine_byte *out, uint32_t room)
{
    uint32_t ready = 0;
    if (port >= SIM_PORTS)
        return 0;
    const struct sim_machine_byte *first = (const void *)sent[port].data;
    size_t held = sent[port].used / sizeof *first;
    while (ready < held && ready < room && first[ready].at <= sim_now())
        ready++;
    return sim_log_take(&sent[port], out, ready, sizeof *out);
}

static void arrive(void *arg);

static void next_arrival(uint8_t port)
{
    struct wire *wire = &wires[port];
    if (wire->busy || wire->to_come.used == 0)
        return;
    const struct arrival *first = (const void *)wire->to_come.data;
    uint64_t start = first->at > sim_now() ? first->at : sim_now();
    uint64_t end = start + (sim_byte_us ? sim_byte_us(port) : 1u);
    wire->busy = sim_interrupt_at(end, arrive, (void *)(uintptr_t)port);
}

static void arrive(void *arg)
{
    uint8_t port = (uint8_t)(uintptr_t)arg;
    struct arrival now;
    wires[port].busy = false;
    if (sim_log_take(&wires[port].to_come, &now, 1, sizeof now) == 1 && sim_byte_in)
        sim_byte_in(port, now.byte);
    next_arrival(port);
}

void sim_machine_uart_send(uint32_t port, const uint8_t *data, uint32_t n, uint64_t at)
{
    if (port >= SIM_PORTS)
        return;
    for (uint32_t i = 0; i < n; i++)
        sim_log_add(&wires[port].to_come, &(struct arrival){at, data[i]}, sizeof(struct arrival));
    next_arrival((uint8_t)port);
}
