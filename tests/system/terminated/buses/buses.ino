// As calls.ino, with transfers on I2C and SPI.
#include <SPI.h>
#include <Takt.h>
#include <Wire.h>

enum { I2C_BUS, SPI_BUS, CALLS };
const int MEMORY = 0x50, SELECT = 10;
volatile uint16_t jobs[CALLS], made[CALLS], wrong[CALLS], rounds;

/* Bytes of the memory, which are their addresses. */
static uint8_t read_wrongly(uint8_t first)
{
    Wire.beginTransmission(MEMORY);
    Wire.write(first);
    if (Wire.endTransmission(false) != 0 || Wire.requestFrom(MEMORY, 4) != 4)
        return 1;
    uint8_t bad = 0;
    for (uint8_t i = 0; i < 4; i++)
        bad |= Wire.read() != first + i;
    return bad;
}

/* The device answers each byte with the complement of the one before. */
static uint8_t echoed_wrongly(uint8_t first)
{
    const takt_spi_settings settings = {1000000, 0, 8, false};
    uint8_t out[4] = {first, 2, 3, 4}, in[4];
    int moved = takt_spi_transfer(0, &settings, SELECT, out, in, 4);
    return moved != 4 || in[1] != static_cast<uint8_t>(~first) || in[3] != 0xFC;
}

void setup()
{
    pinMode(SELECT, OUTPUT);
    digitalWrite(SELECT, HIGH);
    Wire.begin();
    SPI.begin();
}

void periodic(wild, 4, 30, TERMINATE)
{
    static uint8_t next;
    int call = next++ % CALLS;
    jobs[call]++;
    for (;;) {
        wrong[call] += call == I2C_BUS ? read_wrongly(0x20) : echoed_wrongly(0x55);
        made[call]++;
    }
}

void loop(1, 10, 60)
{
    wrong[I2C_BUS] += read_wrongly(0x60);
    wrong[SPI_BUS] += echoed_wrongly(0xAA);
    rounds++;
    delay(20);
}
