/*
 * Registers of an xHCI controller (xHCI 1.2, 5), by their offsets in one of its four spaces.
 */
#ifndef TAKT_XHCI_REGISTERS_H
#define TAKT_XHCI_REGISTERS_H

#include "../io.h"

enum { /* capabilities */
    CAP_LENGTH = 0x00, /* and the version in the upper half */
    CAP_PARAMS1 = 0x04,
    CAP_PARAMS2 = 0x08,
    CAP_CAPABILITIES = 0x10,
    CAP_DOORBELLS = 0x14,
    CAP_RUNTIME = 0x18,
};
enum { /* operation */
    OP_COMMAND = 0x00,
    OP_STATUS = 0x04,
    OP_PAGE_SIZE = 0x08,
    OP_COMMAND_RING = 0x18,
    OP_CONTEXTS = 0x30,
    OP_CONFIG = 0x38,
    OP_PORTS = 0x400, /* 16 bytes each */
};
enum { /* runtime: interrupter 0 */
    RUN_MANAGEMENT = 0x20,
    RUN_MODERATION = 0x24,
    RUN_SEGMENTS = 0x28,
    RUN_TABLE = 0x30,
    RUN_DEQUEUE = 0x38,
};

/* OP_COMMAND */
#define COMMAND_RUN        0x1u
#define COMMAND_RESET      0x2u
#define COMMAND_INTERRUPTS 0x4u

/* OP_STATUS; written ones clear STATUS_EVENT and the two errors' notes. */
#define STATUS_HALTED    0x1u
#define STATUS_BUS_ERROR 0x4u /* towards memory: the controller has stopped */
#define STATUS_EVENT     0x8u
#define STATUS_NOT_READY 0x800u
#define STATUS_ERROR     0x1000u
#define STATUS_NOBODY    0xFFFFFFFFu /* the controller is not there any more */

/* OP_COMMAND_RING */
#define RING_CYCLE   0x1u
#define RING_ABORT   0x4u
#define RING_RUNNING 0x8u

/* RUN_MANAGEMENT, RUN_DEQUEUE */
#define MANAGEMENT_PENDING 0x1u
#define MANAGEMENT_ENABLE  0x2u
#define DEQUEUE_BUSY       0x8u /* set by an interrupt: no further one until one is written */

/* Ports. */
#define PORT_CONNECTED     0x1u
#define PORT_ENABLED       0x2u /* writing one disables */
#define PORT_RESET         0x10u
#define PORT_LINK(status)  ((status) >> 5 & 0xFu)
#define PORT_POWER         0x200u
#define PORT_SPEED(status) ((status) >> 10 & 0xFu)
#define PORT_KEEP          0x0E00C200u /* power, indicators, wake: to be written as read */
#define PORT_CHANGED       0x20000u    /* connected or not; written ones clear, as all below */
#define PORT_RESET_DONE    0x200000u
#define PORT_WARM_DONE     0x80000u
#define PORT_CHANGES       0xFE0000u
#define PORT_WARM_RESET    0x80000000u

enum { LINK_U0 = 0, LINK_INACTIVE = 6, LINK_COMPLIANCE = 10 };

/* Extended capabilities: id, distance of the next in words. */
enum { EXTENDED_LEGACY = 1, EXTENDED_PROTOCOL = 2 };
#define LEGACY_FIRMWARE 0x10000u   /* the firmware has the controller */
#define LEGACY_SYSTEM   0x1000000u /* we want it */
#define LEGACY_EVENTS   0xE0000000u /* notes of the firmware's interrupts, cleared by ones */
#define LEGACY_KEEP     0xE1FEEu /* reserved; the rest switches its interrupts on */

static inline uint64_t xhci_get_address(uintptr_t at)
{
    return usb_io_get(at) | (uint64_t)usb_io_get(at + 4) << 32;
}

static inline void xhci_set_address(uintptr_t at, uint64_t value)
{
    usb_io_set(at, (uint32_t)value);
    usb_io_set(at + 4, (uint32_t)(value >> 32));
}

#endif
