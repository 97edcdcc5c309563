/*
 * Controllers on PCI: class 0C, 03, 30. The bottom half's CPU gets the interrupts; a controller
 * that has neither MSI-X nor MSI is looked at every USB_SERVICE_US.
 */
#include "../../clock/pc_stop.h"
#include "../../pci/pci.h"
#include "xhci.h"

#include <takt/cpus.h>

#include <stdio.h>

#define CLASS_XHCI 0x0C0330u
#define NUMBER(n)  NUMBER_(n)
#define NUMBER_(n) #n

static struct pci_interrupt interrupts[XHCI_CONTROLLERS];

void usb_io_rung(void)
{
    if (pc_stop_at_doorbells)
        pc_stop(PC_STOP_DOORBELL);
}

static void message(void *arg)
{
    xhci_isr(arg);
}

static void open_interrupt(struct xhci *x, struct pci_function f)
{
    uint8_t cpu = takt_cpu_at(usb_host.io->place);
    int vector = pci_interrupt_open(&interrupts[x - xhcis], f, 0, cpu, message, x);
    if (vector >= 0)
        xhci_use_interrupts(x, (uint8_t)vector);
}

static const char *why_not(int result)
{
    switch (result) {
    case TAKT_EINVAL:
        return "its registers are not there";
    case TAKT_ENOSPACE:
        return "there is room for " NUMBER(XHCI_CONTROLLERS) ", and a few pages of memory for each";
    default:
        return "it does not answer";
    }
}

static void refuse(struct pci_function f, const char *why)
{
    char what[64];
    (void)snprintf(what, sizeof what, "controller %02x:%02x.%u (%04x:%04x)", f.bus, f.device,
                   f.function, pci_id(f) & 0xFFFFu, pci_id(f) >> 16);
    usb_refuse(what, why);
}

/* The registers cannot be had: where they are. */
static void refuse_address(struct pci_function f)
{
    char why[96];
    uint64_t at = pci_region(f, 0);
    (void)snprintf(why, sizeof why, at != 0 ? "its registers are at 0x%llx, out of the CPU's reach"
                                            : "the firmware has given its registers no address",
                   (unsigned long long)at);
    refuse(f, why);
}

void usb_find_controllers(void)
{
    struct pci_function f;
    for (unsigned n = 0; pci_find(CLASS_XHCI, n, &f); n++) {
        uintptr_t registers = (uintptr_t)pci_memory(f, 0);
        if (registers == 0) {
            refuse_address(f);
            continue;
        }
        pci_enable(f, true);
        int number = xhci_start(registers);
        if (number >= 0)
            open_interrupt(&xhcis[number], f);
        else
            refuse(f, why_not(number));
    }
}
