// A job that never ends is terminated within the call it makes again and again, another one in turn.
// Nobody else notices: the loop makes the same calls and looks what they give.
#include <Takt.h>

enum { PORT, ANALOG, HEAP, PULSE, CALLS };
volatile uint16_t jobs[CALLS], made[CALLS], wrong[CALLS], rounds;

static void make(int call)
{
    switch (call) {
    case PORT:
        Serial.print("0123456789abcdef\n");
        break;
    case ANALOG:
        wrong[ANALOG] += analogRead(A0) < 700;
        break;
    case HEAP: // what is allocated when the job ends stays so
        free(malloc(2));
        break;
    case PULSE:
        pulseIn(4, HIGH, 20000);
        break;
    }
}

void setup()
{
    Serial.begin(57600);
}

void periodic(wild, 4, 30, TERMINATE)
{
    static uint8_t next;
    int call = next++ % CALLS;
    jobs[call]++;
    for (;;) {
        make(call);
        made[call]++;
    }
}

void loop(1, 12, 60)
{
    Serial.print("<in one piece>\n");
    wrong[ANALOG] += analogRead(A1) > 2;
    char *a = static_cast<char *>(malloc(4)), *b = static_cast<char *>(malloc(5));
    wrong[HEAP] += !a || !b || (a < b ? a + 4 > b : b + 5 > a);
    free(b);
    free(a);
    long us = pulseIn(3, HIGH, 30000);
    wrong[PULSE] += us < 4700 || us > 5300;
    rounds++;
    delay(40);
}
