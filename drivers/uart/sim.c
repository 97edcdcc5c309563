/*
 * Serial hardware of the simulated chip: FIFOs of 32 bytes, as the pico's, bytes taking their time.
 *
 * The FIFO of sending is a number only: bytes are handed to the world with the time their last bit
 * will leave, and how many of them are still inside follows from that time.
 */
#include <takt/uart.h>

#include "../../port/sim/sim.h"
#include "../sim/chip.h"
#include "hardware.h"

#define DEPTH   32u
#define TRIGGER 4u

static struct line {
    uint32_t byte_ns;
    uint64_t free_ns; /* when all bytes taken so far have left */
    bool open, tell, posted;
    uint8_t fifo[DEPTH];
    unsigned received;
    uint16_t lost;
} lines[UART_PORTS];

bool uart_hw_possible(const struct uart_frame *f)
{
    return f->baud >= 120 && f->baud <= 7812500 && f->data_bits >= 5 && f->data_bits <= 8 &&
           f->parity <= TAKT_PARITY_EVEN && f->stop_bits >= 1 && f->stop_bits <= 2;
}

void uart_hw_start(uint8_t port, const struct uart_frame *frame)
{
    unsigned bits = 1u + frame->data_bits + (frame->parity ? 1u : 0u) + frame->stop_bits;
    lines[port] = (struct line){.byte_ns = (uint32_t)(1000000000ull * bits / frame->baud),
                                .free_ns = sim_now() * 1000u,
                                .open = true,
                                .posted = lines[port].posted};
}

void uart_hw_stop(uint8_t port)
{
    lines[port].open = false;
}

uint32_t sim_byte_us(uint8_t port)
{
    return lines[port].open ? lines[port].byte_ns / 1000u : 87u;
}

static unsigned in_fifo(const struct line *line)
{
    uint64_t now = sim_now() * 1000u;
    return line->free_ns <= now
               ? 0
               : (unsigned)((line->free_ns - now + line->byte_ns - 1u) / line->byte_ns);
}

void uart_hw_send(uint8_t port, struct byte_ring *from, unsigned most)
{
    struct line *line = &lines[port];
    sim_cost(SIM_COST_CLOCK); /* a caller that polls for room must not stop the clock */
    for (; most > 0 && ring_held(from) > 0 && in_fifo(line) < DEPTH; most--) {
        uint64_t now = sim_now() * 1000u;
        line->free_ns = (line->free_ns > now ? line->free_ns : now) + line->byte_ns;
        sim_byte_out(port, ring_take(from), (line->free_ns + 999u) / 1000u);
        sim_cost(SIM_COST_UART_BYTE);
    }
}

bool uart_hw_can_send(uint8_t port)
{
    return in_fifo(&lines[port]) < DEPTH;
}

bool uart_hw_busy(uint8_t port)
{
    sim_cost(SIM_COST_CLOCK);
    return in_fifo(&lines[port]) > 0;
}

static void nearly_sent(void *arg);

static void post(uint8_t port)
{
    struct line *line = &lines[port];
    uint64_t early = (uint64_t)TRIGGER * line->byte_ns;
    uint64_t at = line->free_ns > early ? (line->free_ns - early + 999u) / 1000u : 0;
    if (!line->posted)
        line->posted =
            sim_interrupt_at(at > sim_now() ? at : sim_now(), nearly_sent, (void *)(uintptr_t)port);
}

static void nearly_sent(void *arg)
{
    uint8_t port = (uint8_t)(uintptr_t)arg;
    struct line *line = &lines[port];
    line->posted = false;
    if (!line->open || !line->tell)
        return;
    if (in_fifo(line) > TRIGGER)
        post(port); /* more has been written since */
    else
        uart_serve(port, (uint8_t)(20u + port));
}

void uart_hw_tell_sent(uint8_t port, bool tell)
{
    lines[port].tell = tell;
    if (tell)
        post(port);
}

uint16_t uart_hw_receive(uint8_t port, struct byte_ring *to)
{
    struct line *line = &lines[port];
    uint16_t lost = line->lost;
    line->lost = 0;
    for (unsigned i = 0; i < line->received; i++) {
        if (ring_free(to) == 0)
            lost++;
        else
            ring_put(to, line->fifo[i]);
    }
    line->received = 0;
    return lost;
}

void sim_byte_in(uint8_t port, uint8_t byte)
{
    struct line *line = &lines[port];
    if (!line->open)
        return;
    if (line->received == DEPTH)
        line->lost++;
    else
        line->fifo[line->received++] = byte;
    uart_serve(port, (uint8_t)(20u + port));
}
