/*
 * Handlers of a program's own, by the names of the pico's SDK: for each interrupt a list of them,
 * the highest order first.
 *
 *   heads      PIO0_IRQ_0: NONE   DMA_IRQ_0: 1
 *                                            |
 *   handlers   0: free    1: order 0x80 <----'    2: free    3: order 0x40
 *                                |  next                     ^
 *                                `---------------------------'
 */
#include <hardware/irq.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/types.h>

#include "../rp2040/rp2040.h"

#define HANDLERS   12u
#define NONE       0xFFu
#define EXCLUSIVE  0x100u /* an order above all */
#define PRIORITY   1u     /* unless told: below that of pins */
#define NVIC       ((rp2040_reg *)0xE000E100u)
#define PRIORITIES ((rp2040_reg *)0xE000E400u)

struct handler {
    irq_handler_t function;
    uint16_t order;
    uint8_t next;
};

static struct handler handlers[HANDLERS];
static uint32_t prioritised; /* interrupts */
static uint8_t heads[] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
static const uint8_t numbers[] = {PWM_IRQ_WRAP, PIO0_IRQ_0, PIO0_IRQ_1, PIO1_IRQ_0,
                                  PIO1_IRQ_1,   DMA_IRQ_0,  DMA_IRQ_1,  ADC_IRQ_FIFO};

/* NULL: of a driver of Takt's. */
static uint8_t *head_of(uint num)
{
    for (uint n = 0; n < sizeof numbers; n++) {
        if (numbers[n] == num)
            return &heads[n];
    }
    return NULL;
}

static void handle(uint num)
{
    takt_isr_enter();
    const uint8_t *head = head_of(num);
    uint8_t next;
    for (uint8_t n = *head; n != NONE; n = next) {
        next = handlers[n].next; /* it may remove itself */
        handlers[n].function();
    }
    takt_isr_exit((uint8_t)num);
}

#define HANDLER(source, num)                                                                       \
    void isr_##source(void)                                                                        \
    {                                                                                              \
        handle(num);                                                                               \
    }

HANDLER(pwm_wrap, PWM_IRQ_WRAP)
HANDLER(pio0_0, PIO0_IRQ_0)
HANDLER(pio0_1, PIO0_IRQ_1)
HANDLER(pio1_0, PIO1_IRQ_0)
HANDLER(pio1_1, PIO1_IRQ_1)
HANDLER(dma0, DMA_IRQ_0)
HANDLER(dma1, DMA_IRQ_1)
HANDLER(adc_fifo, ADC_IRQ_FIFO)

static uint8_t free_one(void)
{
    for (uint8_t n = 0; n < HANDLERS; n++) {
        if (handlers[n].function == NULL)
            return n;
    }
    return NONE;
}

/* Interrupts off. Behind those of the same order. */
static const char *add(uint8_t *head, irq_handler_t handler, uint16_t order)
{
    uint8_t n = free_one();
    bool alone = order == EXCLUSIVE, taken = *head != NONE;
    if (taken && (alone || handlers[*head].order == EXCLUSIVE))
        return "irq: the interrupt has a handler already";
    if (n == NONE)
        return "irq: too many handlers";
    uint8_t *link = head;
    while (*link != NONE && handlers[*link].order >= order)
        link = &handlers[*link].next;
    handlers[n] = (struct handler){handler, order, *link};
    *link = n;
    return NULL;
}

static void add_or_end(uint num, irq_handler_t handler, uint16_t order)
{
    uint8_t *head = head_of(num);
    port_irq_t irq = port_irq_save();
    const char *refused =
        head == NULL ? "irq: the interrupt is a driver's of Takt" : add(head, handler, order);
    port_irq_restore(irq);
    if (refused != NULL)
        panic(refused);
}

/* The same one again is no other. */
void irq_set_exclusive_handler(uint num, irq_handler_t handler)
{
    if (irq_get_exclusive_handler(num) != handler)
        add_or_end(num, handler, EXCLUSIVE);
}

void irq_add_shared_handler(uint num, irq_handler_t handler, uint8_t order_priority)
{
    add_or_end(num, handler, order_priority);
}

irq_handler_t irq_get_exclusive_handler(uint num)
{
    const uint8_t *head = head_of(num);
    bool alone = head != NULL && *head != NONE && handlers[*head].order == EXCLUSIVE;
    return alone ? handlers[*head].function : NULL;
}

bool irq_has_shared_handler(uint num)
{
    const uint8_t *head = head_of(num);
    return head != NULL && *head != NONE && handlers[*head].order != EXCLUSIVE;
}

void irq_remove_handler(uint num, irq_handler_t handler)
{
    uint8_t *link = head_of(num);
    port_irq_t irq = port_irq_save();
    while (link != NULL && *link != NONE && handlers[*link].function != handler)
        link = &handlers[*link].next;
    if (link != NULL && *link != NONE) {
        struct handler *gone = &handlers[*link];
        *link = gone->next;
        gone->function = NULL;
    }
    port_irq_restore(irq);
}

void irq_set_enabled(uint num, bool enabled)
{
    uint32_t bit = 1u << num;
    if (head_of(num) == NULL)
        return;
    port_irq_t irq = port_irq_save();
    if (!enabled)
        NVIC[0x80 / 4] = bit;
    else
        rp2040_irq_enable((enum rp2040_irq)num,
                          (prioritised & bit) != 0 ? irq_get_priority(num) >> 6 : PRIORITY);
    port_irq_restore(irq);
}

bool irq_is_enabled(uint num)
{
    return (NVIC[0] >> num & 1u) != 0;
}

void irq_set_priority(uint num, uint8_t priority)
{
    uint32_t shift = num % 4u * 8u;
    if (head_of(num) == NULL)
        return;
    port_irq_t irq = port_irq_save();
    prioritised |= 1u << num;
    rp2040_reg *word = &PRIORITIES[num / 4u];
    *word = (*word & ~(0xFFu << shift)) | (uint32_t)priority << shift;
    port_irq_restore(irq);
}

uint irq_get_priority(uint num)
{
    return PRIORITIES[num / 4u] >> num % 4u * 8u & 0xFFu;
}

void irq_set_pending(uint num)
{
    if (head_of(num) != NULL)
        rp2040_irq_pend((enum rp2040_irq)num);
}

void irq_clear(uint num)
{
    if (head_of(num) != NULL)
        rp2040_irq_drop((enum rp2040_irq)num);
}
