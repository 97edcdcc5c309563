/* One light toggles every second, three take turns: two state machines as tasks. Pins of port B. */
#include <avr/io.h>

#define TAKT_TICK_US 200000 /* the greatest common divisor of the periods */
#define TAKT_TASK_BITS 8    /* no period has more than 127 ticks */
#include <takt/task.h>

#define ON(bit)  (PORTB |= 1 << (bit))
#define OFF(bit) (PORTB &= ~(1 << (bit)))
enum { START = -1 }; /* the state of every task at first */
enum { LOW, HIGH };
enum { FIRST, SECOND, THIRD };

TAKT_STATE_TASK(toggle, 0, 1000000) /* every second; the more urgent of the two */
{
    state = state == LOW ? HIGH : LOW; /* transitions, also from START */
    if (state == LOW)                  /* actions */
        OFF(0);
    else
        ON(0);
    return state;
}

TAKT_STATE_TASK(sequence, 1, 200000) /* every 200 ms */
{
    state = state < THIRD ? state + 1 : FIRST; /* transitions, START to FIRST, too */
    OFF(2), OFF(3), OFF(4);                    /* actions */
    switch (state) {
    case FIRST:  ON(2); break;
    case SECOND: ON(3); break;
    default:     ON(4); break; /* THIRD */
    }
    return state;
}

int main(void)
{
    DDRB = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4;
    takt_tasks_run_in_turn();
}
