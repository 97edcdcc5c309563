/*
 * USART1 and 2, asynchronous: BRR, 7-9 bits, parity counted but not checked, 1 or 2 stop bits.
 * One byte waits behind the one being sent, one behind the one being received. Frames take their
 * time; line levels are not drawn. The idle frame after TE is not sent.
 */
#include "stm32f0.h"

enum { CR1_UE = 1, CR1_RE = 4, CR1_TE = 8, CR1_RXNEIE = 0x20, CR1_TCIE = 0x40, CR1_TXEIE = 0x80 };
enum { CR1_M = 1 << 12, CR1_OVER8 = 1 << 15 };
enum { ISR_FE = 2, ISR_ORE = 8, ISR_RXNE = 0x20, ISR_TC = 0x40, ISR_TXE = 0x80 };
enum { ISR_BUSY = 1 << 16, ISR_TEACK = 1 << 21, ISR_REACK = 1 << 22 };
enum { CR1_MODELLED = 0x96ed, CR2_MODELLED = 0x3000, CR3_MODELLED = 0x1801 };

static struct usart *usart_of(struct takt_machine *m, unsigned port)
{
    return &m->f0->usart[port];
}

static void report(struct takt_machine *m, unsigned port, uint32_t offset, bool write,
                   uint32_t value)
{
    const struct device *d = &usart_devices[port];
    report_device(m, d->name, d->base, offset, write, value);
}

static uint32_t source_hz(const struct takt_machine *m, unsigned port)
{
    const struct rcc *r = &m->f0->rcc;
    uint32_t select = port == 0 ? r->cfgr3 & 3 : 0;
    const uint32_t hz[4] = {r->pclk_hz, r->sysclk_hz, 0, 8000000};
    return hz[select];
}

/* Cycles of a frame. 0: no baud rate. */
static uint64_t frame_cycles(const struct takt_machine *m, unsigned port)
{
    const struct usart *u = &m->f0->usart[port];
    bool over8 = (u->cr1 & CR1_OVER8) != 0;
    uint32_t hz = source_hz(m, port), data = (u->cr1 & CR1_M) != 0 ? 9 : 8;
    uint32_t divider = over8 ? (u->brr & 0xfff0) | (u->brr & 7) << 1 : u->brr;
    uint32_t bits = 2 * (1 + data) + ((u->cr2 >> 12 & 3) == 2 ? 4 : 2); /* half bits */
    if (divider < 16 || hz == 0)
        return 0;
    return ((uint64_t)divider * bits * chip_hz(m) + hz) / ((over8 ? 4u : 2u) * (uint64_t)hz);
}

static void update_irq(struct takt_machine *m, unsigned port)
{
    const struct usart *u = usart_of(m, port);
    bool on = (u->isr & ISR_TXE & u->cr1) != 0 || (u->isr & ISR_TC & u->cr1) != 0 ||
              ((u->cr1 & CR1_RXNEIE) != 0 && (u->isr & (ISR_RXNE | ISR_ORE)) != 0) ||
              ((u->cr3 & 1) != 0 && (u->isr & (ISR_ORE | ISR_FE)) != 0);
    irq_line(m, IRQ_USART1 + port, on && (u->cr1 & CR1_UE) != 0);
}

static void shift_next(struct takt_machine *m, unsigned port, uint64_t when)
{
    struct usart *u = usart_of(m, port);
    uint32_t on = CR1_UE | CR1_TE;
    uint64_t frame = frame_cycles(m, port);
    if (u->shifting || (u->isr & ISR_TXE) != 0 || (u->cr1 & on) != on || frame == 0)
        return;
    u->shift = (uint8_t)u->tdr;
    u->shifting = true;
    u->isr |= ISR_TXE;
    event_set(m, EV_USART_TX + port, when + frame);
}

void usart_tx_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned port = id - EV_USART_TX;
    struct usart *u = usart_of(m, port);
    u->shifting = false;
    if (function_pins(m, (struct function){FN_USART, (uint8_t)port, USART_TX}).pins != 0)
        serial_sent(m, port, u->shift, when);
    else
        report_note(m, port == 0 ? "USART1 sends, but no pin has its TX function"
                                 : "USART2 sends, but no pin has its TX function");
    if ((u->isr & ISR_TXE) != 0)
        u->isr |= ISR_TC;
    shift_next(m, port, when);
    update_irq(m, port);
}

/* Receiving takes a frame's time a byte. */
void usart_waits(struct takt_machine *m, uint32_t port, uint64_t when)
{
    struct serial *s = &m->serial[port];
    uint64_t frame = frame_cycles(m, port);
    if (s->receiving || s->count == 0)
        return;
    s->receiving = true;
    event_set(m, EV_USART_RX + port, when + (frame != 0 ? frame : chip_hz(m) / 11520));
}

static void receive(struct usart *u, uint8_t byte)
{
    bool full = (u->isr & ISR_RXNE) != 0, keep = (u->cr3 >> 12 & 1) == 0; /* OVRDIS */
    if (full && keep) {
        u->isr |= ISR_ORE;
        return;
    }
    u->rdr = byte;
    u->isr |= ISR_RXNE;
}

void usart_rx_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    unsigned port = id - EV_USART_RX;
    struct usart *u = usart_of(m, port);
    uint32_t on = CR1_UE | CR1_RE;
    uint8_t byte = serial_arrived(m, port);
    bool routed = function_pins(m, (struct function){FN_USART, (uint8_t)port, USART_RX}).pins != 0;
    if ((u->cr1 & on) == on && frame_cycles(m, port) != 0 && routed)
        receive(u, byte);
    else
        report_note(m, port == 0 ? "USART1 was sent a byte while not receiving"
                                 : "USART2 was sent a byte while not receiving");
    update_irq(m, port);
    usart_waits(m, port, when);
}

static uint32_t status(struct takt_machine *m, unsigned port)
{
    const struct usart *u = usart_of(m, port);
    bool on = (u->cr1 & CR1_UE) != 0, receives = on && (u->cr1 & CR1_RE) != 0;
    return u->isr | (on && (u->cr1 & CR1_TE) != 0 ? (uint32_t)ISR_TEACK : 0) |
           (receives ? (uint32_t)ISR_REACK : 0) |
           (receives && m->serial[port].receiving ? (uint32_t)ISR_BUSY : 0);
}

static uint32_t usart_read(struct takt_machine *m, unsigned port, uint32_t offset)
{
    struct usart *u = usart_of(m, port);
    const uint32_t value[11] = {u->cr1, u->cr2,          u->cr3, u->brr, u->gtpr, u->rtor,
                                0,      status(m, port), 0,      u->rdr, u->tdr};
    if (offset == 0x24) {
        u->isr &= ~(uint32_t)ISR_RXNE;
        update_irq(m, port);
    }
    if (offset < sizeof value)
        return value[offset / 4];
    report(m, port, offset, false, 0);
    return 0;
}

static void write_data(struct takt_machine *m, unsigned port, uint32_t value)
{
    struct usart *u = usart_of(m, port);
    if ((u->isr & ISR_TXE) == 0)
        report_note(m, "USART data written while TXE is 0: the byte before is lost");
    u->tdr = value & 0x1ff;
    u->isr &= ~(uint32_t)(ISR_TXE | ISR_TC);
    shift_next(m, port, m->now);
}

/* Registers of which only some bits are modelled. */
static void write_control(struct takt_machine *m, unsigned port, uint32_t offset, uint32_t value)
{
    static const uint32_t modelled[3] = {CR1_MODELLED, CR2_MODELLED, CR3_MODELLED};
    struct usart *u = usart_of(m, port);
    uint32_t *const reg[3] = {&u->cr1, &u->cr2, &u->cr3};
    *reg[offset / 4] = value;
    if ((value & ~modelled[offset / 4]) != 0)
        report(m, port, offset, true, value);
    if ((u->cr1 & CR1_UE) == 0) {
        u->isr = ISR_TC | ISR_TXE;
        u->shifting = false;
        event_set(m, EV_USART_TX + port, TAKT_NEVER);
    }
    shift_next(m, port, m->now);
}

static void usart_write(struct takt_machine *m, unsigned port, uint32_t offset, uint32_t value)
{
    struct usart *u = usart_of(m, port);
    if (offset <= 0x08) {
        write_control(m, port, offset, value);
    } else if (offset == 0x0c) {
        u->brr = value & 0xffff;
        shift_next(m, port, m->now);
    } else if (offset == 0x18 && (value & ~0x18u) == 0) { /* flushes */
        u->isr &= (value & 8) != 0 ? ~(uint32_t)ISR_RXNE : ~0u;
        u->isr |= (value & 16) != 0 ? (uint32_t)ISR_TXE : 0;
    } else if (offset == 0x20) {
        u->isr &= ~(value & 0x4f & ~(uint32_t)ISR_RXNE);
    } else if (offset == 0x28) {
        write_data(m, port, value);
    } else {
        report(m, port, offset, true, value);
    }
    update_irq(m, port);
}

static void usart_reset(struct takt_machine *m, unsigned port)
{
    *usart_of(m, port) = (struct usart){.isr = ISR_TC | ISR_TXE};
    event_set(m, EV_USART_TX + port, TAKT_NEVER);
    update_irq(m, port);
}

#define USART(lower, port)                                                                         \
    static uint32_t lower##_read(struct takt_machine *m, uint32_t offset)                          \
    {                                                                                              \
        return usart_read(m, port, offset);                                                        \
    }                                                                                              \
    static void lower##_write(struct takt_machine *m, uint32_t offset, uint32_t value)             \
    {                                                                                              \
        usart_write(m, port, offset, value);                                                       \
    }                                                                                              \
    static void lower##_reset(struct takt_machine *m)                                              \
    {                                                                                              \
        usart_reset(m, port);                                                                      \
    }

USART(usart1, 0)
USART(usart2, 1)

const struct device usart_devices[2] = {
    {"USART1", 0x40013800, ON_APB2, 14, usart1_read, usart1_write, usart1_reset},
    {"USART2", 0x40004400, ON_APB1, 17, usart2_read, usart2_write, usart2_reset},
};
