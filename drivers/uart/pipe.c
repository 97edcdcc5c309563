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

/* The bytes that have come; no pipe's while there is none. Interrupt context. */
static void deliver(struct uart_port *port, struct line *line)
{
    struct byte_ring *rx = &port->rx;
    struct takt_pipe *in = line->in;
    takt_time_t now = port_now();
    while (ring_held(rx) > 0) {
        unsigned from = rx->tail & rx->mask, n = ring_held(rx), end = rx->mask + 1u - from;
        n = n < end ? n : end;
        if (in)
            (void)takt_pipe_put_isr(in, &rx->cell[from], n, now);
        rx->tail = (ring_at_t)(rx->tail + n);
    }
    uint16_t lost = (uint16_t)(port->lost - line->lost);
    line->lost = port->lost;
    if (in && lost > 0)
        takt_pipe_lost(in, lost);
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

/* Fills up and sends; has anything moved? Also against other CPUs. */
static bool send_some(struct uart_port *port, struct line *line)
{
    port_irq_t irq = port_irq_save();
    refill(port, line);
    unsigned before = ring_held(&port->tx);
    pump(port);
    unsigned held = ring_held(&port->tx);
    if (line->ahead != held)
        takt_pipe_sent(line->out, (uint32_t)(line->ahead - held));
    line->ahead = held;
    port_irq_restore(irq);
    return held != before;
}

static void send_pipe(struct uart_port *port, struct line *line)
{
    while (send_some(port, line))
        ;
}

/* Another CPU's thread may be at it, kicking. */
static inline void send_next(struct uart_port *port, struct line *line)
{
    port_irq_t irq = PORT_CPUS > 1 ? port_irq_save() : 0;
    send_pipe(port, line);
    if (PORT_CPUS > 1)
        port_irq_restore(irq);
}

void uart_serve(uint8_t n, uint8_t irq)
{
    struct uart_port *port = port_numbered(n);
    struct line *line = &lines[n];
    takt_isr_enter();
    serve(n, port);
    if (line->baud != 0)
        deliver(port, line);
    if (line->out)
        send_next(port, line);
    takt_isr_exit(irq);
}

/* A pipe is to have one way of a line. It is there before the first interrupt, which would leave a
 * byte behind otherwise. */
static int open_way(const struct takt_uart_line *line, struct takt_pipe **way,
                    struct takt_pipe *pipe)
{
    struct line *own = &lines[line->number];
    if (*way)
        return TAKT_EOWNER;
    if (own->baud != 0 && own->baud != line->baud)
        return TAKT_EINVAL;
    *way = pipe;
    if (own->baud != 0)
        return TAKT_OK;
    own->baud = line->baud;
    int result = takt_uart_open_linked(line->number, line->baud, 8, TAKT_PARITY_NONE, 1);
    if (result != TAKT_OK) {
        own->baud = 0;
        *way = NULL;
    }
    return result;
}

/* One at a time: the second finds the port open. */
static int open_line(const struct takt_uart_line *line, struct takt_pipe **way,
                     struct takt_pipe *pipe)
{
    static struct takt_sem one = TAKT_SEM_BINARY_INIT(1);
    (void)takt_sem_wait(&one);
    int result = open_way(line, way, pipe);
    (void)takt_sem_signal(&one);
    return result;
}

static int open_in(struct takt_endpoint *end, uint8_t channel, struct takt_pipe *pipe)
{
    const struct takt_uart_line *line = end->driver;
    (void)channel;
    return open_line(line, &lines[line->number].in, pipe);
}

static int open_out(struct takt_endpoint *end, uint8_t channel, struct takt_pipe *pipe)
{
    const struct takt_uart_line *line = end->driver;
    (void)channel;
    return open_line(line, &lines[line->number].out, pipe);
}

static void kick(struct takt_endpoint *end, uint8_t channel)
{
    const struct takt_uart_line *line = end->driver;
    (void)channel;
    send_pipe(line->port, &lines[line->number]);
}

const struct takt_endpoint_ops takt_uart_in_ops = {open_in, NULL};
const struct takt_endpoint_ops takt_uart_out_ops = {open_out, kick};
