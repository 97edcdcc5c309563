/*
 * Pins, edges, PWM and ADC from three threads.
 */
#include <takt/adc.h>
#include <takt/gpio.h>
#include <takt/pwm.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/uptime.h>

#include "say.h"

enum { INPUT = 2, ECHO = 3, CLOCK = 15 }; /* the others: conftest.py */

static struct takt_sem seen = TAKT_SEM_INIT(0);
static volatile unsigned last_edges;
static volatile takt_time_t last_at;

static void on_edge(uint8_t pin, unsigned edges, takt_time_t at, void *arg)
{
    (void)takt_gpio_write(ECHO, true);
    last_edges = edges;
    last_at = at;
    ++*(int *)arg;
    (void)pin;
    (void)takt_sem_signal_isr(&seen);
}

static void edge_thread(void *arg)
{
    static int calls;
    (void)arg;
    takt_gpio_mode(INPUT, TAKT_GPIO_INPUT_PULLUP);
    takt_gpio_mode(ECHO, TAKT_GPIO_OUTPUT);
    say("bad_pin", takt_gpio_mode(BAD_PIN, TAKT_GPIO_OUTPUT));
    say("bad_edges", takt_gpio_on_edge(INPUT, 16, on_edge, &calls));
    takt_gpio_on_edge(INPUT, TAKT_EDGE_FALL | TAKT_EDGE_RISE, on_edge, &calls);
    for (int i = 0; i < 2; i++) {
        takt_sem_wait(&seen);
        takt_gpio_write(ECHO, false);
        say("edge", (int32_t)last_edges);
        say("at", (int32_t)last_at);
        say("level", takt_gpio_read(INPUT));
    }
    takt_gpio_off_edge(INPUT);
    takt_sleep(100000);
    say("calls", calls);
    takt_gpio_mode(INPUT, TAKT_GPIO_INPUT_PULLUP);
    takt_gpio_on_edge(INPUT, TAKT_EDGE_LOW, on_edge, &calls); /* the pin is high: nothing */
    takt_sleep(1000);
    say("calls", calls);
    takt_thread_exit();
}

static void clock_thread(void *arg)
{
    (void)arg;
    takt_gpio_mode(CLOCK, TAKT_GPIO_OUTPUT);
    takt_time_t next = takt_now();
    for (bool level = true;; level = !level) {
        takt_gpio_write(CLOCK, level);
        takt_sleep_until(next += 1000);
    }
}

static void analog_thread(void *arg)
{
    (void)arg;
    say("bad_pwm", takt_pwm_write(BAD_PIN, 1000, 1));
    say("bad_hz", takt_pwm_write(PWM_A, 7, 1));
    takt_pwm_write(PWM_A, 1000, 16384);
    takt_pwm_write(PWM_B, 1000, 65535);
    takt_sleep(10000);
    takt_pwm_write(PWM_A, 440, 32768);
    say("bad_adc", takt_adc_read(BAD_ADC));
    say("adc0", takt_adc_read(ADC_A));
    say("adc3", takt_adc_read(ADC_B));
    takt_sleep(10000);
    takt_pwm_stop(PWM_B);
    say("uptime_ahead", (int32_t)((uint32_t)takt_uptime_us() - takt_now()));
    takt_thread_exit();
}

TAKT_THREAD(edge, 1, edge_thread, 0, STACK)
TAKT_THREAD(clock, 2, clock_thread, 0, STACK)
TAKT_THREAD(analog, 3, analog_thread, 0, STACK)

int main(void)
{
    takt_uart_open(0, 1000000, 8, TAKT_PARITY_NONE, 1);
    takt_start();
}
