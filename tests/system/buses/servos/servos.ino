// Two servos, one of them with limits of its own; what they say of themselves as NAME=NUMBER.
#include <Servo.h>
#include <Takt.h>

static Servo plain, narrow, none;

static void say(const char *name, long value)
{
    Serial.print(name);
    Serial.print('=');
    Serial.println(value);
}

void setup()
{
    Serial.begin(1000000);
    say("before", plain.attached());
    say("attach", plain.attach(9));
    say("attached", plain.attached());
    say("narrow", narrow.attach(3, 1000, 2000));
    say("no_pin", none.attach(32));
    say("no_range", none.attach(10, 2000, 1000));
}

void loop(1, 5, 100)
{
    static bool over;
    if (!over) {
        over = true;
        delay(100);
        plain.write(0);
        narrow.write(45);
        say("read45", narrow.read());
        delay(100);
        plain.write(180);
        narrow.writeMicroseconds(5000);
        say("read180", narrow.read());
        delay(100);
        plain.write(700);
        narrow.write(-5);
        say("us", plain.readMicroseconds());
        say("read0", narrow.read());
        delay(100);
        plain.detach();
        say("detached", plain.attached());
    }
    delay(100);
}
