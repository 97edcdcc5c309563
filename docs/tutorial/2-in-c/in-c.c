/* The light of a staircase as a state machine. */
#define TAKT_TICK_US 20000
#include <takt/gpio.h>
#include <takt/task.h>

#define BUTTON 2 /* low while pressed */
#define LAMP   13
#define LONG   5 /* ticks of the machine */

enum { OFF, ON };

TAKT_STATE_TASK(stairs, 0, 200000)
{
    static uint8_t left;
    bool pressed = !takt_gpio_read(BUTTON);

    switch (state) { /* transitions */
    case -1:
        state = OFF;
        break;
    case OFF:
        if (pressed) {
            state = ON;
            left = LONG;
        }
        break;
    case ON:
        if (pressed)
            left = LONG;
        else if (--left == 0)
            state = OFF;
        break;
    }

    switch (state) { /* actions */
    case OFF:
        takt_gpio_write(LAMP, false);
        break;
    case ON:
        takt_gpio_write(LAMP, true);
        break;
    }
    return state;
}

int main(void)
{
    takt_gpio_mode(BUTTON, TAKT_GPIO_INPUT_PULLUP);
    takt_gpio_mode(LAMP, TAKT_GPIO_OUTPUT);
    takt_tasks_run();
}
