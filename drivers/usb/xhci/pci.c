/*
 * Controllers on PCI: class 0C, 03, 30. The bottom half's CPU gets the interrupts; a controller
 * that has neither MSI-X nor MSI is looked at every USB_SERVICE_US.
 */
#include "../../clock/pc_stop.h"
#include "../../pci/pci.h"
#include "xhci.h"

#include <takt/cpus.h>

#define CLASS_XHCI 0x0C0330u

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

void usb_find_controllers(void)
{
    struct pci_function f;
    for (unsigned n = 0; pci_find(CLASS_XHCI, n, &f); n++) {
        uintptr_t registers = (uintptr_t)pci_memory(f, 0);
        if (registers == 0)
            continue;
        pci_enable(f, true);
        int number = xhci_start(registers);
        if (number >= 0)
            open_interrupt(&xhcis[number], f);
    }
}
