/*
 * What the firmware of the PC says of it: CPUs, interrupt controllers, a timer of known rate,
 * memory.
 */
#ifndef TAKT_PC_FIRMWARE_H
#define TAKT_PC_FIRMWARE_H

#include <takt/types.h>

enum {
    PC_CPUS = 64,      /* more are not listed */
    PC_IO_APICS = 4,
    PC_OLD_LINES = 16, /* of the two old interrupt controllers */
};

struct pc_io_apic {
    uint32_t address;
    uint32_t first; /* number of its first input among all */
};

/* How an old line is wired. */
struct pc_line {
    uint32_t input; /* of all I/O APICs' */
    bool low;       /* active low */
    bool level;     /* lasts until the device is content */
};

struct pc_firmware {
    uint32_t apic_ids[PC_CPUS]; /* of CPUs that can be used, in the firmware's order */
    unsigned cpus;              /* 0: it does not say, there is one */
    struct pc_io_apic io_apics[PC_IO_APICS];
    unsigned io_apic_count;
    struct pc_line lines[PC_OLD_LINES];
    uint16_t pm_timer;   /* I/O port of the ACPI timer, 3.579545 MHz; 0: there is none */
    bool pm_timer_32;    /* it counts 32 bits, not 24 */
    uint64_t memory_end; /* of the memory that begins at 1 MB, without a hole */
};

extern struct pc_firmware pc_firmware;

/* Reads what the loader says: `magic` is how it calls itself. Returns the root of the firmware's
 * tables, NULL if it does not say. */
const uint8_t *pc_loader_read(uint32_t magic, const uint8_t *info);

/* Reads the firmware's tables; root NULL: searches. Before the first page is taken away. */
void pc_firmware_read(const uint8_t *root);

#endif
