/*
 * The simulated board seen from outside (machine.h): pins, wires and time.
 */
#include "machine.h"

#include <takt/console.h>
#include <takt/gpio.h>
#include <takt/port.h>
#include <takt/thread.h>

#include "../../drivers/sim/chip.h"
#include "../../port/sim/sim.h"
#include "fault.h"
#include "log.h"

int main(void);

#pragma weak sim_edge_seen /* there only if the program uses pin interrupts */

struct sim_pin sim_pins[SIM_PINS];
double sim_volts[SIM_CHANNELS];

static struct sim_log edges, writes, events;
static uint32_t detail;
static bool pin_stop, running, halted;
static uint32_t cost_ns;

void sim_cost(uint32_t ns)
{
    cost_ns += ns;
    if (!running || cost_ns < 1000u)
        return;
    uint32_t us = cost_ns / 1000u;
    cost_ns %= 1000u;
    sim_consume(us);
}

void sim_clock_read(void)
{
    sim_cost(SIM_COST_CLOCK);
}

/* The compiler calls it in every basic block of the program (board.cmake). */
void __sanitizer_cov_trace_pc(void)
{
    sim_cost(SIM_COST_BLOCK);
}

/* Pins */

static bool driven(const struct sim_pin *pin)
{
    return pin->mode == TAKT_GPIO_OUTPUT;
}

bool sim_pin_now(const struct sim_pin *pin)
{
    if (driven(pin))
        return pin->pwm ? pin->duty == 0xFFFFu : pin->out;
    if (pin->outside >= 0)
        return pin->outside != 0;
    return pin->mode == TAKT_GPIO_INPUT_PULLUP;
}

void sim_pin_changed(uint8_t number)
{
    struct sim_pin *pin = &sim_pins[number];
    bool level = sim_pin_now(pin);
    if (level == pin->level)
        return;
    pin->level = level;
    if (sim_edge_seen)
        sim_edge_seen(number, level);
    if (!driven(pin))
        return;
    if (pin->logged)
        sim_log_add(&edges, &(struct sim_machine_edge){sim_now(), number, level},
                    sizeof(struct sim_machine_edge));
    if (pin->watched && running) {
        detail = number | (uint32_t)level << 8;
        pin_stop = true;
        sim_leave();
    }
}

void sim_pin_written(uint8_t number)
{
    const struct sim_pin *pin = &sim_pins[number];
    if (pin->writes_logged)
        sim_log_add(&writes, &(struct sim_machine_edge){sim_now(), number, pin->out},
                    sizeof(struct sim_machine_edge));
}

static void apply(uint8_t pin, int8_t level)
{
    sim_pins[pin].outside = level;
    sim_pin_changed(pin);
}

static void apply_later(void *arg)
{
    uintptr_t code = (uintptr_t)arg;
    apply((uint8_t)(code >> 8), (int8_t)(code & 0xFFu));
}

void sim_machine_pin_drive(uint32_t pin, int32_t level, uint64_t at)
{
    if (pin >= SIM_PINS)
        return;
    if (at <= sim_now())
        apply((uint8_t)pin, (int8_t)level);
    else
        (void)sim_interrupt_at(at, apply_later,
                               (void *)(uintptr_t)(pin << 8 | ((uint32_t)level & 0xFFu)));
}

int32_t sim_machine_pin_level(uint32_t pin)
{
    return pin < SIM_PINS && sim_pin_now(&sim_pins[pin]);
}

void sim_machine_pin_watch(uint32_t pin, int32_t on)
{
    if (pin < SIM_PINS)
        sim_pins[pin].watched = on != 0;
}

void sim_machine_pin_log(uint32_t pin, int32_t on)
{
    if (pin < SIM_PINS)
        sim_pins[pin].logged = on != 0;
}

void sim_machine_pin_log_writes(uint32_t pin)
{
    if (pin < SIM_PINS)
        sim_pins[pin].writes_logged = true;
}

uint32_t sim_machine_writes(struct sim_machine_edge *out, uint32_t room)
{
    return sim_log_take(&writes, out, room, sizeof *out);
}

uint32_t sim_machine_edges(struct sim_machine_edge *out, uint32_t room)
{
    return sim_log_take(&edges, out, room, sizeof *out);
}

int32_t sim_machine_pwm(uint32_t pin, double *hz, double *duty)
{
    if (pin >= SIM_PINS || !sim_pins[pin].pwm)
        return 0;
    *hz = sim_pins[pin].hz;
    *duty = sim_pins[pin].duty / 65535.0;
    return 1;
}

void sim_machine_adc_set(uint32_t channel, double volts)
{
    if (channel < SIM_CHANNELS)
        sim_volts[channel] = volts;
}

/* Trace: the layout debuggers know, see kernel/core/trace.c */

struct rtt_up {
    const char *name;
    const uint8_t *buffer;
    uint32_t size;
    volatile uint32_t write_at, read_at;
    uint32_t flags;
};

extern struct {
    char id[16];
    uint32_t ups, downs;
    struct rtt_up up[2];
} _SEGGER_RTT __attribute__((weak));

static void drain_trace(void)
{
    if (&_SEGGER_RTT == NULL)
        return;
    struct rtt_up *up = &_SEGGER_RTT.up[1];
    while (up->read_at != up->write_at) {
        uint32_t end = up->write_at > up->read_at ? up->write_at : up->size;
        sim_log_add(&events, up->buffer + up->read_at, 4);
        up->read_at = up->read_at + 4u == end && end == up->size ? 0 : up->read_at + 4u;
    }
}

uint32_t sim_machine_trace(uint8_t *out, uint32_t room)
{
    return sim_log_take(&events, out, room, 1);
}

/* Time */

static void boot(void)
{
    (void)main();
    takt_fatal(TAKT_FATAL_START, TAKT_NOBODY, NULL);
}

void sim_machine_start(void)
{
    for (unsigned i = 0; i < SIM_PINS; i++)
        sim_pins[i] = (struct sim_pin){.outside = -1};
    sim_reset(0);
}

static bool bell_set;

static void bell(void *arg)
{
    (void)arg;
    bell_set = false;
}

/* Runs a stretch short enough for the trace ring. */
static int run_stretch(uint64_t until)
{
    pin_stop = false;
    if (!bell_set) /* so that a program that sleeps gets there */
        bell_set = sim_interrupt_at(until, bell, NULL);
    running = true;
    sim_faults_begin();
    enum sim_stop why = sim_run(boot, until);
    sim_faults_end();
    running = false;
    drain_trace();
    if (why == SIM_ASKED && pin_stop)
        return SIM_MACHINE_PIN;
    if (why != SIM_HALT)
        return SIM_MACHINE_TIME;
    for (const char *c = sim_fatal_line(); !halted && *c; c++)
        board_console_put(*c);
    halted = true;
    return SIM_MACHINE_HALT;
}

#define STRETCH_US 5000u

int sim_machine_run(uint64_t until)
{
    int why = SIM_MACHINE_TIME;
    while (why == SIM_MACHINE_TIME && sim_now() < until) {
        uint64_t end = sim_now() + STRETCH_US;
        why = run_stretch(end < until ? end : until);
    }
    return why;
}

uint32_t sim_machine_detail(void)
{
    return detail;
}

uint64_t sim_machine_now(void)
{
    return sim_now();
}

const char *sim_machine_fault(void)
{
    return halted ? sim_fatal_line() : NULL;
}
