/*
 * Semaphore ping-pong (Ell-i thesis, Snippet 7): a high-priority thread blocks on a semaphore, a
 * low-priority thread signals it. Pin 2 is high from just before wait() to the low thread's first
 * instruction, pin 3 from just before signal() to the high thread's return from wait(). The pin
 * writes are single stores and inside the windows, as in the thesis.
 */
#include <takt/gpio.h>
#include <takt/sem.h>
#include <takt/thread.h>

#define WAIT_PIN 2
#define SIGNAL_PIN 3

/* RP2040 SIO: set and clear outputs by mask, one store each. */
#define PINS_SET (*(volatile uint32_t *)0xD0000014u)
#define PINS_CLEAR (*(volatile uint32_t *)0xD0000018u)

static struct takt_sem ping = TAKT_SEM_INIT(0);

static void high(void *arg)
{
    (void)arg;
    for (;;) {
        PINS_SET = 1u << WAIT_PIN;
        takt_sem_wait(&ping);
        PINS_CLEAR = 1u << SIGNAL_PIN;
    }
}

static void low(void *arg)
{
    (void)arg;
    for (;;) {
        PINS_CLEAR = 1u << WAIT_PIN;
        PINS_SET = 1u << SIGNAL_PIN;
        takt_sem_signal(&ping);
    }
}

TAKT_THREAD(high, 1, high, NULL, 640);
TAKT_THREAD(low, 2, low, NULL, 640);

int main(void)
{
    takt_gpio_mode(WAIT_PIN, TAKT_GPIO_OUTPUT);
    takt_gpio_mode(SIGNAL_PIN, TAKT_GPIO_OUTPUT);
    takt_start();
}
