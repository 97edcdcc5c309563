/*
 * PCI: finding devices, their registers and their interrupts. Addresses and buses are as the
 * firmware has given them out.
 */
#ifndef TAKT_PCI_H
#define TAKT_PCI_H

#include <takt/types.h>

/* A function of a device on a bus. */
struct pci_function {
    uint8_t bus, device, function;
};

/* Of the functions with this class (class << 16 | subclass << 8 | interface; xHCI: 0x0C0330) the
 * nth from 0 in the order of buses. False: there are not so many. Looks at 65536 functions at most:
 * some ten milliseconds. Thread, or before the start. */
bool pci_find(uint32_t class, unsigned nth, struct pci_function *found);

/* Reads or writes a word of configuration space; reg: multiple of 4, below 256. Either context. */
uint32_t pci_read(struct pci_function f, uint8_t reg);
void pci_write(struct pci_function f, uint8_t reg, uint32_t value);

/* Vendor, and device << 16. */
static inline uint32_t pci_id(struct pci_function f)
{
    return pci_read(f, 0);
}

/* Where a capability (PCI 3.0, 6.7) of the function is, 0: it has none such. Either context. */
uint8_t pci_capability(struct pci_function f, uint8_t id);

/* Where memory region 0..5 lies, in reach or not; 0: there is none, or the firmware has given it no
 * address. Either context. */
uint64_t pci_region(struct pci_function f, unsigned region);

/* Where memory region 0..5 lies, usable from now on; 0: there is none, or it is out of reach
 * (page.h). Before the start, or thread. */
uint64_t pci_memory(struct pci_function f, unsigned region);

/* The device answers at its memory regions and may itself reach memory; or neither any more. Either
 * context. */
void pci_enable(struct pci_function f, bool on);

/* A message of a device; the fields are the driver's. */
struct pci_interrupt {
    volatile uint32_t *entry; /* of the table of messages, NULL: MSI */
    struct pci_function function;
    uint8_t mask_at; /* MSI: the register with the mask, 0: there is none */
};

/*
 * Message `n` (MSI-X: 0..2047; MSI: 0 only) of the function calls fn(arg) on CPU `cpu` from now on
 * (irq.h). Returns the vector. TAKT_EINVAL: the device has no such message, or there is no such
 * CPU; TAKT_ENOSPACE: no vector is left. Thread, or before the start.
 */
int pci_interrupt_open(struct pci_interrupt *interrupt, struct pci_function f, unsigned n,
                       uint8_t cpu, void (*fn)(void *arg), void *arg);

/* Holds the message back, or no more, in which case one that has come meanwhile comes now. MSI that
 * cannot be masked comes all the same. Either context. */
void pci_interrupt_mask(struct pci_interrupt *interrupt, bool masked);

#endif
