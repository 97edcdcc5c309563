/*
 * USARTs, asynchronous: 5 to 8 bits, parity counted but not checked, 1 or 2 stop bits, double
 * speed. UDR takes a byte while another is sent; two wait to be read while a third comes in.
 */
#include "avr.h"

enum { A = 0, B = 1, C = 2, UBRRL = 4, UBRRH = 5 };
enum { RXC = 0x80, TXC = 0x40, UDRE = 0x20, FE = 0x10, DOR = 8, UPE = 4, U2X = 2 };
enum { RXEN = 0x10, TXEN = 8, UCSZ2 = 4 };

static uint8_t *regs(struct takt_machine *m, unsigned port)
{
    return m->mega->d + R_UCSR0A + 8 * port;
}

static unsigned unit(uint32_t reg)
{
    return (reg - R_UCSR0A) / 8;
}

static uint64_t bit_cycles(struct takt_machine *m, unsigned port)
{
    const uint8_t *d = regs(m, port);
    uint32_t ubrr = (uint32_t)d[UBRRL] | (d[UBRRH] & 15u) << 8;
    return (uint64_t)(ubrr + 1) * ((d[A] & U2X) != 0 ? 8 : 16);
}

static uint64_t frame_cycles(struct takt_machine *m, unsigned port)
{
    const uint8_t *d = regs(m, port);
    uint32_t data = 5 + (d[C] >> 1 & 3), parity = (d[C] & 0x20) != 0, stop = 1 + (d[C] >> 3 & 1);
    return bit_cycles(m, port) * (1 + data + parity + stop);
}

static void shift(struct takt_machine *m, unsigned port, uint8_t byte, uint64_t when)
{
    struct usart *u = &m->mega->usart[port];
    u->shift = byte;
    u->shifting = true;
    event_set(m, EV_USART_TX + port, when + frame_cycles(m, port));
}

void usart_tx_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned port = id - EV_USART_TX;
    struct usart *u = &m->mega->usart[port];
    u->shifting = false;
    serial_sent(m, port, u->shift, when);
    if (u->full) {
        u->full = false;
        shift(m, port, u->next, when);
        flag_raise(m, R_UCSR0A + 8 * port, UDRE);
    } else {
        flag_raise(m, R_UCSR0A + 8 * port, TXC);
    }
}

static void write_data(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                       uint64_t when)
{
    (void)bits;
    unsigned port = unit(reg);
    struct usart *u = &m->mega->usart[port];
    uint8_t *d = regs(m, port);
    if ((d[B] & TXEN) == 0 || (d[A] & UDRE) == 0) {
        report_note(m, "a byte was given to a USART that cannot take it: lost");
        return;
    }
    if (!u->shifting) {
        shift(m, port, value, when + 1);
        return;
    }
    u->next = value;
    u->full = true;
    d[A] &= (uint8_t)~UDRE;
}

/* Receiving takes a frame's time a byte. */
void usart_waits(struct takt_machine *m, uint32_t port, uint64_t when)
{
    struct serial *s = &m->serial[port];
    if (s->receiving || s->count == 0)
        return;
    s->receiving = true;
    event_set(m, EV_USART_RX + port, when + frame_cycles(m, port));
}

static void show(struct takt_machine *m, unsigned port)
{
    struct usart *u = &m->mega->usart[port];
    uint8_t *d = regs(m, port);
    d[A] = (uint8_t)((d[A] & ~(RXC | FE | DOR | UPE)) | (u->count != 0 ? RXC | u->status[0] : 0));
}

/* A third byte overtakes none: it is lost, which shows with the last one kept. */
void usart_rx_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned port = id - EV_USART_RX;
    struct usart *u = &m->mega->usart[port];
    uint8_t byte = serial_arrived(m, port);
    if ((regs(m, port)[B] & RXEN) == 0) {
        report_note(m, "a USART was sent a byte while not receiving");
    } else if (u->count == 2) {
        u->status[1] |= DOR;
    } else {
        u->fifo[u->count] = byte;
        u->status[u->count++] = 0;
    }
    show(m, port);
    bus_attention(m);
    usart_waits(m, port, when);
}

static uint8_t read_data(struct takt_machine *m, uint32_t reg, uint64_t when)
{
    (void)when;
    unsigned port = unit(reg);
    struct usart *u = &m->mega->usart[port];
    uint8_t byte = u->fifo[0];
    if (u->count != 0) {
        u->count--;
        u->fifo[0] = u->fifo[1];
        u->status[0] = u->status[1];
    }
    show(m, port);
    return byte;
}

static void write_status(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                         uint64_t when)
{
    (void)when;
    m->mega->d[reg] &= (uint8_t)~(value & bits & TXC);
    reg_keep(m, reg, value, bits & 3);
}

static void write_control(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    unsigned port = unit(reg);
    struct usart *u = &m->mega->usart[port];
    reg_keep(m, reg, value, bits);
    if ((m->mega->d[reg] & RXEN) == 0)
        u->count = 0;
    if ((value & UCSZ2) != 0)
        report_note(m, "frames of 9 bits are not modelled");
    show(m, port);
    port_refresh(m, when + 1);
    bus_attention(m);
}

static void write_frame(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                        uint64_t when)
{
    (void)when;
    reg_keep(m, reg, value, bits);
}

void usart_reset(struct takt_machine *m)
{
    for (unsigned port = 0; port < m->mega->chip->usarts; port++) {
        m->mega->usart[port] = (struct usart){0};
        regs(m, port)[A] = UDRE;
        regs(m, port)[C] = 6;
    }
}

void usart_define(struct takt_machine *m)
{
    for (unsigned port = 0; port < m->mega->chip->usarts; port++) {
        uint32_t reg = R_UCSR0A + 8 * port;
        reg_define(m, reg, NULL, write_status, 0xfe);
        reg_define(m, reg + B, NULL, write_control, 0xfc);
        reg_define(m, reg + C, NULL, write_frame, 0x3e);
        reg_define(m, reg + UBRRL, NULL, write_frame, 0xff);
        reg_define(m, reg + UBRRH, NULL, write_frame, 15);
        reg_define(m, R_UDR0 + 8 * port, read_data, write_data, 0xff);
    }
}
