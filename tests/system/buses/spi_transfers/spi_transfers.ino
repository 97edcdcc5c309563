// Every kind of transfer, once; results as NAME=NUMBER.
#include <SPI.h>
#include <Takt.h>

static const int SELECT = 17;
static uint8_t out[300], in[300];
static uint16_t words_out[20], words_in[20];

static void say(const char *name, long value)
{
    Serial.print(name);
    Serial.print('=');
    Serial.println(value);
}

// The device answers a byte with its complement, one later.
static int wrong(int n)
{
    int count = 0;
    for (int i = 1; i < n; i++)
        count += in[i] != static_cast<uint8_t>(~out[i - 1]);
    return count;
}

static void blocks(uint32_t hz)
{
    const int sizes[] = {1, 7, 8, 9, 20, 300};
    for (int n : sizes) {
        takt_spi_settings settings = {hz, 0, 8, false};
        memset(in, 0, sizeof in);
        unsigned long start = micros();
        say("moved", takt_spi_transfer(0, &settings, SELECT, out, in, n));
        say("us", micros() - start);
        say("wrong", wrong(n));
    }
}

static void formats()
{
    takt_spi_settings settings = {1000000, 3, 12, false};
    for (int i = 0; i < 20; i++)
        words_out[i] = i * 100;
    say("words", takt_spi_transfer(0, &settings, SELECT, words_out, words_in, 20));
    int bad = 0;
    for (int i = 1; i < 20; i++)
        bad += words_in[i] != (~words_out[i - 1] & 0xFFF);
    say("words_wrong", bad);
    say("send_only", takt_spi_transfer(0, &settings, SELECT, words_out, nullptr, 3));
    settings.bits = 8;
    say("receive_only", takt_spi_transfer(0, &settings, SELECT, nullptr, in, 3));
    say("zero", takt_spi_transfer(0, &settings, SELECT, out, in, 0));
}

static void by_arduino()
{
    pinMode(SELECT, OUTPUT);
    SPI.beginTransaction(SPISettings(2000000, LSBFIRST, SPI_MODE1));
    digitalWrite(SELECT, LOW);
    SPI.transfer(0x01); // 0x80 in the device's order
    say("lsb", SPI.transfer(0));
    digitalWrite(SELECT, HIGH);
    SPI.endTransaction();
    SPI.beginTransaction(SPISettings(2000000, MSBFIRST, SPI_MODE2));
    digitalWrite(SELECT, LOW);
    SPI.transfer16(0x1234);
    say("word", SPI.transfer16(0));
    digitalWrite(SELECT, HIGH);
    uint8_t three[] = {1, 2, 3};
    digitalWrite(SELECT, LOW);
    SPI.transfer(three, 3);
    digitalWrite(SELECT, HIGH);
    say("block", three[1] << 8 | three[2]);
    SPI.endTransaction();
    SPI.endTransaction(); // one too many does nothing
    SPI.setBitOrder(MSBFIRST);
    SPI.setDataMode(SPI_MODE0);
    SPI.setClockDivider(SPI_CLOCK_DIV16);
    digitalWrite(SELECT, LOW);
    SPI.transfer(0x55);
    say("legacy", SPI.transfer(0));
    digitalWrite(SELECT, HIGH);
}

static void mistakes()
{
    takt_spi_settings settings = {1000000, 0, 8, false};
    say("einval_bus", takt_spi_transfer(2, &settings, SELECT, out, in, 1));
    say("einval_closed", takt_spi_transfer(1, &settings, SELECT, out, in, 1));
    settings.bits = 3;
    say("einval_bits", takt_spi_transfer(0, &settings, SELECT, out, in, 1));
    settings.bits = 8;
    settings.hz = 1000;
    say("einval_hz", takt_spi_transfer(0, &settings, SELECT, out, in, 1));
    settings.hz = 1000000;
    say("einval_pins", takt_spi_open(0, 10, 11, 12));
    static takt::Mutex mutex;
    mutex.lock();
    int locked = takt_spi_transfer(0, &settings, SELECT, out, in, 1);
    mutex.unlock();
    say("locked", locked);
    SPI.end();
    say("ended", takt_spi_transfer(0, &settings, SELECT, out, in, 1));
}

void setup()
{
#ifdef ARDUINO_TAKT_UNO
    Serial.begin(57600); // faster sending is not covered by the proof
#else
    Serial.begin(1000000);
#endif
    for (int i = 0; i < 300; i++)
        out[i] = i * 7;
    pinMode(SELECT, OUTPUT);
    digitalWrite(SELECT, HIGH);
    SPI.begin();
}

void loop(1, 40, 100)
{
    static bool over;
    if (!over) {
        over = true;
        blocks(250000);
        blocks(8000000);
        formats();
        by_arduino();
        mistakes();
        say("over", 1);
    }
    delay(100);
}
