/*
 * The pins of a PC, which has none: they are in memory, where a machine that watches the program
 * finds them (tools/takt/machine/pc_pins.py). The driver writes the first part, the world the
 * second, while no CPU runs; `fallen` and `risen` are changed by single instructions, so both may.
 */
#ifndef TAKT_DRIVERS_GPIO_PC_H
#define TAKT_DRIVERS_GPIO_PC_H

#include <takt/types.h>

#define PC_PINS    30u
#define PC_CHANGES 4096u

/* What the program did to a pin, and when by the time stamp counter. */
struct pc_change {
    uint64_t at;
    uint8_t pin;
    bool level, changed; /* else it was written what it was */
    uint8_t reserved[5];
};

struct pc_pins {
    uint32_t out;    /* levels last written */
    uint32_t output; /* pins that are one */
    uint32_t pull_up;
    uint32_t written;    /* changes recorded, the next is at this modulo PC_CHANGES */
    uint64_t message_to; /* writing `message` there interrupts; 0: no edges are wanted */
    uint32_t message;
    uint32_t reserved;

    uint32_t driven, level; /* from outside: which, and how */
    uint32_t logged;        /* whose changes are recorded */
    uint32_t all;           /* and all that is written */
    uint32_t watched;       /* at whose changes it stops */
    uint32_t read;          /* changes taken */

    uint32_t fallen, risen; /* latched edges */

    struct pc_change changes[PC_CHANGES];
};

extern struct pc_pins takt_pins;

/* The levels at all pins. */
uint32_t pc_pins_now(void);

/* Where the edge driver, when linked, learns of changes that the program made. Interrupts off. */
void pc_edges_seen(uint32_t fallen, uint32_t risen);

#endif
