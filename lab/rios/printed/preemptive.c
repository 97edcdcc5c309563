/*
 * The paper's preemptive scheduler, as Figures 3 and 6 describe it, with its errors (design 10.13):
 * what Takt is compared with. The arithmetic of times is that of unsigned long. SaveContext() and
 * RestoreContext() are the compiler's prologue and epilogue.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include PROGRAM /* TickFct_1..3, period_1..3, GCD in ms */

typedef struct task {
    unsigned char running;
    int state;
    unsigned long period;
    unsigned long elapsedTime;
    int (*TickFct)(int);
} task;

static task tasks[3];
const unsigned char tasksNum = 3;
const unsigned long tasksPeriodGCD = GCD;
unsigned char runningTasks[4] = {255}; /* [0] is always the idle task */
const unsigned long idleTask = 255;
unsigned char currentTask = 0;

ISR(TIMER1_COMPA_vect)
{
    unsigned char i;
    for (i = 0; i < tasksNum; ++i) {
        if (tasks[i].elapsedTime >= tasks[i].period && runningTasks[currentTask] > i &&
            !tasks[i].running) {
            cli();
            tasks[i].elapsedTime = 0;
            tasks[i].running = 1;
            currentTask += 1;
            runningTasks[currentTask] = i;
            sei();
            tasks[i].state = tasks[i].TickFct(tasks[i].state);
            cli();
            tasks[i].running = 0;
            runningTasks[currentTask] = idleTask;
            currentTask -= 1;
            sei();
        }
        tasks[i].elapsedTime += tasksPeriodGCD;
    }
}

int main(void)
{
    unsigned char i = 0;
    tasks[i].period = period_1;
    tasks[i].elapsedTime = tasks[i].period;
    tasks[i].TickFct = &TickFct_1;
    tasks[i].state = -1;
    ++i;
    tasks[i].period = period_2;
    tasks[i].elapsedTime = tasks[i].period;
    tasks[i].TickFct = &TickFct_2;
    tasks[i].state = -1;
    ++i;
    tasks[i].period = period_3;
    tasks[i].elapsedTime = tasks[i].period;
    tasks[i].TickFct = &TickFct_3;
    tasks[i].state = -1;
    TCNT1 = 0;
    OCR1A = GCD * 1000;
    TCCR1B = (1 << WGM12) | (1 << CS11);
    TIMSK1 = 1 << OCIE1A;
    sei();
    while (1)
        sleep_mode();
}
