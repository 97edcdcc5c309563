/*
 * Serial ports on the PL011 of the RP2040 (data sheet 4.2).
 *
 *   write -> tx ring -> pump() -> FIFO 32 -> wire -> FIFO 32 -> receive() -> rx ring -> read
 *
 * pump() is the only way out of the ring and runs from three places, with interrupts off for a few
 * bytes at a time: a writer, the interrupt, and a caller that cannot wait and polls. The interrupt
 * of sending is raised by the FIFO falling through its trigger level and is unmasked while the
 * ring holds bytes or someone waits.
 *
 * One thread writes at a time: `writer` is held across a call, so there is one waiter for room at
 * most, who says in `wanted` how much is worth waking up for.
 */
#include <takt/gpio.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/uart.h>

#include "../rp2040/rp2040.h"
#include "pl011.h"
#include "ring.h"

#define PORTS    2u
#define BURST    8u  /* bytes moved per stretch with interrupts off */
#define WAKE_FOR 64u /* free bytes a waiting writer is woken for: a quarter of the ring */

struct port {
    struct rp2040_uart *hw;
    struct byte_ring tx, rx;
    struct takt_sem writer; /* held by the thread inside write, flush, open or close */
    struct takt_sem room;   /* given by the interrupt when `wanted` bytes are free */
    struct takt_sem arrived;
    volatile uint16_t wanted; /* 0: nobody waits */
    volatile uint16_t lost;
    uint32_t byte_us;
    bool open;
};

static uint8_t tx0[TAKT_UART_TX_SIZE], rx0[TAKT_UART_RX_SIZE];
static uint8_t tx1[TAKT_UART_TX_SIZE], rx1[TAKT_UART_RX_SIZE];

static struct port ports[PORTS] = {
    {RP2040_UART0, BYTE_RING(tx0), BYTE_RING(rx0), TAKT_SEM_BINARY_INIT(1), TAKT_SEM_BINARY_INIT(0),
     TAKT_SEM_BINARY_INIT(0), 0, 0, 0, false},
    {RP2040_UART1, BYTE_RING(tx1), BYTE_RING(rx1), TAKT_SEM_BINARY_INIT(1), TAKT_SEM_BINARY_INIT(0),
     TAKT_SEM_BINARY_INIT(0), 0, 0, 0, false},
};

static struct port *port_opened(uint8_t n)
{
    return n < PORTS && ports[n].open ? &ports[n] : NULL;
}

/* Masks or unmasks the interrupt of sending. Interrupts off. */
static void tx_interrupt_locked(struct port *port)
{
    if (ring_held(&port->tx) != 0 || port->wanted != 0)
        RP2040_SET(port->hw->imsc) = PL011_INT_TX;
    else
        RP2040_CLR(port->hw->imsc) = PL011_INT_TX;
}

/* Moves some bytes from the ring to the FIFO. Either context. */
static void pump(struct port *port)
{
    port_irq_t irq = port_irq_save();
    for (unsigned i = 0; i < BURST; i++) {
        if (ring_held(&port->tx) == 0 || (port->hw->fr & PL011_FR_TX_FULL))
            break;
        port->hw->dr = ring_take(&port->tx);
    }
    tx_interrupt_locked(port);
    port_irq_restore(irq);
}

/* Until `bytes` of the ring are free. A thread that holds `writer` blocks; others poll. */
static void await_free(struct port *port, uint16_t bytes, bool may_block)
{
    while (ring_free(&port->tx) < bytes) {
        if (may_block) {
            port_irq_t irq = port_irq_save();
            port->wanted = bytes;
            tx_interrupt_locked(port);
            port_irq_restore(irq);
            if (takt_sem_wait(&port->room) == TAKT_OK)
                continue;
            port->wanted = 0;
        }
        pump(port);
    }
}

/* Puts what fits, a few bytes at most; returns how many. */
static size_t put_burst(struct port *port, const uint8_t *data, size_t n)
{
    size_t done = 0;
    port_irq_t irq = port_irq_save();
    for (; done < n && done < BURST && ring_free(&port->tx) != 0; done++)
        ring_put(&port->tx, data[done]);
    port_irq_restore(irq);
    pump(port);
    return done;
}

/* Becomes the one writer, if the context allows waiting for that. */
static bool writer_enter(struct port *port)
{
    return takt_sem_wait(&port->writer) == TAKT_OK;
}

static void writer_leave(struct port *port, bool entered)
{
    if (entered)
        takt_sem_signal(&port->writer);
}

int takt_uart_write(uint8_t n, const void *data, size_t bytes)
{
    struct port *port = port_opened(n);
    if (port == NULL)
        return TAKT_EINVAL;

    const uint8_t *from = data;
    bool entered = writer_enter(port);
    for (size_t left = bytes; left > 0;) {
        size_t done = put_burst(port, from, left);
        from += done;
        left -= done;
        if (done == 0)
            await_free(port, (uint16_t)(left < WAKE_FOR ? left : WAKE_FOR), entered);
    }
    writer_leave(port, entered);
    return (int)bytes;
}

int takt_uart_free(uint8_t n)
{
    struct port *port = port_opened(n);
    return port != NULL ? ring_free(&port->tx) : TAKT_EINVAL;
}

/* Ring, FIFO and shift register empty. */
static void drain(struct port *port, bool may_block)
{
    await_free(port, TAKT_UART_TX_SIZE, may_block);
    while (port->hw->fr & PL011_FR_BUSY)
        if (may_block)
            takt_sleep(port->byte_us);
}

int takt_uart_flush(uint8_t n)
{
    struct port *port = port_opened(n);
    if (port == NULL)
        return TAKT_EINVAL;
    bool entered = writer_enter(port);
    drain(port, entered);
    writer_leave(port, entered);
    return TAKT_OK;
}

void pl011_drain(void)
{
    if (ports[0].open)
        drain(&ports[0], false);
}

int takt_uart_open(uint8_t n, uint32_t baud, uint8_t data_bits, uint8_t parity, uint8_t stop_bits)
{
    if (n >= PORTS || !pl011_possible(baud, data_bits, parity, stop_bits))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    struct port *port = &ports[n];
    bool entered = writer_enter(port);
    if (port->open)
        drain(port, entered);
    pl011_start(n, baud, data_bits, parity, stop_bits);
    port->byte_us = 12000000u / baud + 1u;
    port->rx.tail = port->rx.head;
    port->lost = 0;
    port->open = true;
    port->hw->imsc = PL011_INT_RX | PL011_INT_RX_TIMEOUT;
    rp2040_irq_enable(n == 0 ? RP2040_IRQ_UART0 : RP2040_IRQ_UART1, 2);
    writer_leave(port, entered);
    return TAKT_OK;
}

int takt_uart_close(uint8_t n)
{
    struct port *port = port_opened(n);
    if (port == NULL)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;
    bool entered = writer_enter(port);
    drain(port, entered);
    port->open = false;
    pl011_stop(n);
    writer_leave(port, entered);
    return TAKT_OK;
}

int takt_uart_available(uint8_t n)
{
    struct port *port = port_opened(n);
    return port != NULL ? ring_held(&port->rx) : TAKT_EINVAL;
}

int takt_uart_read(uint8_t n)
{
    struct port *port = port_opened(n);
    if (port == NULL)
        return -1;
    port_irq_t irq = port_irq_save();
    int byte = ring_held(&port->rx) != 0 ? ring_take(&port->rx) : -1;
    port_irq_restore(irq);
    return byte;
}

int takt_uart_peek(uint8_t n)
{
    struct port *port = port_opened(n);
    return port != NULL && ring_held(&port->rx) != 0 ? ring_first(&port->rx) : -1;
}

int takt_uart_lost(uint8_t n)
{
    struct port *port = port_opened(n);
    return port != NULL ? port->lost : TAKT_EINVAL;
}

int takt_uart_wait(uint8_t n, uint32_t us)
{
    struct port *port = port_opened(n);
    if (port == NULL || us > TAKT_DURATION_MAX)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    takt_time_t end = port_now() + us;
    while (ring_held(&port->rx) == 0) {
        takt_time_t now = port_now();
        if (!takt_before(now, end))
            return TAKT_ETIMEOUT;
        (void)takt_sem_wait_for(&port->arrived, end - now); /* main: refused, so this polls */
    }
    return 1;
}

/* Empties the FIFO into the ring. Only ever called by the port's interrupt. */
static void receive(struct port *port)
{
    uint16_t before = port->rx.head;
    while (!(port->hw->fr & PL011_FR_RX_EMPTY)) {
        uint32_t word = port->hw->dr;
        if (word & PL011_DR_OVERRUN)
            port->lost++;
        if ((word & PL011_DR_GARBLED) || ring_free(&port->rx) == 0)
            port->lost++;
        else
            ring_put(&port->rx, (uint8_t)word);
    }
    if (port->rx.head != before)
        (void)takt_sem_signal_isr(&port->arrived); /* refused when already given: no matter */
}

static void send(struct port *port)
{
    while (ring_held(&port->tx) != 0 && !(port->hw->fr & PL011_FR_TX_FULL))
        pump(port);
    if (port->wanted != 0 && ring_free(&port->tx) >= port->wanted) {
        port->wanted = 0;
        (void)takt_sem_signal_isr(&port->room);
    }
    pump(port); /* masks the interrupt when there is no more to do */
}

static void serve(struct port *port, uint8_t irq)
{
    takt_isr_enter();
    receive(port);
    send(port);
    takt_isr_exit(irq);
}

void isr_uart0(void)
{
    serve(&ports[0], RP2040_IRQ_UART0);
}

void isr_uart1(void)
{
    serve(&ports[1], RP2040_IRQ_UART1);
}
