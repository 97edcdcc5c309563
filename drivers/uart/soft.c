/*
 * Serial ports in software (include/takt/soft_uart.h).
 *
 *   start edge -> alarm 1.5 bits later -> 8 looks, a bit apart -> ring; the next start edge is
 *   awaited from the last look on, 1.5 bits before it can come
 *
 *   write: start bit -> alarm for each bit -> stop bit -> one more: the wire is free
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/soft_uart.h>
#include <takt/thread.h>
#include <takt/time.h>

#ifndef SOFT_ALARM_IRQ /* the alarm brackets what it calls itself */
#define SOFT_ALARM_ENTER()
#define SOFT_ALARM_EXIT()
#else
#define SOFT_ALARM_ENTER() takt_isr_enter()
#define SOFT_ALARM_EXIT()  takt_isr_exit(SOFT_ALARM_IRQ)
#endif

#define DATA_BITS  8u
#define FRAME_BITS 10u
#define PART(alarm, member)                                                                        \
    ((struct takt_soft_uart *)(void *)((char *)(alarm) - offsetof(struct takt_soft_uart, member)))

/* The alarm is set a time in us * 16 after it was due last. */
static void set_after(struct soft_alarm *alarm, uint16_t time, uint8_t *part)
{
    uint16_t whole = time >> 4;
    *part = (uint8_t)(*part + (time & 15u));
    if (*part >= 16u) {
        *part = (uint8_t)(*part - 16u);
        whole++;
    }
    soft_alarm_set(alarm, alarm->at + whole);
}

static void await_start(struct takt_soft_uart *port)
{
    unsigned edge = port->inverted ? TAKT_EDGE_RISE : TAKT_EDGE_FALL;
    takt_gpio_await(&port->start, port->listens ? edge : 0);
}

/* Called by the driver of pins. */
static void begun(struct takt_edge_watch *watch, takt_time_t at)
{
    struct takt_soft_uart *port = (struct takt_soft_uart *)watch;
    port->in_count = 0;
    port->in_part = 0;
    port->bit_in.at = at;
    set_after(&port->bit_in, (uint16_t)(port->bit + port->bit / 2u), &port->in_part);
}

static void keep(struct takt_soft_uart *port, uint8_t byte)
{
    uint8_t head = port->head;
    if ((uint8_t)(head - port->tail) == TAKT_SOFT_UART_ROOM) {
        port->lost = true;
        return;
    }
    port->ring[head % TAKT_SOFT_UART_ROOM] = byte;
    __asm__ volatile("" ::: "memory");
    port->head = (uint8_t)(head + 1u);
}

static void look(struct soft_alarm *alarm)
{
    TAKT_FACT("called alarm");
    struct takt_soft_uart *port = PART(alarm, bit_in);
    SOFT_ALARM_ENTER();
    bool one = (takt_gpio_read(port->rx) > 0) != port->inverted;
    port->in_bits = (uint8_t)(port->in_bits >> 1 | (one ? 0x80u : 0u));
    if (++port->in_count < DATA_BITS) {
        set_after(alarm, port->bit, &port->in_part);
    } else {
        keep(port, port->in_bits);
        await_start(port);
    }
    SOFT_ALARM_EXIT();
}

static void put_bit(struct soft_alarm *alarm)
{
    TAKT_FACT("called alarm");
    struct takt_soft_uart *port = PART(alarm, bit_out);
    SOFT_ALARM_ENTER();
    uint8_t left = port->out_count;
    if (left > 1u) {
        (void)takt_gpio_write(port->tx, (port->out_bits & 1u) != port->inverted);
        port->out_bits >>= 1;
        set_after(alarm, port->bit, &port->out_part);
    }
    port->out_count = (uint8_t)(left - 1u);
    SOFT_ALARM_EXIT();
}

int takt_soft_uart_begin(struct takt_soft_uart *port, uint8_t rx, uint8_t tx, bool inverted,
                         uint32_t baud)
{
    if (baud < TAKT_SOFT_UART_SLOWEST || baud > SOFT_UART_BAUD || rx == tx)
        return TAKT_EINVAL;
    takt_soft_uart_end(port);
    *port = (struct takt_soft_uart){
        .start = {.pin = rx, .fn = begun}, .rx = rx, .tx = tx, .inverted = inverted};
    port->bit_in.fn = look;
    port->bit_out.fn = put_bit;
    if (takt_gpio_mode(rx, inverted ? TAKT_GPIO_INPUT : TAKT_GPIO_INPUT_PULLUP) != TAKT_OK ||
        takt_gpio_write(tx, !inverted) != TAKT_OK ||
        takt_gpio_watch(&port->start) != TAKT_OK)
        return TAKT_EINVAL;
    (void)takt_gpio_mode(tx, TAKT_GPIO_OUTPUT);
    port->bit = (uint16_t)((16000000u + baud / 2u) / baud);
    takt_soft_uart_listen(port, true);
    return TAKT_OK;
}

void takt_soft_uart_end(struct takt_soft_uart *port)
{
    if (port->bit == 0)
        return;
    (void)takt_soft_uart_flush(port); /* else the byte is cut short */
    takt_soft_uart_listen(port, false);
    takt_gpio_unwatch(&port->start);
    port_irq_t irq = port_irq_save();
    soft_alarm_forget(&port->bit_in);
    soft_alarm_forget(&port->bit_out);
    port_irq_restore(irq);
    (void)takt_gpio_write(port->tx, !port->inverted);
    port->out_count = 0;
    port->bit = 0;
}

void takt_soft_uart_listen(struct takt_soft_uart *port, bool on)
{
    if (port->bit == 0 || port->listens == on)
        return;
    port_irq_t irq = port_irq_save();
    port->listens = on;
    soft_alarm_off(&port->bit_in);
    await_start(port);
    port_irq_restore(irq);
}

int takt_soft_uart_flush(struct takt_soft_uart *port)
{
    int result = TAKT_OK;
    while (port->bit != 0 && port->out_count != 0 && result == TAKT_OK)
        result = takt_sleep(port->bit >> 4);
    return result;
}

/* If the wire is free. */
static bool begin_byte(struct takt_soft_uart *port, uint8_t byte)
{
    port_irq_t irq = port_irq_save();
    bool is_free = port->out_count == 0;
    if (is_free) {
        port->out_bits = (uint16_t)(byte | 0x100u); /* the stop bit */
        port->out_count = FRAME_BITS;
        port->out_part = 0;
        port->bit_out.at = port_now();
        (void)takt_gpio_write(port->tx, port->inverted);
        set_after(&port->bit_out, port->bit, &port->out_part);
    }
    port_irq_restore(irq);
    return is_free;
}

int takt_soft_uart_write(struct takt_soft_uart *port, uint8_t byte)
{
    if (port->bit == 0)
        return TAKT_EINVAL;
    int result = TAKT_OK;
    while (result == TAKT_OK && !begin_byte(port, byte))
        result = takt_soft_uart_flush(port);
    return result;
}

int takt_soft_uart_available(const struct takt_soft_uart *port)
{
    return (uint8_t)(port->head - port->tail);
}

int takt_soft_uart_peek(const struct takt_soft_uart *port)
{
    uint8_t tail = port->tail;
    return port->head != tail ? port->ring[tail % TAKT_SOFT_UART_ROOM] : -1;
}

int takt_soft_uart_read(struct takt_soft_uart *port)
{
    int byte = takt_soft_uart_peek(port);
    if (byte >= 0)
        port->tail = (uint8_t)(port->tail + 1u);
    return byte;
}

bool takt_soft_uart_lost(struct takt_soft_uart *port)
{
    bool lost = port->lost;
    port->lost = false;
    return lost;
}
