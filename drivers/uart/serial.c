/*
 * Serial ports: rings, and threads that wait for them. The hardware is behind hardware.h.
 *
 *   write -> tx ring -> pump() -> hardware -> wire -> hardware -> uart_serve() -> rx ring -> read
 *
 * pump() is the only way out of the ring and runs from three places, with interrupts off for a few
 * bytes at a time: a writer, the interrupt, and a caller that cannot wait and polls. The hardware
 * is asked to tell when it has sent while the ring holds bytes or someone waits.
 *
 * One thread writes at a time: `writer` is held across a call, so there is one waiter for room at
 * most, which says in `wanted` how much is worth waking up for.
 */
#include <assert.h>
#include <takt/job.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/thread.h>
#include <takt/time.h>

#include "serve.h"

#define WAKE_FOR (TAKT_UART_TX_SIZE / 4u) /* free bytes a waiting writer is woken for, */
#ifndef TAKT_UART_WAKE_LEAST
#define TAKT_UART_WAKE_LEAST 1u /* or fewer, if it has fewer, but not below these */
#endif

TAKT_TELLS_FATAL;

UART_PORT(takt_uart_port0, 0);

static_assert(BURST > 4, "waiting relies on it, see uart_hw_tell_sent()");

static struct uart_port *port_opened(uint8_t n)
{
    struct uart_port *port = port_numbered(n);
    return port != NULL && port->open ? port : NULL;
}

/* Until `bytes` of the ring are free. A thread that holds `writer` blocks; other callers poll. */
static void await_free(struct uart_port *port, ring_at_t bytes, bool may_block)
{
    while (ring_free(&port->tx) < bytes) {
        if (may_block && !TAKT_ONE_THREAD) {
            port->wanted = bytes;
            pump(port);
            if (takt_sem_wait(port->room) == TAKT_OK)
                continue;
            port->wanted = 0;
        }
        pump(port);
    }
}

/* Puts what fits, a few bytes at most; returns how many. */
__attribute__((noinline)) /* in its caller it runs out of registers */
static size_t
put_burst(struct uart_port *port, const uint8_t *data, size_t n)
{
    port_irq_t irq = port_irq_save();
    size_t done = ring_put_some(&port->tx, data, n < BURST ? n : BURST);
    port_irq_restore(irq);
    pump(port);
    return done;
}

/* One thread: a byte at a time, as handlers in interrupts may put some, too. */
static void put_all(struct uart_port *port, const uint8_t *data, size_t n)
{
    for (const uint8_t *end = data + n; data != end;) {
        port_irq_t irq = port_irq_save();
        if (ring_free(&port->tx) != 0)
            ring_put(&port->tx, *data++);
        port_irq_restore(irq);
        pump(port);
    }
}

/* For how many free bytes a writer that has so many left is woken. */
static ring_at_t worth_waking(size_t left)
{
    size_t bytes = left < WAKE_FOR ? left : WAKE_FOR;
    return (ring_at_t)(bytes > TAKT_UART_WAKE_LEAST ? bytes : TAKT_UART_WAKE_LEAST);
}

/* Becomes the one writer, if the context allows waiting for that. Where there is one thread it
 * polls. */
static bool writer_enter(struct uart_port *port)
{
    if (TAKT_ONE_THREAD)
        return false;
    takt_begin_whole_call();
    bool entered = takt_sem_wait(port->writer) == TAKT_OK;
    if (!entered)
        takt_end_whole_call();
    return entered;
}

static void writer_leave(struct uart_port *port, bool entered)
{
    if (!entered)
        return;
    takt_sem_signal(port->writer);
    takt_end_whole_call();
}

int takt_uart_write(uint8_t n, const void *data, size_t bytes)
{
    struct uart_port *port = port_opened(n);
    if (port == NULL)
        return TAKT_EINVAL;

    const uint8_t *from = data;
    if (TAKT_ONE_THREAD) {
        put_all(port, data, bytes);
        return (int)bytes;
    }
    bool entered = writer_enter(port);
    for (size_t left = bytes; left > 0;) {
        size_t done = put_burst(port, from, left);
        from += done;
        left -= done;
        if (done == 0)
            await_free(port, worth_waking(left), entered);
    }
    writer_leave(port, entered);
    return (int)bytes;
}

bool takt_uart_put_locked(uint8_t n, uint8_t byte)
{
    struct uart_port *port = port_opened(n);
    bool writing = !TAKT_ONE_THREAD && port && port->writer->count == 0;
    if (port == NULL || writing || ring_free(&port->tx) == 0)
        return false;
    ring_put(&port->tx, byte);
    uart_hw_send(n, &port->tx, 1);
    if (ring_held(&port->tx) != 0)
        uart_hw_tell_sent(n, true);
    return true;
}

int takt_uart_free(uint8_t n)
{
    struct uart_port *port = port_opened(n);
    return port != NULL ? (int)ring_free(&port->tx) : TAKT_EINVAL;
}

/* Until the last bit has left. */
static void drain(struct uart_port *port, bool may_block)
{
    await_free(port, TAKT_UART_TX_SIZE, may_block);
    while (uart_hw_busy(port->number))
        if (may_block && !TAKT_ONE_THREAD)
            takt_sleep(port->byte_us);
}

int takt_uart_flush(uint8_t n)
{
    struct uart_port *port = port_opened(n);
    if (port == NULL)
        return TAKT_EINVAL;
    bool entered = writer_enter(port);
    drain(port, entered);
    writer_leave(port, entered);
    return TAKT_OK;
}

void uart_drain_console(void)
{
    struct uart_port *port = &takt_uart_port0;
    if (port->open && ring_held(&port->tx) <= TAKT_UART_TX_SIZE) /* else it is not sound */
        drain(port, false);
}

int takt_uart_open_linked(uint8_t n, uint32_t baud, uint8_t data_bits, uint8_t parity,
                          uint8_t stop_bits)
{
    const struct uart_frame frame = {baud, data_bits, parity, stop_bits};
    struct uart_port *port = port_numbered(n);
    if (port == NULL || !uart_hw_possible(&frame))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    bool entered = writer_enter(port);
    if (port->open)
        drain(port, entered);
    if (!TAKT_ONE_THREAD)
        port->byte_us = 12000000u / baud + 1u;
    port->rx.tail = port->rx.head;
    port->lost = 0;
    port->open = true;
    uart_hw_start(n, &frame);
    writer_leave(port, entered);
    return TAKT_OK;
}

int takt_uart_close(uint8_t n)
{
    struct uart_port *port = port_opened(n);
    if (port == NULL)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    bool entered = writer_enter(port);
    drain(port, entered);
    port->open = false;
    uart_hw_stop(n);
    writer_leave(port, entered);
    return TAKT_OK;
}

int takt_uart_available(uint8_t n)
{
    struct uart_port *port = port_opened(n);
    return port != NULL ? (int)ring_held(&port->rx) : TAKT_EINVAL;
}

int takt_uart_read(uint8_t n)
{
    struct uart_port *port = port_opened(n);
    if (port == NULL)
        return -1;
    port_irq_t irq = port_irq_save();
    int byte = ring_held(&port->rx) != 0 ? ring_take(&port->rx) : -1;
    port_irq_restore(irq);
    return byte;
}

int takt_uart_peek(uint8_t n)
{
    struct uart_port *port = port_opened(n);
    return port != NULL && ring_held(&port->rx) != 0 ? ring_first(&port->rx) : -1;
}

int takt_uart_lost(uint8_t n)
{
    struct uart_port *port = port_opened(n);
    if (port == NULL)
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    uint16_t lost = port->lost;
    port_irq_restore(irq);
    return (int)lost;
}

int takt_uart_wait(uint8_t n, uint32_t us)
{
    struct uart_port *port = port_opened(n);
    if (port == NULL || us > TAKT_DURATION_MAX)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    takt_time_t end = port_now() + us;
    while (ring_held(&port->rx) == 0) {
        takt_time_t now = port_now();
        if (!takt_before(now, end))
            return TAKT_ETIMEOUT;
        if (!TAKT_ONE_THREAD) /* main: refused, so this polls */
            (void)takt_sem_wait_for(port->arrived, end - now);
    }
    return 1;
}

__attribute__((weak)) bool uart_hw_sent_one(uint8_t port, struct byte_ring *from)
{
    (void)port, (void)from;
    return false;
}

/* Programs with pipes have another one: pipe.c. */
__attribute__((weak)) void uart_serve(uint8_t n, uint8_t irq)
{
    takt_isr_enter();
    serve(n, port_numbered(n));
    takt_isr_exit(irq);
}
