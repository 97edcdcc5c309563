/*
 * Serial ports as endpoints of pipes (include/takt/uart_pipe.h). Linked where a pipe names one;
 * then this uart_serve() replaces that of serial.c, and does the same for ports without pipes.
 *
 *   hardware -> rx ring -> takt_pipe_put_isr()      takt_pipe_take() -> tx ring -> hardware
 *   at each interrupt, until the ring is empty      at each interrupt and when the pipe was empty,
 *                                                   until TAKT_UART_AHEAD bytes are in the ring
 */
#include <takt/isr.h>
#include <takt/uart_pipe.h>

#include "serve.h"

static struct line {
    struct takt_pipe *in, *out;
    uint32_t baud; /* 0: not open */
    uint16_t lost; /* of the port's, told to the pipe */
    unsigned ahead; /* taken from the pipe and not told to have been sent */
} lines[UART_PORTS];

static int open_line(const struct takt_uart_line *line)
{
    struct line *own = &lines[line->number];
    int result = TAKT_OK;
    if (own->baud == 0)
        result = takt_uart_open_linked(line->number, line->baud, 8, TAKT_PARITY_NONE, 1);
    else if (own->baud != line->baud)
        result = TAKT_EINVAL;
    if (result == TAKT_OK)
        own->baud = line->baud;
    return result;
}

/* The bytes that have come. Interrupt context. */
static void deliver(struct uart_port *port, struct line *line)
{
    struct byte_ring *rx = &port->rx;
    takt_time_t now = port_now();
    while (ring_held(rx) > 0) {
        unsigned from = rx->tail & rx->mask, n = ring_held(rx), end = rx->mask + 1u - from;
        n = n < end ? n : end;
        (void)takt_pipe_put_isr(line->in, &rx->cell[from], n, now);
        rx->tail = (ring_at_t)(rx->tail + n);
    }
    uint16_t lost = (uint16_t)(port->lost - line->lost);
    line->lost = port->lost;
    if (lost > 0)
        takt_pipe_lost(line->in, lost);
}

/* Fills up the ring. Interrupts off. */
static void refill(struct uart_port *port, struct line *line)
{
    uint8_t byte;
    while (ring_held(&port->tx) < TAKT_UART_AHEAD && takt_pipe_take(line->out, &byte) == TAKT_OK) {
        ring_put(&port->tx, byte);
        line->ahead++;
    }
}

/* Fills up and sends, until nothing moves any more. Interrupts off. */
static void send_pipe(struct uart_port *port, struct line *line)
{
    unsigned held;
    do {
        refill(port, line);
        held = ring_held(&port->tx);
        pump(port);
    } while (held != ring_held(&port->tx));
    if (line->ahead != held)
        takt_pipe_sent(line->out, (uint32_t)(line->ahead - held));
    line->ahead = held;
}

void uart_serve(uint8_t n, uint8_t irq)
{
    struct uart_port *port = port_numbered(n);
    struct line *line = &lines[n];
    takt_isr_enter();
    serve(n, port);
    if (line->in)
        deliver(port, line);
    if (line->out)
        send_pipe(port, line);
    takt_isr_exit(irq);
}

static int open_in(struct takt_endpoint *end, uint8_t channel, struct takt_pipe *pipe)
{
    const struct takt_uart_line *line = end->driver;
    (void)channel;
    int result = lines[line->number].in ? TAKT_EOWNER : open_line(line);
    if (result == TAKT_OK)
        lines[line->number].in = pipe;
    return result;
}

static int open_out(struct takt_endpoint *end, uint8_t channel, struct takt_pipe *pipe)
{
    const struct takt_uart_line *line = end->driver;
    (void)channel;
    int result = lines[line->number].out ? TAKT_EOWNER : open_line(line);
    if (result == TAKT_OK)
        lines[line->number].out = pipe;
    return result;
}

static void kick(struct takt_endpoint *end, uint8_t channel)
{
    const struct takt_uart_line *line = end->driver;
    (void)channel;
    port_irq_t irq = port_irq_save();
    send_pipe(line->port, &lines[line->number]);
    port_irq_restore(irq);
}

const struct takt_endpoint_ops takt_uart_in_ops = {open_in, NULL};
const struct takt_endpoint_ops takt_uart_out_ops = {open_out, kick};
