/*
 * How the driver reaches a controller: its registers, and the addresses by which it reaches memory.
 * A board or a test with another way brings a usb_io.h.
 *
 * Memory is the program's as it is, at its own address and coherent with the CPU's caches.
 */
#ifndef TAKT_USB_IO_H
#define TAKT_USB_IO_H

#include <takt/types.h>

#if defined(__has_include)
#if __has_include(<usb_io.h>)
#include <usb_io.h>
#define USB_IO_IS_ELSEWHERE
#endif
#endif

#ifndef USB_IO_IS_ELSEWHERE
/* A register of 32 bits at an address. Either context. */
static inline uint32_t usb_io_get(uintptr_t address)
{
    return *(volatile const uint32_t *)address;
}

static inline void usb_io_set(uintptr_t address, uint32_t value)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* memory before what makes the controller look */
    *(volatile uint32_t *)address = value;
}

/* A doorbell. What plays devices from outside looks at it (pci.c). Interrupts off. */
void usb_io_rung(void);
static inline void usb_io_ring(uintptr_t address, uint32_t value)
{
    usb_io_set(address, value);
    usb_io_rung();
}

/* The address of memory on the bus. Either context. */
static inline uint64_t usb_dma_address(const volatile void *memory)
{
    return (uint64_t)(uintptr_t)memory;
}
#else
static inline void usb_io_ring(uintptr_t address, uint32_t value)
{
    usb_io_set(address, value);
}
#endif

#endif
