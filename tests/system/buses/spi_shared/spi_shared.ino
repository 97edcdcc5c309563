// Three loops share a bus. The least urgent one's transfers take longer than its budget, and a
// fourth loop, more urgent than all, takes half of the CPU.
#include <SPI.h>
#include <Takt.h>

volatile unsigned long most_us, whole, broken;
#ifdef ARDUINO_TAKT_PICO
const int LARGE = 4000;
#else
const int LARGE = 1500;
#endif
static uint8_t large[LARGE], back[LARGE];

static void note(bool fine)
{
    if (fine)
        whole = whole + 1;
    else
        broken = broken + 1;
}

static bool echoed(const uint8_t *sent, const uint8_t *got, int n)
{
    for (int i = 1; i < n; i++)
        if (got[i] != static_cast<uint8_t>(~sent[i - 1]))
            return false;
    return true;
}

void setup()
{
    SPI.begin();
    for (int pin = 5; pin <= 7; pin++) {
        pinMode(pin, OUTPUT);
        digitalWrite(pin, HIGH);
    }
    for (int i = 0; i < LARGE; i++)
        large[i] = i * 3;
}

void loop(1, 5, 10)
{
    delayMicroseconds(1000);
}

void loop(2, 6, 20) // short and fast: polled
{
    static const takt_spi_settings fast = {8000000, 0, 8, false};
    uint8_t out[4] = {1, 2, 3, 4}, in[4];
    unsigned long start = micros();
    takt_spi_transfer(0, &fast, 5, out, in, 4);
    unsigned long took = micros() - start;
    note(echoed(out, in, 4));
    if (took > most_us)
        most_us = took;
    delay(17_ms);
}

void loop(3, 2, 50) // slow: by interrupt
{
    static const takt_spi_settings slow = {250000, 0, 8, false};
    uint8_t out[40], in[40];
    for (int i = 0; i < 40; i++)
        out[i] = i;
    takt_spi_transfer(0, &slow, 6, out, in, 40);
    note(echoed(out, in, 40));
    delay(30_ms);
}

void loop(4, 1, 100) // 4 ms of polling with a budget of 1 ms
{
    static const takt_spi_settings fast = {8000000, 0, 8, false};
    takt_spi_transfer(0, &fast, 7, large, back, LARGE);
    note(echoed(large, back, LARGE));
}
