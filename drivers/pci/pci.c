/*
 * PCI configuration space, by the ports that every PC has (PCI 3.0, 3.2.2.3.2).
 */
#include "pci.h"

#include <page.h>
#include <takt/port.h>
#include <x86.h>

enum {
    PORT_ADDRESS = 0xCF8,
    PORT_DATA = 0xCFC,
    COMMAND = 0x04,
    COMMAND_MEMORY = 2,
    COMMAND_MASTER = 4,
    STATUS_CAPABILITIES = 1 << 20, /* in the word of COMMAND */
    CLASS = 0x08,
    HEADER = 0x0C,
    HEADER_SEVERAL = 1 << 23, /* functions */
    REGIONS = 0x10,
    REGION_PORT = 1,
    REGION_64 = 4,
    REGION_FLAGS = 0xF,
    CAPABILITIES = 0x34,
    REGION_COUNT = 6,
    CAPABILITIES_MOST = 48, /* a chain that is longer is a circle */
    BUSES = 256,
    DEVICES = 32,
    FUNCTIONS = 8,
};

#define NOBODY 0xFFFFFFFFu

static void choose(struct pci_function f, uint8_t reg)
{
    x86_out32(PORT_ADDRESS, 0x80000000u | (uint32_t)f.bus << 16 | (uint32_t)f.device << 11 |
                                (uint32_t)f.function << 8 | (reg & 0xFCu));
}

uint32_t pci_read(struct pci_function f, uint8_t reg)
{
    port_irq_t irq = port_irq_save();
    choose(f, reg);
    uint32_t value = x86_in32(PORT_DATA);
    port_irq_restore(irq);
    return value;
}

void pci_write(struct pci_function f, uint8_t reg, uint32_t value)
{
    port_irq_t irq = port_irq_save();
    choose(f, reg);
    x86_out32(PORT_DATA, value);
    port_irq_restore(irq);
}

/* Looks at the functions of one device; `nth` counts down to what is sought. */
static bool find_in(struct pci_function f, uint32_t class, unsigned *nth,
                    struct pci_function *found)
{
    unsigned functions = 1;
    for (unsigned n = 0; n < functions; n++) {
        f.function = (uint8_t)n;
        if (pci_id(f) == NOBODY)
            continue;
        if (n == 0 && (pci_read(f, HEADER) & HEADER_SEVERAL))
            functions = FUNCTIONS;
        if (pci_read(f, CLASS) >> 8 == class && (*nth)-- == 0) {
            *found = f;
            return true;
        }
    }
    return false;
}

bool pci_find(uint32_t class, unsigned nth, struct pci_function *found)
{
    for (unsigned bus = 0; bus < BUSES; bus++)
        for (unsigned device = 0; device < DEVICES; device++) {
            struct pci_function f = {(uint8_t)bus, (uint8_t)device, 0};
            if (find_in(f, class, &nth, found))
                return true;
        }
    return false;
}

uint8_t pci_capability(struct pci_function f, uint8_t id)
{
    if (!(pci_read(f, COMMAND) & STATUS_CAPABILITIES))
        return 0;
    uint8_t at = pci_read(f, CAPABILITIES) & 0xFCu;
    for (unsigned n = 0; at != 0 && n < CAPABILITIES_MOST; n++) {
        uint32_t word = pci_read(f, at);
        if ((word & 0xFFu) == id)
            return at;
        at = word >> 8 & 0xFCu;
    }
    return 0;
}

/* All ones written to a region, it reads as minus its size; of the lower word, which suffices below
 * 4 GB. */
static uint32_t size_of(struct pci_function f, uint8_t reg, uint32_t value)
{
    uint32_t command = pci_read(f, COMMAND) & 0xFFFFu;
    pci_write(f, COMMAND, command & ~(uint32_t)COMMAND_MEMORY);
    pci_write(f, reg, 0xFFFFFFFFu);
    uint32_t size = 0u - (pci_read(f, reg) & ~(uint32_t)REGION_FLAGS);
    pci_write(f, reg, value);
    pci_write(f, COMMAND, command);
    return size;
}

uint64_t pci_region(struct pci_function f, unsigned region)
{
    if (region >= REGION_COUNT)
        return 0;
    uint8_t reg = (uint8_t)(REGIONS + 4 * region);
    uint32_t value = pci_read(f, reg), upper = 0;
    if (value & REGION_PORT)
        return 0;
    if ((value & REGION_64) && region + 1 < REGION_COUNT)
        upper = pci_read(f, (uint8_t)(reg + 4));
    return (uint64_t)upper << 32 | (value & ~(uint32_t)REGION_FLAGS);
}

uint64_t pci_memory(struct pci_function f, unsigned region)
{
    uint64_t address = pci_region(f, region);
    if (address >> 32 == 0)
        return address;
    uint8_t reg = (uint8_t)(REGIONS + 4 * region);
    return page_map(address, size_of(f, reg, pci_read(f, reg))) ? address : 0;
}

void pci_enable(struct pci_function f, bool on)
{
    uint32_t wanted = COMMAND_MEMORY | COMMAND_MASTER, command = pci_read(f, COMMAND) & 0xFFFFu;
    pci_write(f, COMMAND, on ? command | wanted : command & ~wanted);
}
