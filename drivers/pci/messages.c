/*
 * Interrupts of PCI devices by message: MSI-X, which has a table of messages in one of the device's
 * memory regions, or MSI (PCI 3.0, 6.8), of which one message is used.
 */
#include "pci.h"

#include <irq.h>
#include <takt/port.h>

enum {
    CAPABILITY_MSI = 5,
    CAPABILITY_MSI_X = 0x11,
    CONTROL_X_ON = 1u << 31,
    CONTROL_X_MASKED = 1 << 30, /* all of them */
    CONTROL_ON = 1 << 16,
    CONTROL_SEVERAL = 7 << 20,
    CONTROL_64 = 1 << 23,
    CONTROL_CAN_MASK = 1 << 24,
    ENTRY_WORDS = 4,
    ENTRY_CONTROL = 3,
    ENTRY_MASKED = 1,
};

/* Entry `n` of a device's table; NULL: it has none such. */
static volatile uint32_t *entry_of(struct pci_function f, uint8_t at, unsigned n)
{
    uint32_t control = pci_read(f, at), where = pci_read(f, (uint8_t)(at + 4));
    if (n > (control >> 16 & 0x7FFu))
        return NULL;
    uint64_t memory = pci_memory(f, where & 7u);
    if (memory == 0)
        return NULL;
    return (volatile uint32_t *)(uintptr_t)(memory + (where & ~7u)) + (size_t)n * ENTRY_WORDS;
}

/* Before the table is on for the first time every message in it is masked. */
static void set_entry(struct pci_function f, uint8_t at, volatile uint32_t *entry,
                      struct irq_message message)
{
    uint32_t control = pci_read(f, at);
    pci_write(f, at, control | CONTROL_X_ON | CONTROL_X_MASKED);
    entry[ENTRY_CONTROL] |= ENTRY_MASKED;
    entry[0] = (uint32_t)message.address;
    entry[1] = (uint32_t)(message.address >> 32);
    entry[2] = message.data;
    entry[ENTRY_CONTROL] &= ~(uint32_t)ENTRY_MASKED;
    pci_write(f, at, (control & ~(uint32_t)CONTROL_X_MASKED) | CONTROL_X_ON);
}

/* Where its mask is, 0 if it has none. */
static uint8_t set_single(struct pci_function f, uint8_t at, struct irq_message message)
{
    uint32_t control = pci_read(f, at) & ~(uint32_t)CONTROL_SEVERAL;
    uint8_t data = (uint8_t)(at + (control & CONTROL_64 ? 12 : 8));
    pci_write(f, (uint8_t)(at + 4), (uint32_t)message.address);
    if (control & CONTROL_64)
        pci_write(f, (uint8_t)(at + 8), (uint32_t)(message.address >> 32));
    pci_write(f, data, (pci_read(f, data) & 0xFFFF0000u) | message.data);
    pci_write(f, at, control | CONTROL_ON);
    return control & CONTROL_CAN_MASK ? (uint8_t)(data + 4) : 0;
}

int pci_interrupt_open(struct pci_interrupt *interrupt, struct pci_function f, unsigned n,
                       uint8_t cpu, void (*fn)(void *arg), void *arg)
{
    uint8_t table = pci_capability(f, CAPABILITY_MSI_X);
    uint8_t single = pci_capability(f, CAPABILITY_MSI);
    *interrupt = (struct pci_interrupt){table ? entry_of(f, table, n) : NULL, f, 0};
    if (cpu >= port_cpus() || (!interrupt->entry && (table || !single || n > 0)))
        return TAKT_EINVAL;
    int vector = irq_take(fn, arg);
    if (vector < 0)
        return vector;
    struct irq_message message = irq_message((uint8_t)vector, cpu);
    if (interrupt->entry)
        set_entry(f, table, interrupt->entry, message);
    else
        interrupt->mask_at = set_single(f, single, message);
    return vector;
}

void pci_interrupt_mask(struct pci_interrupt *interrupt, bool masked)
{
    port_irq_t irq = port_irq_save();
    if (interrupt->entry) {
        uint32_t control = interrupt->entry[ENTRY_CONTROL] & ~(uint32_t)ENTRY_MASKED;
        interrupt->entry[ENTRY_CONTROL] = control | (masked ? ENTRY_MASKED : 0u);
    } else if (interrupt->mask_at) {
        pci_write(interrupt->function, interrupt->mask_at, masked);
    }
    port_irq_restore(irq);
}
