/* What is around the chip: serial lines, I2C buses, SPI devices. */
#ifndef TAKT_OUTSIDE_H
#define TAKT_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "takt_platform.h"

#define UARTS       2u
#define I2C_DEVICES 32u
#define SPI_DEVICES 16u

/* A growing array of fixed-size records, drained from the front. */
struct record_list {
    uint8_t *data;
    uint32_t count, room, record;
};

/* The lines of a UART. */
struct serial {
    uint8_t waiting[1024]; /* from outside, not yet on the wire */
    uint32_t head, count;
    bool receiving; /* the first of them is on the wire */
    struct record_list taken;
    bool watch;
};

enum i2c_line { I2C_SDA, I2C_SCL };
enum i2c_listen { I2C_QUIET, I2C_LISTEN, I2C_TAKE, I2C_GIVE };

/* Pins of one bank. */
struct wire {
    uint32_t bank, pins;
};

/* What is at the other end of the wires: devices, pull-ups, faults. */
struct i2c_bus {
    struct takt_i2c_device device[I2C_DEVICES];
    uint8_t address[I2C_DEVICES];
    uint32_t count;
    const struct takt_i2c_device *current; /* addressed */
    enum i2c_listen state;
    int32_t bit;              /* -1: START, SCL still high */
    uint32_t shift;           /* byte taken or given */
    bool refused;             /* the master did not acknowledge */
    bool sda_low, stretching; /* what the device addressed pulls */
    bool held[2];             /* lines held by a fault */
    uint32_t clocks;          /* after which SDA is let go; 0: never */
    struct wire wired[2];     /* the last pins that had the function */
    bool seen[2];             /* levels */
};

struct spi_device {
    struct takt_spi_device calls;
    uint32_t bus, pin;
    bool selected;
};

/* serial.c */
void serial_reset(struct takt_machine *m);
void serial_sent(struct takt_machine *m, uint32_t port, uint8_t byte, uint64_t when);
void serial_put(struct takt_machine *m, uint32_t port, uint8_t byte, uint64_t when);
uint8_t serial_arrived(struct takt_machine *m, uint32_t port); /* the one on the wire */
/* i2c_bus.c */
void i2c_bus_wire(struct takt_machine *m, unsigned n, enum i2c_line which, struct wire to);
void i2c_follow(struct takt_machine *m, uint64_t when);
void i2c_stretch_event(struct takt_machine *m, unsigned id, uint64_t when);
void i2c_bus_reset(struct takt_machine *m, unsigned n);
/* spi_bus.c */
void spi_follow(struct takt_machine *m);
uint32_t spi_exchange(struct takt_machine *m, uint32_t bus, uint32_t word, uint32_t bits,
                      uint32_t idle);

#endif
