/*
 * The Arduino API at work: the real kernel on the simulation port, drivers that are tables, virtual
 * time.
 */
#include <Takt.h>
#include <gtest/gtest.h>
#include <takt/time.h>

#include <string>

#include "fake_board.h"
#include "program.h"
#include "serial_gate.h"

extern "C" {
#include <takt/create.h>
}

namespace
{

class Sketch : public testing::Test
{
  protected:
    Sketch() { reset_board(); }
};

} // namespace

extern "C" const struct takt_thread takt_thread_tone;

/* Time */

TEST_F(Sketch, DelayIsNeverEarlyAndBlocksItsOwnLoopOnly)
{
    Program p;
    uint64_t woke = 0;
    int other = 0;
    p.thread([&] {
        delay(100);
        woke = sim_now();
        delay(250_us);
        EXPECT_GE(sim_now() - woke, 250u);
        delay(0);
        sim_leave();
    });
    p.thread([&] {
        for (;;) {
            sim_consume(1000);
            other++;
        }
    });
    EXPECT_EQ(p.run(1000000), SIM_ASKED);
    EXPECT_GE(woke, 100000u);
    EXPECT_LE(woke, 100002u);
    EXPECT_GE(other, 99);
}

TEST_F(Sketch, MillisWrapsAfter49DaysNotAfter71Minutes)
{
    const uint64_t times[] = {0,
                              999,
                              1000,
                              4294967295u,
                              4294967296u,
                              4294967296u * 3 + 123456,
                              uint64_t{4294967295u} * 1000 + 999,
                              uint64_t{4294967296u} * 1000,
                              uint64_t{4294967296u} * 1000 + 5000,
                              uint64_t{1000000} << 32};
    Program p;
    for (uint64_t us : times) {
        board.uptime_offset = us - sim_now();
        EXPECT_EQ(static_cast<uint32_t>(millis()), static_cast<uint32_t>(us / 1000)) << us;
    }
}

/* Pulses */

TEST_F(Sketch, PulseInMeasuresWhileOtherLoopsRun)
{
    Program p;
    unsigned long high = 0, low = 0;
    p.thread([&] {
        for (;;) { /* more urgent, always at work */
            sim_consume(900);
            takt_sleep(100);
        }
    });
    p.thread([&] {
        board.drive(2, true, 1000);
        board.drive(2, false, 3345);
        high = pulseIn(2, HIGH);
        board.drive(2, true, 5000);
        board.drive(2, false, 6000);
        board.drive(2, true, 6017);
        low = pulseIn(2, LOW, 20000);
        sim_leave();
    });
    EXPECT_EQ(p.run(1000000), SIM_ASKED);
    EXPECT_EQ(high, 2345u);
    EXPECT_EQ(low, 17u);
}

TEST_F(Sketch, PulseInIgnoresAPulseUnderWay)
{
    Program p;
    board.pin[2].level = 1;
    p.thread([&] {
        board.drive(2, false, 500);
        board.drive(2, true, 700);
        board.drive(2, false, 850);
        EXPECT_EQ(pulseIn(2, HIGH), 150u);
        sim_leave();
    });
    EXPECT_EQ(p.run(10000), SIM_ASKED);
}

TEST_F(Sketch, PulseInTimesOut)
{
    Program p;
    p.thread([&] {
        EXPECT_EQ(pulseIn(2, HIGH, 5000), 0u);
        EXPECT_GE(sim_now(), 5000u);
        EXPECT_LE(sim_now(), 5010u);
        board.drive(2, true, 6000); /* begins in time, does not end in time */
        board.drive(2, false, 20000);
        EXPECT_EQ(pulseIn(2, HIGH, 5000), 0u);
        EXPECT_EQ(pulseIn(99, HIGH, 5000), 0u);
        EXPECT_LE(sim_now(), 11000u);
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
}

/* Serial */

TEST_F(Sketch, LinesOfTwoLoopsNeverMix)
{
    Program p;
    board.us_per_byte = 100;
    Serial.begin(9600, SERIAL_7E2);
    p.thread([] {
        for (int i = 0; i < 40; i++) {
            Serial.println("the first loop's line");
            delay(1);
        }
        delay(100000000);
    });
    p.thread([] {
        for (int i = 0; i < 60; i++)
            Serial.println(String("second ") + 12345);
        delay(100000000);
    });
    p.thread([] {
        for (int i = 0; i < 60; i++)
            Serial.println(3.14159, 5);
        delay(100000000);
    });
    p.run(10000000);
    EXPECT_EQ(board.port[0].baud, 9600u);
    EXPECT_EQ(board.port[0].data, 7);
    EXPECT_EQ(board.port[0].parity, 2);
    EXPECT_EQ(board.port[0].stop, 2);
    std::string sent = board.port[0].sent;
    int first = 0, second = 0, third = 0;
    while (!sent.empty()) {
        size_t end = sent.find("\r\n");
        ASSERT_NE(end, std::string::npos);
        std::string line = sent.substr(0, end);
        sent.erase(0, end + 2);
        first += line == "the first loop's line";
        second += line == "second 12345";
        third += line == "3.14159";
    }
    EXPECT_EQ(first, 40);
    EXPECT_EQ(second, 60);
    EXPECT_EQ(third, 60);
}

TEST_F(Sketch, PrintingToAClosedPortIsAnError)
{
    Program p;
    p.thread([] {
        EXPECT_EQ(Serial1.print("x"), 0u);
        EXPECT_NE(Serial1.getWriteError(), 0);
        Serial1.clearWriteError();
        EXPECT_EQ(Serial1.getWriteError(), 0);
        EXPECT_EQ(Serial1.availableForWrite(), 0);
        Serial1.begin(115200);
        EXPECT_EQ(Serial1.availableForWrite(), 256);
        EXPECT_EQ(Serial1.write(65), 1u);
        EXPECT_EQ(Serial1.write("B"), 1u);
        Serial1.end();
        EXPECT_FALSE(board.port[1].open);
        sim_leave();
    });
    EXPECT_EQ(p.run(1000), SIM_ASKED);
    EXPECT_EQ(board.port[1].sent, "AB");
    EXPECT_TRUE(Serial);
}

TEST_F(Sketch, SerialInAnInterruptDoesNotWait)
{
    Program p;
    p.thread([] {
        Serial.begin(9600);
        attachInterruptIsr(
            3, [] { Serial.print('!'); }, RISING);
        board.drive(3, true, 100);
        sim_consume(200);
        sim_leave();
    });
    EXPECT_EQ(p.run(1000), SIM_ASKED);
    EXPECT_EQ(board.port[0].sent, "!");
}

/* Pins */

TEST_F(Sketch, DigitalPins)
{
    pinMode(5, OUTPUT);
    EXPECT_EQ(board.pin[5].mode, 1);
    digitalWrite(5, HIGH);
    EXPECT_EQ(digitalRead(5), HIGH);
    digitalWrite(5, LOW);
    EXPECT_EQ(digitalRead(5), LOW);
    pinMode(6, INPUT_PULLUP);
    EXPECT_EQ(board.pin[6].mode, 2);
    pinMode(200, OUTPUT);
    digitalWrite(200, HIGH);
    EXPECT_EQ(digitalRead(200), LOW);
}

TEST_F(Sketch, AnalogPins)
{
    board.pin[26].adc = 4095;
    board.pin[27].adc = 2048;
    EXPECT_EQ(analogRead(A0), 1023);
    EXPECT_EQ(analogRead(0), 1023);
    EXPECT_EQ(analogRead(A1), 512);
    EXPECT_EQ(analogRead(13), 0);
    analogReadResolution(12);
    EXPECT_EQ(analogRead(A0), 4095);
    analogReadResolution(16);
    EXPECT_EQ(analogRead(A1), 32768);
    analogReadResolution(10);

    analogWrite(9, 0);
    EXPECT_EQ(board.pin[9].duty, 0);
    analogWrite(9, 127);
    EXPECT_EQ(board.pin[9].pwm_hz, 490u);
    EXPECT_EQ(board.pin[9].duty, 127 * 257);
    analogWrite(9, 255);
    EXPECT_EQ(board.pin[9].duty, 65535);
    analogWrite(9, 1000);
    EXPECT_EQ(board.pin[9].duty, 65535);
    analogWrite(9, -5);
    EXPECT_EQ(board.pin[9].duty, 0);
    analogWriteResolution(10);
    analogWrite(9, 512);
    EXPECT_EQ(board.pin[9].duty, 512 * 65535 / 1023);
    analogWriteResolution(8);
    digitalWrite(9, HIGH); /* takes the pin back */
    EXPECT_EQ(board.pin[9].pwm_hz, 0u);
    EXPECT_EQ(board.pin[9].mode, OUTPUT);
    EXPECT_EQ(board.pin[9].level, 1);
}

TEST_F(Sketch, ShiftsOutAndIn)
{
    Program p;
    shiftOut(10, 11, MSBFIRST, 0b11010010);
    std::string bits;
    for (auto &write : board.writes)
        if (write.pin == 10)
            bits += write.level ? '1' : '0';
    EXPECT_EQ(bits, "11010010");
    board.writes.clear();
    shiftOut(10, 11, LSBFIRST, 0b11010010);
    bits.clear();
    for (auto &write : board.writes)
        if (write.pin == 10)
            bits += write.level ? '1' : '0';
    EXPECT_EQ(bits, "01001011");
    board.pin[10].level = 1;
    EXPECT_EQ(shiftIn(10, 11, MSBFIRST), 0xFF);
    board.pin[10].level = 0;
    EXPECT_EQ(shiftIn(10, 11, LSBFIRST), 0);
}

/* Tones */

TEST_F(Sketch, TonesEndByThemselves)
{
    Program p;
    p.thread([] { takt_thread_tone.entry(takt_thread_tone.arg); }, 100, 10000);
    p.thread([] {
        tone(8, 440, 200);
        tone(9, 494);
        tone(10, 523, 100);
        tone(99, 523, 100);
        EXPECT_EQ(board.pin[8].pwm_hz, 440u);
        EXPECT_EQ(board.pin[8].duty, 32768);
        delay(99);
        EXPECT_EQ(board.pin[10].pwm_hz, 523u);
        delay(2);
        EXPECT_EQ(board.pin[10].pwm_hz, 0u);
        EXPECT_EQ(board.pin[10].level, 0);
        tone(8, 880, 500); /* anew: the old end no longer counts */
        delay(300);
        EXPECT_EQ(board.pin[8].pwm_hz, 880u);
        delay(202);
        EXPECT_EQ(board.pin[8].pwm_hz, 0u);
        EXPECT_EQ(board.pin[9].pwm_hz, 494u);
        noTone(9);
        EXPECT_EQ(board.pin[9].pwm_hz, 0u);
        noTone(7); /* an ordinary pin is left alone */
        EXPECT_EQ(board.pin[7].mode, -1);
        sim_leave();
    });
    EXPECT_EQ(p.run(10000000), SIM_ASKED);
}

/* Locks */

TEST_F(Sketch, MutexSemaphoreSpinlock)
{
    Program p;
    static Mutex mutex;
    static Semaphore semaphore(1);
    static Spinlock spinlock;
    std::string order;
    p.thread([&] {
        delay(1);
        order += 'a';
        sim_consume(10);
    });
    p.thread([&] {
        {
            Guard guard(mutex);
            sim_consume(5000);
            order += 'b';
        }
        {
            Guard guard(spinlock);
            order += 'c';
        }
        EXPECT_TRUE(semaphore.wait());
        EXPECT_FALSE(semaphore.tryWait());
        EXPECT_FALSE(semaphore.wait(0_us));
        EXPECT_TRUE(semaphore.signal());
        EXPECT_TRUE(semaphore.tryWait());
        sim_leave();
    });
    EXPECT_EQ(p.run(1000000), SIM_ASKED);
    EXPECT_EQ(order, "bac");
}

/* Threads created meanwhile may change its place. */
TEST_F(Sketch, WhoHasAPortGoesOnHavingItWhereverItHasGone)
{
    Program p;
    takt::OwnerLock lock;
    bool other = false;
    p.thread([&] {
        EXPECT_TRUE(lock.acquire());
        EXPECT_EQ(takt_thread_create(p.spare([&] { other = lock.held(); }, 500, 5000)), 0);
        takt_sleep(1000);
        EXPECT_TRUE(lock.held());
        EXPECT_FALSE(other);
        EXPECT_TRUE(lock.acquire());
        lock.release();
        lock.release();
        EXPECT_FALSE(lock.held());
        sim_leave();
    }, 1000, 10000);
    EXPECT_EQ(p.run(1000000), SIM_ASKED);
}
