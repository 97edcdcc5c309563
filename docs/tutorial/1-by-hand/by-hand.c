/* The light of a staircase: a press on the button, and it is lit for a second. */
#include <takt/gpio.h>
#include <takt/thread.h>
#include <takt/time.h>

#define BUTTON 2 /* low while pressed */
#define LAMP   13

static void stairs(void *arg)
{
    (void)arg;
    for (;;) {
        while (takt_gpio_read(BUTTON))
            takt_sleep_ms(10);
        takt_gpio_write(LAMP, true);
        takt_sleep_ms(1000);
        takt_gpio_write(LAMP, false);
    }
}

TAKT_THREAD(stairs, 1, stairs, NULL, 128);

int main(void)
{
    takt_gpio_mode(BUTTON, TAKT_GPIO_INPUT_PULLUP);
    takt_gpio_mode(LAMP, TAKT_GPIO_OUTPUT);
    takt_start();
}
