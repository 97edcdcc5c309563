/*
 * The imaginary chip of the board `sim`: its pins, converters and ports in memory. The drivers'
 * sim.c files are one side, board/sim/machine.h, for what plays the world, the other.
 *
 * Every driver call costs the calling thread virtual time, about what it costs on the pico, and so
 * does every basic block of the program (board/sim/machine.c). The costs are below; the kernel and
 * the libraries take no time at all.
 */
#ifndef TAKT_SIM_CHIP_H
#define TAKT_SIM_CHIP_H

#include <stdbool.h>
#include <stdint.h>

enum sim_cost_ns {
    SIM_COST_BLOCK = 50, /* some instructions without a jump */
    SIM_COST_GPIO = 150,
    SIM_COST_GPIO_MODE = 400,
    SIM_COST_CLOCK = 150,
    SIM_COST_PWM = 3000,
    SIM_COST_ADC = 4500,
    SIM_COST_UART_BYTE = 600,
};

/* The caller computes for `ns`; fractions of a microsecond are carried over. Threads and handlers;
 * nothing happens before start. */
void sim_cost(uint32_t ns);

#define SIM_PINS  30u
#define SIM_PORTS 2u

struct sim_pin {
    uint8_t mode; /* enum takt_gpio_mode */
    bool out;     /* level last written */
    bool pwm;     /* made by PWM: */
    uint32_t hz;
    uint16_t duty;
    int8_t outside; /* level driven from outside, -1: not driven */
    bool level;     /* as of the last change */
    bool watched, logged, writes_logged;
};
extern struct sim_pin sim_pins[SIM_PINS];

/* The level at the pin: what the program drives, else what the world drives, else the pull. */
bool sim_pin_now(const struct sim_pin *pin);

/* To be called after anything about the pin changed: tells what follows its level. */
void sim_pin_changed(uint8_t pin);

/* To be called after the program wrote the pin, whether or not that changed it. */
void sim_pin_written(uint8_t pin);

/* Where the edge driver, when linked, learns of changes. */
void sim_edge_seen(uint8_t pin, bool level);

/* Volts at the analog inputs. */
#define SIM_CHANNELS 5u
extern double sim_volts[SIM_CHANNELS];

/* A byte has left the port; its last bit at `at_us`. Kept for the world. */
void sim_byte_out(uint8_t port, uint8_t byte, uint64_t at_us);

/* A byte arrives now; for the serial driver, when linked. Interrupt context. */
void sim_byte_in(uint8_t port, uint8_t byte);

/* What a byte on the wire takes, us, at the settings of the port. */
uint32_t sim_byte_us(uint8_t port);

#endif
