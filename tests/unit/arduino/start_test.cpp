/* setup() and the loops: who runs what, when, and serialEvent(). */
#include <Arduino.h>
#include <gtest/gtest.h>
#include <string>

#include "fake_board.h"
#include "program.h"

static std::string order;
static std::string events;
static uint64_t setup_ended;

void setup()
{
    order += 's';
    delay(50); /* the others get to run, and must wait */
    order += 'S';
    setup_ended = sim_now();
}

void serialEvent()
{
    while (Serial.available())
        events += static_cast<char>(Serial.read());
}

void loop(1, 20, 100, 4096)
{
    order += '1';
    delay(100);
}

void loop(2, 20, 200, 4096)
{
    order += '2';
    delay(100);
}

TEST(Start, SetupFirstThenAllLoops)
{
    reset_board();
    Program p;
    p.thread([] { takt_thread_loop_1.entry(takt_thread_loop_1.arg); }, 20000, 100000);
    p.thread([] { takt_thread_loop_2.entry(takt_thread_loop_2.arg); }, 20000, 200000);
    board.receive(0, "hello", 120000);
    p.run(290000);
    EXPECT_EQ(order, "sS121212");
    EXPECT_GE(setup_ended, 50000u);
    EXPECT_EQ(events, "hello");
}
