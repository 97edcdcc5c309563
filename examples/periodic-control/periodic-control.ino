/*
 * A motor that is to turn as the potentiometer says: a job every 5 ms measures and corrects, another
 * every 20 ms looks at the potentiometer, a loop reports. A third job makes mistakes: now and then it
 * does not come to an end. It is terminated, and the others do not notice.
 */
#include <Takt.h>

const int MOTOR = 11, SETPOINT = A0, SPEED = A1;
Channel<int> wanted;
Channel<int> reached;
volatile unsigned long rounds;

void setup()
{
    pinMode(MOTOR, OUTPUT);
    Serial.begin(115200);
}

void periodic(control, 1_ms, 5_ms)
{
    static long sum;
    int speed = analogRead(SPEED);
    long error = wanted.read() - speed;
    sum = constrain(sum + error, -20000, 20000);
    analogWrite(MOTOR, constrain(error / 4 + sum / 100, 0, 255));
    reached.write(speed);
}

void periodic(setpoint, 1_ms, 20_ms)
{
    wanted.write(analogRead(SETPOINT));
}

void periodic(careless, 2_ms, 50_ms, TERMINATE)
{
    if (++rounds % 4 == 0)
        for (;;) /* a mistake */
            ;
}

void loop(report, 5, 500)
{
    Serial.print("wanted ");
    Serial.print(wanted.read());
    Serial.print(" reached ");
    Serial.println(reached.read());
    delay(500);
}
