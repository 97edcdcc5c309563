/*
 * Four threads that count as fast as they can, the last one with interrupts off most of the time; one
 * pin that changes every millisecond, and an interrupt for another.
 */
#include <takt/gpio.h>
#include <takt/port.h>
#include <takt/thread.h>
#include <takt/time.h>

enum { LAMP = 3, BUTTON = 5 };

volatile uint32_t counts[4], presses, pressed_at;

static void counter(void *arg)
{
    uintptr_t me = (uintptr_t)arg;
    for (;;) {
        port_irq_t irq = me == 3 ? port_irq_save() : 1;
        for (int i = 0; i < 1000; i++)
            counts[me]++;
        if (me == 3)
            port_irq_restore(irq);
    }
}

static void pressed(uint8_t pin, unsigned edges, takt_time_t at, void *arg)
{
    (void)pin;
    (void)edges;
    (void)arg;
    presses++;
    pressed_at = at;
}

static void blinker(void *arg)
{
    (void)arg;
    (void)takt_gpio_mode(LAMP, TAKT_GPIO_OUTPUT);
    (void)takt_gpio_on_edge(BUTTON, TAKT_EDGE_RISE, pressed, NULL);
    for (bool on = true;; on = !on) {
        (void)takt_gpio_write(LAMP, on);
        takt_sleep(1000);
    }
}

TAKT_THREAD(blinker, 0, blinker, NULL, 1024)
TAKT_THREAD(counter_a, 1, counter, (void *)0, 1024)
TAKT_THREAD(counter_b, 2, counter, (void *)1, 1024)
TAKT_THREAD(counter_c, 3, counter, (void *)2, 1024)
TAKT_THREAD(counter_d, 4, counter, (void *)3, 1024)

int main(void)
{
    takt_start();
}
