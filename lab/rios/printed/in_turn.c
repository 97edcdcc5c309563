/*
 * The paper's non-preemptive scheduler, as Figures 3 and 5 describe it, with its errors: interrupts are
 * off in a handler of an AVR, so the look at processingRdyTasks never finds anything.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include PROGRAM

typedef struct task {
    int state;
    unsigned long period;
    unsigned long elapsedTime;
    int (*TickFct)(int);
} task;

static task tasks[3];
const unsigned char tasksNum = 3;
const unsigned long tasksPeriodGCD = GCD;
unsigned char processingRdyTasks = 0;
unsigned char told;

ISR(TIMER1_COMPA_vect)
{
    unsigned char i;
    if (processingRdyTasks) {
        told = 1;
    } else {
        processingRdyTasks = 1;
        for (i = 0; i < tasksNum; ++i) {
            if (tasks[i].elapsedTime >= tasks[i].period) {
                tasks[i].state = tasks[i].TickFct(tasks[i].state);
                tasks[i].elapsedTime = 0;
            }
            tasks[i].elapsedTime += tasksPeriodGCD;
        }
        processingRdyTasks = 0;
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
