/* Three machines of a staircase and what they tell one another. */
#include <takt/gpio.h>

#define BUTTON 2 /* low while pressed */
#define PILOT  12
#define LAMP   13
#define LONG   5 /* ticks of `stairs` */

static volatile bool press; /* button sets it, stairs takes it: somebody has begun to press */
static volatile bool lit;   /* stairs writes it, pilot reads it */

/* Finds where a press begins; holding the button is no second one. */
static int button(int state)
{
    enum { UP, PRESSED, HELD };
    bool down = !takt_gpio_read(BUTTON);
    switch (state) { /* transitions */
    case -1:      state = UP; break;
    case UP:      state = down ? PRESSED : UP; break;
    case PRESSED: state = down ? HELD : UP; break;
    case HELD:    state = down ? HELD : UP; break;
    }
    if (state == PRESSED) /* action */
        press = true;
    return state;
}

/* The lamp. */
static int stairs(int state)
{
    enum { OFF, ON };
    static uint8_t left;
    bool pressed = press;
    if (pressed)
        press = false;
    switch (state) { /* transitions */
    case -1:  state = OFF; break;
    case OFF: state = pressed ? ON : OFF; break;
    case ON:  state = pressed || --left ? ON : OFF; break;
    }
    if (pressed) /* actions */
        left = LONG;
    lit = state == ON;
    takt_gpio_write(LAMP, lit);
    return state;
}

/* A small light in the button, which blinks in the dark, so that one finds it. */
static int pilot(int state)
{
    enum { DARK, BRIGHT };
    switch (state) { /* transitions */
    case -1:     state = DARK; break;
    case DARK:   state = lit ? DARK : BRIGHT; break;
    case BRIGHT: state = DARK; break;
    }
    takt_gpio_write(PILOT, state == BRIGHT); /* action */
    return state;
}

static void pins(void)
{
    takt_gpio_mode(BUTTON, TAKT_GPIO_INPUT_PULLUP);
    takt_gpio_mode(PILOT, TAKT_GPIO_OUTPUT);
    takt_gpio_mode(LAMP, TAKT_GPIO_OUTPUT);
}
