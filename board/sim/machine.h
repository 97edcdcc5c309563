/*
 * The world's side of the simulated board: a program linked with it is a shared library, and this
 * is what a host calls in it (tools/takt/machine/sim.py). Time is virtual microseconds since
 * sim_machine_start(). One machine per loaded library, for one life: load a copy to start afresh.
 */
#ifndef TAKT_SIM_MACHINE_H
#define TAKT_SIM_MACHINE_H

#include <stdint.h>

enum sim_machine_stop {
    SIM_MACHINE_TIME = 0, /* `until` is reached */
    SIM_MACHINE_PIN = 1,  /* a watched output changed; detail: pin | level << 8 */
    SIM_MACHINE_HALT = 2, /* fatal error; its line is on port 0 */
};

struct sim_machine_edge {
    uint64_t at;
    uint32_t pin, level;
};

struct sim_machine_byte {
    uint64_t at; /* end of the stop bit */
    uint32_t byte, reserved;
};

/* Once, before anything else. */
void sim_machine_start(void);

/* Runs until `until` or the first stop. */
int sim_machine_run(uint64_t until);
uint32_t sim_machine_detail(void);
uint64_t sim_machine_now(void);

/* Why it halted, or NULL. */
const char *sim_machine_fault(void);

/* Drives a pin from outside from `at` on; level -1 releases it. */
void sim_machine_pin_drive(uint32_t pin, int32_t level, uint64_t at);
int32_t sim_machine_pin_level(uint32_t pin);
void sim_machine_pin_watch(uint32_t pin, int32_t on);
void sim_machine_pin_log(uint32_t pin, int32_t on);
/* Fills out[] with changes made by the program, oldest first, and forgets them. */
uint32_t sim_machine_edges(struct sim_machine_edge *out, uint32_t room);
/* The same of writes, whether or not they changed anything, to pins of which that was asked for. */
void sim_machine_pin_log_writes(uint32_t pin);
uint32_t sim_machine_writes(struct sim_machine_edge *out, uint32_t room);
/* 1 and the values when PWM drives the pin, else 0. */
int32_t sim_machine_pwm(uint32_t pin, double *hz, double *duty);

/* Sends bytes to the program, from `at` on, one after the other at the port's speed. */
void sim_machine_uart_send(uint32_t port, const uint8_t *data, uint32_t n, uint64_t at);
uint32_t sim_machine_uart_take(uint32_t port, struct sim_machine_byte *out, uint32_t room);

void sim_machine_adc_set(uint32_t channel, double volts);

/* Takes from trace channel 1. */
uint32_t sim_machine_trace(uint8_t *out, uint32_t room);

#endif
