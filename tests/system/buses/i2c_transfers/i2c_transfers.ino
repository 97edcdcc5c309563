// Every kind of transaction, once; results as NAME=NUMBER.
#include <Wire.h>
#include <Takt.h>
#include <takt/i2c.h>

static const int MEMORY = 0x50, REFUSER = 0x51, NOBODY = 0x52, SLOW = 0x53;
static uint8_t out[300], in[300];

static void say(const char *name, long value)
{
    Serial.print(name);
    Serial.print('=');
    Serial.println(value);
}

static int put(int address, int pointer, int n)
{
    Wire.beginTransmission(address);
    Wire.write(pointer);
    for (int i = 0; i < n; i++)
        Wire.write(100 + i);
    return Wire.endTransmission();
}

static void short_ones()
{
    say("put1", put(MEMORY, 0, 1));
    say("put20", put(MEMORY, 20, 20));
    say("most", BUFFER_LENGTH);
    say("put_most", put(MEMORY, 64, BUFFER_LENGTH - 1));
    say("put_more", put(MEMORY, 0, BUFFER_LENGTH));
    Wire.beginTransmission(MEMORY);
    Wire.write(20);
    say("held", Wire.endTransmission(false));
    say("got", Wire.requestFrom(MEMORY, 20));
    say("available", Wire.available());
    say("peek", Wire.peek());
    int wrong = 0;
    for (int i = 0; i < 20; i++)
        wrong += Wire.read() != 100 + i;
    say("wrong", wrong);
    say("end", Wire.read());
    say("inner", Wire.requestFrom(MEMORY, 3, 0x41, 1, true));
    say("inner0", Wire.read());
    say("nobody", put(NOBODY, 0, 1));
    say("nobody_got", Wire.requestFrom(NOBODY, 4));
    say("refused", put(REFUSER, 0, 5));
    say("refused_long", put(REFUSER, 0, 30));
    say("slow", put(SLOW, 7, 3));
    Wire.beginTransmission(MEMORY);
    say("probe", Wire.endTransmission());
    Wire.beginTransmission(NOBODY);
    say("probe_nobody", Wire.endTransmission());
    say("no_begin", Wire.endTransmission());
}

static void long_ones()
{
    out[0] = 10;
    for (int i = 1; i < 300; i++)
        out[i] = i * 7;
    unsigned long start = micros();
    say("long_out", takt_i2c_transfer(0, MEMORY, out, 201, nullptr, 0, 100000));
    say("long_out_us", micros() - start);
    start = micros();
    say("long_both", takt_i2c_transfer(0, MEMORY, out, 1, in, 200, 100000));
    say("long_both_us", micros() - start);
    say("long_same", memcmp(out + 1, in, 200) == 0);
    Wire.setClock(400000);
    start = micros();
    say("fast", takt_i2c_transfer(0, MEMORY, out, 1, in, 250, 100000));
    say("fast_us", micros() - start);
    say("fast_same", memcmp(out + 1, in, 200) == 0);
}

static void mistakes()
{
    say("einval_bus", takt_i2c_transfer(2, MEMORY, out, 1, nullptr, 0, 100000));
    say("einval_address", takt_i2c_transfer(0, 128, out, 1, nullptr, 0, 100000));
    say("einval_time", takt_i2c_transfer(0, MEMORY, out, 1, nullptr, 0, 10));
    say("einval_closed", takt_i2c_transfer(1, MEMORY, out, 1, nullptr, 0, 100000));
    say("einval_pins", takt_i2c_open(0, 2, 3, 100000));
    say("einval_hz", takt_i2c_open(0, 20, 21, 2000000));
    static takt::Mutex mutex;
    mutex.lock();
    int locked = takt_i2c_transfer(0, MEMORY, out, 1, nullptr, 0, 100000);
    mutex.unlock();
    say("locked", locked);
    Wire.end();
    say("ended", put(MEMORY, 0, 1));
    Wire.setClock(3400000); /* more than there is: 1 MHz then */
    Wire.begin();
    say("clamped", put(MEMORY, 0, 1));
}

void setup()
{
    Serial.begin(1000000);
    Wire.begin();
}

void loop(1, 20, 100)
{
    static bool over;
    if (!over) {
        over = true;
        short_ones();
        long_ones();
        mistakes();
        say("over", 1);
    }
    delay(100);
}
