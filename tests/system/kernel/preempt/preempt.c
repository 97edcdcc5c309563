/*
 * Preemption under fire: threads keep known values in every register while pin interrupts, sleeps,
 * semaphores and budgets switch them at any instruction. The test drives pin 15 and reads the
 * counters below.
 */
#include <takt/gpio.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

TAKT_TELLS_FATAL;

volatile uint32_t edges_seen, edges_served, wrong_registers, rounds[3], sleeps;
static struct takt_sem edge = TAKT_SEM_INIT(0);
static struct takt_sem ping = TAKT_SEM_INIT(0), pong = TAKT_SEM_INIT(0);

static void on_edge(uint8_t pin, unsigned edges, takt_time_t at, void *arg)
{
    (void)pin, (void)edges, (void)at, (void)arg;
    edges_seen++;
    takt_sem_signal_isr(&edge);
}

static void serve(void *arg)
{
    (void)arg;
    takt_gpio_on_edge(15, TAKT_EDGE_RISE | TAKT_EDGE_FALL, on_edge, NULL);
    for (;;) {
        takt_sem_wait(&edge);
        edges_served++;
    }
}

/* Fills r0-r12 and the flags with values made from `seed`, spins a while, and returns how many
 * have changed. */
uint32_t registers_disturbed(uint32_t seed);

static void watch(void *arg)
{
    uint32_t which = (uint32_t)arg;
    for (uint32_t seed = which * 0x01234567u;; seed += 0x9E3779B9u) {
        wrong_registers += registers_disturbed(seed);
        rounds[which]++;
    }
}

static void player(void *arg)
{
    for (;;) {
        takt_sem_signal(arg ? &pong : &ping);
        takt_sem_wait_for(arg ? &ping : &pong, 700);
    }
}

static void sleeper(void *arg)
{
    (void)arg;
    for (uint32_t us = 1;; us = us * 7 % 1999 + 1) {
        takt_time_t from = takt_now();
        takt_sleep(us);
        if (takt_now() - from < us)
            wrong_registers += 1000000;
        sleeps++;
    }
}

TAKT_BUDGET_THREAD(serve, 300, 1000, serve, NULL, 744);
TAKT_BUDGET_THREAD(sleeper, 200, 2000, sleeper, NULL, 744);
TAKT_BUDGET_THREAD(player_a, 150, 3000, player, NULL, 744);
TAKT_BUDGET_THREAD(watch_a, 1000, 7000, watch, (void *)0, 744);
TAKT_BUDGET_THREAD(player_b, 150, 8000, player, (void *)1, 744);
TAKT_BUDGET_THREAD(watch_b, 1500, 11000, watch, (void *)1, 744);
TAKT_THREAD(watch_c, 9, watch, (void *)2, 744);

int main(void)
{
    takt_gpio_mode(15, TAKT_GPIO_INPUT);
    takt_start();
}
