// Three loops share a bus. The least urgent one sends long transactions and has always used its
// budget up when they end; a fourth, more urgent than all, takes 40 % of the CPU.
#include <Takt.h>
#include <Wire.h>

volatile unsigned long most_us;

static void put(int address, int n)
{
    Wire.beginTransmission(address);
    for (int i = 0; i < n; i++)
        Wire.write(address);
    Wire.endTransmission();
}

void setup()
{
    Wire.begin();
}

void loop(1, 4, 10)
{
    delayMicroseconds(1000);
}

void loop(2, 2, 20)
{
    delay(3_ms);
    unsigned long start = micros();
    put(0x22, 2);
    unsigned long took = micros() - start;
    if (took > most_us)
        most_us = took;
    delay(14_ms);
}

void loop(3, 2, 50)
{
    delay(1_ms);
    put(0x33, 2);
    delay(45_ms);
}

void loop(4, 1, 100)
{
    put(0x44, 60);
    delayMicroseconds(5000);
}
