/*
 * Interrupts with budgets: pins, the bottom half and handlers' threads at work on the simulation
 * port.
 */
#include <Takt.h>
#include <gtest/gtest.h>
#include <takt/pin_events.h>
extern "C" {
#include <takt/create.h>
}
#include <takt/time.h>

#include "fake_board.h"
#include "program.h"

extern const struct takt_thread *takt_table[];
extern "C" const takt::HandlerThread takt_thread_handlers;
extern "C" const struct takt_thread takt_thread_interrupts;

namespace
{

uint32_t rising, any;
std::function<void()> body; /* of `run_body` */

void count_rising()
{
    rising++;
}

void count_any()
{
    any++;
}

void run_body()
{
    body();
}

/* The program is over: what it leaves behind in drivers and lines is not the next one's. */
void forget_all_pins()
{
    struct takt_pin_event event;
    sim_reset(0);
    takt_io_interrupts = TAKT_IO_VCPU_INIT(5, 100);
    for (int pin = 0; pin < NUM_DIGITAL_PINS; pin++)
        detachInterrupt(pin);
    for (int batch = 0; batch < 2; batch++)
        while (takt_pin_events_take(&event))
            continue;
}

/* A handler's thread of its own, as attachInterruptVcpu() makes one. */
struct OwnThread {
    explicit OwnThread(uint32_t c, uint32_t t)
        : stack(32768), vcpu TAKT_VCPU_INIT(c, t, 0)
    {
        auto low = reinterpret_cast<char *>(stack.data());
        thread = {{takt_arduino_handler, nullptr, low, low + 8 * stack.size(), &vcpu, "own"},
                  &state};
    }
    ~OwnThread()
    {
        forget_all_pins();
    }
    std::vector<uint64_t> stack;
    struct takt_vcpu vcpu;
    takt::HandlerState state = {TAKT_SEM_BINARY_INIT(0), 0};
    takt::HandlerThread thread;
};

/* Place 0: the bottom half; place 1: the thread `handlers`, or one given. The sketch's threads
 * follow. */
class Interrupts : public testing::Test
{
  protected:
    ~Interrupts() override { forget_all_pins(); }

    Interrupts()
    {
        rising = any = 0;
        reset_board();
        takt_io_interrupts = TAKT_IO_VCPU_INIT(5, 100);
        takt_thread_handlers.state->wake = TAKT_SEM_BINARY_INIT(0);
        *takt_thread_handlers.thread.vcpu = TAKT_VCPU_INIT(500, 10000, 0);
        place(takt_thread_interrupts);
        place(takt_thread_handlers.thread);
    }

    void thread(std::function<void()> run, uint32_t c = 0, uint32_t t = 0)
    {
        p.thread(std::move(run), c, t);
        places++;
    }

    void place(const struct takt_thread &descriptor)
    {
        thread([] {}, 1, 1000000);
        takt_table[places - 1] = &descriptor;
    }

    int interrupts_of(uint8_t pin) { return board.pin[pin].interrupts; }

    Program p;
    size_t places = 0;
};

/* 1 us high, 1 us low, ... */
void storm(uint8_t pin, uint64_t from, uint64_t to)
{
    if (from == to)
        return;
    interrupt_at(from, [=] {
        board.drive(pin, from % 2 == 0, from);
        storm(pin, from + 1, to);
    });
}

TEST_F(Interrupts, AttachAndDetach)
{
    thread([] {
        attachInterrupt(digitalPinToInterrupt(3), count_rising, RISING);
        attachInterrupt(4, count_any, CHANGE);
        delay(10);
        detachInterrupt(3);
        delay(100000);
    });
    for (uint64_t t = 1000; t < 9000; t += 1000) {
        board.drive(3, t / 1000 % 2, t);
        board.drive(4, t / 1000 % 2, t);
    }
    board.drive(3, true, 12000);
    board.drive(4, true, 12000);
    p.run(20000);
    EXPECT_EQ(rising, 4u);
    EXPECT_EQ(any, 9u);
    EXPECT_EQ(interruptsDelivered(3), 4u);
    EXPECT_EQ(interruptsDelivered(4), 9u);
    EXPECT_EQ(interruptsMerged(4), 0u);
}

/* As constructors of global objects do. */
TEST_F(Interrupts, BeforeTheStartAPinWithoutInterruptsIsRefused)
{
    ASSERT_EQ(takt_thread_count(), 0);
    int number = FakeBoard::NO_EDGES;
    EXPECT_EQ(takt::attach(number, count_any, RISING, takt_thread_handlers), TAKT_EINVAL);
    EXPECT_EQ(takt::attach(3, count_any, RISING, takt_thread_handlers), TAKT_OK);
}

TEST_F(Interrupts, BadArgumentsChangeNothing)
{
    OwnThread stranger(1, 10); /* in no table */
    thread([&] {
        EXPECT_EQ(takt::attach(3, count_rising, RISING, takt_thread_handlers), TAKT_OK);
        EXPECT_EQ(takt::attach(3, nullptr, RISING, takt_thread_handlers), TAKT_EINVAL);
        EXPECT_EQ(takt::attach(3, count_any, 9, takt_thread_handlers), TAKT_EINVAL);
        for (int pin : {-1, 30, 255, 1000, int(FakeBoard::NO_EDGES)}) {
            EXPECT_EQ(takt::attach(pin, count_any, RISING, takt_thread_handlers), TAKT_EINVAL);
            EXPECT_EQ(attachInterruptIsr(pin, count_any, RISING), TAKT_EINVAL);
            detachInterrupt(pin);
            EXPECT_EQ(interruptsDelivered(pin), 0u);
            EXPECT_EQ(interruptsMerged(pin), 0u);
        }
        EXPECT_EQ(attachInterruptIsr(3, nullptr, RISING), TAKT_EINVAL);
        EXPECT_EQ(takt::attach(3, count_any, RISING, stranger.thread), TAKT_EINVAL);
        board.drive(3, true, sim_now());
        delay(1);
        EXPECT_EQ(rising, 1u);
        EXPECT_EQ(any, 0u);
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
}

TEST_F(Interrupts, AttachedTwiceHasTheNewHandler)
{
    thread([] {
        attachInterrupt(3, count_rising, RISING);
        board.drive(3, true, sim_now());
        board.drive(3, false, sim_now() + 1);
        delay(1);
        attachInterrupt(3, count_any, FALLING);
        EXPECT_EQ(interruptsDelivered(3), 0u);
        board.drive(3, true, sim_now());
        board.drive(3, false, sim_now() + 1);
        delay(1);
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
    EXPECT_EQ(rising, 1u);
    EXPECT_EQ(any, 1u);
}

TEST_F(Interrupts, AttachedAnewOnAnotherThread)
{
    OwnThread own(1000, 20000);
    place(own.thread.thread);
    thread([&] {
        attachInterrupt(3, count_rising, RISING);
        EXPECT_EQ(takt::attach(3, count_any, RISING, own.thread), TAKT_OK);
        board.drive(3, true, sim_now());
        delay(1);
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
    EXPECT_EQ(rising, 0u);
    EXPECT_EQ(any, 1u);
}

TEST_F(Interrupts, AThreadOfItsOwnIsForOnePin)
{
    OwnThread own(1000, 20000);
    own.thread.thread.arg = reinterpret_cast<void *>(count_rising);
    place(own.thread.thread);
    thread([&] {
        EXPECT_EQ(takt::attach(3, count_rising, RISING, own.thread), TAKT_OK);
        EXPECT_EQ(takt::attach(4, count_rising, RISING, own.thread), TAKT_EADMIT);
        EXPECT_EQ(takt::attach(3, count_rising, FALLING, own.thread), TAKT_OK);
        detachInterrupt(3);
        EXPECT_EQ(takt::attach(4, count_rising, RISING, own.thread), TAKT_OK);
        board.drive(3, true, sim_now());
        board.drive(3, false, sim_now() + 1);
        board.drive(4, true, sim_now());
        delay(1);
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
    EXPECT_EQ(rising, 1u);
}

/* The thread is more urgent than the handler: the event is in the line when it detaches. */
TEST_F(Interrupts, DetachedWhilePendingIsNotCalled)
{
    thread([] {
        noInterrupts();
        attachInterrupt(3, count_rising, RISING);
        attachInterrupt(4, count_any, RISING);
        board.drive(3, true, sim_now());
        board.drive(4, true, sim_now());
        sim_consume(10);
        detachInterrupt(3); /* noted, not taken */
        interrupts();
        delay(1);
        EXPECT_EQ(any, 1u);
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
    EXPECT_EQ(rising, 0u);
}

TEST_F(Interrupts, DetachedWhileInTheLineIsNotCalled)
{
    OwnThread own(1000, 50000);
    thread([&] {
        takt::attach(3, count_rising, RISING, own.thread);
        board.drive(3, true, sim_now() + 5);
        sim_consume(20); /* the bottom half runs, before its client's rank, the client does not */
        EXPECT_EQ(rising, 0u);
        EXPECT_EQ(interrupts_of(3), 1);
        detachInterrupt(3);
        delay(1);
        EXPECT_EQ(rising, 0u);
        takt::attach(3, count_any, RISING, own.thread);
        delay(1);
        EXPECT_EQ(any, 0u);
        sim_leave();
    }, 20000, 40000);
    place(own.thread.thread);
    EXPECT_EQ(p.run(100000), SIM_ASKED);
}

TEST_F(Interrupts, NoInterruptsHoldsHandlersBack)
{
    thread([] {
        attachInterrupt(3, count_rising, RISING);
        noInterrupts();
        noInterrupts();
        for (int i = 0; i < 10; i++)
            board.drive(3, i % 2 == 0, sim_now() + 100 + 10 * i);
        sim_consume(5000);
        EXPECT_EQ(rising, 0u);
        interrupts();
        delay(1);
        EXPECT_EQ(rising, 1u);
        EXPECT_EQ(interruptsMerged(3), 1u); /* hardware remembers one of four */
        interrupts();
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
}

/* Also where no pin has a handler. */
TEST_F(Interrupts, NoInterruptsHoldsLoopsBack)
{
    uint32_t other = 0;
    thread([&] {
        for (;;) {
            sim_consume(100);
            other++;
        }
    }, 2000, 10000);
    thread([&] {
        delay(25);
        noInterrupts();
        uint32_t before = other;
        sim_consume(30000);
        EXPECT_EQ(other, before);
        interrupts();
        delay(1);
        EXPECT_GT(other, before);
        sim_leave();
    }, 50000, 100000);
    EXPECT_EQ(p.run(200000), SIM_ASKED);
}

/* In an interrupt both do nothing; a section that is open stays so. */
TEST_F(Interrupts, NoInterruptsOfAnInterruptChangesNothing)
{
    body = [] {
        noInterrupts();
        interrupts();
        any++;
    };
    thread([] {
        attachInterruptIsr(3, run_body, RISING);
        board.drive(3, true, sim_now() + 5);
        sim_consume(10);
        EXPECT_EQ(any, 1u);
        {
            takt::Critical section;
            board.drive(3, false, sim_now() + 5);
            board.drive(3, true, sim_now() + 10);
            sim_consume(20);
            EXPECT_EQ(any, 1u) << "it came though interrupts are off";
        }
        EXPECT_EQ(any, 2u);
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
}

/* An event that has been passed on waits too: the handler is less urgent than who switches off. */
TEST_F(Interrupts, NoCallBeginsWhileOff)
{
    OwnThread own(1000, 50000);
    thread([&] {
        takt::attach(3, count_rising, RISING, own.thread);
        board.drive(3, true, sim_now() + 5);
        sim_consume(20);
        noInterrupts();
        sim_consume(5000);
        EXPECT_EQ(rising, 0u);
        interrupts();
        delay(1);
        EXPECT_EQ(rising, 1u);
        sim_leave();
    }, 20000, 40000);
    place(own.thread.thread);
    EXPECT_EQ(p.run(100000), SIM_ASKED);
}

/* Two words that belong together, written by a handler that takes 100 us between them. */
struct Pair {
    uint32_t first, second;
} pair;

void write_pair()
{
    pair.first++;
    sim_consume(100);
    pair.second++;
}

/* The handler's budget ends within many of its calls. */
TEST_F(Interrupts, NoInterruptsWaitsForACallThatHasBegun)
{
    uint32_t reads = 0, torn = 0;
    pair = {};
    thread([&] {
        attachInterrupt(3, write_pair, CHANGE);
        for (;;) {
            noInterrupts();
            uint32_t first = pair.first;
            sim_consume(50);
            torn += first != pair.second;
            interrupts();
            reads++;
            sim_consume(20);
        }
    }, 5000, 10000);
    for (uint32_t at = 1000, edge = 0; at < 500000; at += 100 + edge * 37 % 211)
        board.drive(3, edge++ % 2 == 0, at);
    p.run(500000);
    EXPECT_GT(pair.second, 200u);
    EXPECT_GT(reads, 1000u);
    EXPECT_EQ(torn, 0u);
}

/* While it waits for a call to end no loop has its interrupts off for it. */
TEST_F(Interrupts, OtherLoopsRunWhileItWaitsForACall)
{
    OwnThread own(1000, 50000);
    uint32_t other = 0;
    body = [] { sim_consume(1500); }; /* longer than the budget, which others use up meanwhile */
    thread([&] {
        for (;;) {
            sim_consume(100);
            other++;
        }
    }, 9000, 10000);
    place(own.thread.thread);
    thread([&] {
        takt::attach(3, run_body, RISING, own.thread);
        board.drive(3, true, sim_now());
        delay(15);
        uint32_t before = other;
        noInterrupts();
        EXPECT_GT(other, before + 50);
        interrupts();
        sim_leave();
    });
    EXPECT_EQ(p.run(1000000), SIM_ASKED);
}

/* It does not wait for itself, and what it leaves off comes back with its end. */
TEST_F(Interrupts, AHandlerMayHoldHandlersBack)
{
    body = [] {
        noInterrupts();
        any++;
    };
    thread([] {
        attachInterrupt(3, run_body, RISING);
        delay(10);
        EXPECT_EQ(any, 2u);
        sim_leave();
    });
    for (int i = 0; i < 4; i++)
        board.drive(3, i % 2 == 0, 1000 + 1000u * i);
    EXPECT_EQ(p.run(100000), SIM_ASKED);
}

/* It may have to wait, which it must not do with a mutex. Also where it need not, to be found. */
TEST_F(Interrupts, NoInterruptsWithAMutexIsNamed)
{
    takt::Mutex mutex;
    thread([&] {
        mutex.lock();
        noInterrupts();
    });
    EXPECT_EQ(p.run(1000), SIM_HALT);
    EXPECT_NE(std::string(sim_fatal_line()).find("noInterrupts() with a mutex locked"),
              std::string::npos)
        << sim_fatal_line();
}

/* A job that ends between the two is a whole one: others need what it holds back. */
TEST_F(Interrupts, AJobIsNotEndedWhileItHoldsHandlersBack)
{
    uint32_t begun = 0, whole = 0;
    thread([] {
        attachInterrupt(3, count_rising, RISING);
        delay(1000);
    });
    p.every([&] {
        begun++;
        noInterrupts();
        sim_consume(15000);
        whole++;
        interrupts();
        for (;;)
            sim_consume(10);
    }, 1000, 10000);
    board.drive(3, true, 45000);
    p.run(101000);
    EXPECT_GE(begun, 4u);
    EXPECT_GE(whole + 1, begun);
    EXPECT_EQ(rising, 1u);
}

TEST_F(Interrupts, ShareOfNothingDeliversNothing)
{
    thread([] {
        attachInterrupt(3, count_rising, RISING);
        EXPECT_EQ(takt::setInterruptsVcpu(0, 500000), TAKT_OK);
        board.drive(3, true, sim_now());
        delay(900);
        EXPECT_EQ(rising, 0u);
        EXPECT_EQ(takt::setInterruptsVcpu(1, 0), TAKT_EINVAL);
        EXPECT_EQ(takt::setInterruptsVcpu(2, 1), TAKT_EINVAL);
        EXPECT_EQ(takt::setInterruptsVcpu(5, 100), TAKT_OK);
        delay(900);
        EXPECT_EQ(rising, 1u);
        sim_leave();
    });
    EXPECT_EQ(p.run(4000000), SIM_ASKED);
}

TEST_F(Interrupts, AStormCostsOneInterruptAnEvent)
{
    board.us_per_interrupt = 3;
    uint32_t other = 0;
    thread([&] {
        attachInterrupt(3, count_any, CHANGE);
        for (;;) {
            sim_consume(10);
            other++;
        }
    }, 5000, 10000);
    storm(3, 1000, 100000);
    p.run(101000);
    EXPECT_LE(interrupts_of(3), static_cast<int>(any) + 2);
    EXPECT_GT(interruptsMerged(3), any / 2);
    EXPECT_GE(other, 9u * 500u);
}

TEST_F(Interrupts, NoPinStarvesAnother)
{
    board.us_per_interrupt = 3;
    thread([] {
        attachInterrupt(3, count_any, CHANGE);
        attachInterrupt(20, count_rising, RISING);
        delay(1000);
    });
    storm(3, 1000, 60000);
    for (int i = 0; i < 5; i++) {
        board.drive(20, true, 2000 + 10000u * i);
        board.drive(20, false, 2005 + 10000u * i);
    }
    p.run(61000);
    EXPECT_EQ(rising, 5u);
}

TEST_F(Interrupts, AHandlerThatNeverReturnsUsesItsBudgetOnly)
{
    OwnThread own(1000, 10000);
    place(own.thread.thread);
    uint32_t other = 0;
    body = [] {
        for (;;)
            sim_consume(10);
    };
    thread([&] {
        takt::attach(3, run_body, RISING, own.thread);
        attachInterrupt(4, count_rising, RISING);
        for (;;) {
            sim_consume(10);
            other++;
        }
    }, 8000, 20000);
    board.drive(3, true, 500);
    for (int i = 1; i <= 9; i++) {
        board.drive(4, i % 2, 10000u * i);
        board.drive(3, i % 2 == 0, 10000u * i);
    }
    p.run(200000);
    EXPECT_GE(other, 9u * 800u);
    EXPECT_EQ(rising, 5u);
    EXPECT_EQ(interruptsDelivered(3), 1u);
    EXPECT_EQ(interruptsMerged(3), 1u); /* the pin is masked from then on */
}

TEST_F(Interrupts, AHandlerMayWait)
{
    body = [] {
        delay(2);
        any++;
    };
    thread([] {
        attachInterrupt(3, run_body, RISING);
        delay(100000);
    });
    for (int i = 0; i < 10; i++)
        board.drive(3, i % 2 == 0, 1000 + 500u * i);
    p.run(20000);
    EXPECT_EQ(any, 3u); /* at 1000; waiting since 2000 and 5000 */
    EXPECT_EQ(interruptsDelivered(3) + interruptsMerged(3), 5u);
}

TEST_F(Interrupts, ALevelCallsWhileItLasts)
{
    uint32_t while_low = 0;
    board.us_per_interrupt = 3;
    thread([&] {
        board.pin[3].level = 1;
        body = [] {
            sim_consume(100);
            any++;
        };
        attachInterrupt(3, run_body, LOW);
        delay(1);
        EXPECT_EQ(any, 0u);
        board.drive(3, false, sim_now());
        board.drive(3, true, sim_now() + 50000);
        delay(51);
        while_low = any;
        delay(100);
        EXPECT_EQ(any, while_low);
        sim_leave();
    });
    EXPECT_EQ(p.run(1000000), SIM_ASKED);
    EXPECT_GE(while_low, 5u); /* once for each budget of the bottom half at least */
}

TEST_F(Interrupts, InTheInterruptAndBack)
{
    thread([] {
        board.drive(3, true, sim_now() + 5);
        board.drive(3, false, sim_now() + 25);
        EXPECT_EQ(attachInterruptIsr(3, count_rising, RISING), TAKT_OK);
        noInterrupts();
        sim_consume(10);
        EXPECT_EQ(rising, 0u);
        interrupts();
        EXPECT_EQ(rising, 1u);
        attachInterrupt(3, count_any, FALLING);
        delay(1);
        EXPECT_EQ(any, 1u);
        EXPECT_EQ(attachInterruptIsr(3, count_rising, RISING), TAKT_OK);
        board.drive(3, true, sim_now());
        board.drive(3, false, sim_now() + 1);
        delay(1);
        detachInterrupt(3);
        board.drive(3, true, sim_now());
        delay(1);
        sim_leave();
    });
    EXPECT_EQ(p.run(100000), SIM_ASKED);
    EXPECT_EQ(rising, 2u);
    EXPECT_EQ(any, 1u);
}

/* pulseIn() beside handlers */

TEST_F(Interrupts, PulsesOnOnePinForTwoLoopsAndAHandler)
{
    unsigned long a = 0, b = 0;
    attachInterruptIsr(2, count_rising, RISING);
    thread([&] {
        a = pulseIn(2, HIGH);
        delay(100000);
    });
    thread([&] {
        b = pulseIn(2, LOW);
        delay(100000);
    });
    board.drive(2, true, 100);
    board.drive(2, false, 400);
    board.drive(2, true, 450);
    board.drive(2, false, 900);
    p.run(5000);
    EXPECT_EQ(a, 300u);
    EXPECT_EQ(b, 50u);
    EXPECT_EQ(rising, 2u);
}

TEST_F(Interrupts, PulseInTakesTwoInterrupts)
{
    thread([] {
        storm(2, 1000, 1400);
        board.drive(2, true, 1500);
        board.drive(2, false, 1600);
        delay(1);
        EXPECT_EQ(pulseIn(2, HIGH), 1u);
        EXPECT_EQ(board.pin[2].interrupts, 2);
        delay(1);
        EXPECT_EQ(board.pin[2].interrupts, 2);
        sim_leave();
    });
    EXPECT_EQ(p.run(10000), SIM_ASKED);
}

struct Beside {
    int mode;
    bool masked;             /* the handler's event is not taken before the pulse is over */
    uint32_t calls, merged; /* of the handler, for the edges below */
};

class PulseBeside : public Interrupts, public testing::WithParamInterface<Beside>
{
};

/* Edges: rise 100 (the handler's), fall 200, rise 300, fall 457 (the pulse asked for). */
TEST_P(PulseBeside, AHandlerOnTheSamePin)
{
    thread([] {
        attachInterrupt(2, count_any, GetParam().mode);
        if (GetParam().masked)
            takt::setInterruptsVcpu(0, 100000);
        board.drive(2, true, 100);
        board.drive(2, false, 200);
        board.drive(2, true, 300);
        board.drive(2, false, 457);
        delay(0);
        takt_sleep(150);
        EXPECT_EQ(pulseIn(2, HIGH), 157u);
        EXPECT_LE(board.pin[2].interrupts, GetParam().masked ? 3 : 6);
        takt::setInterruptsVcpu(5000, 100000);
        delay(1);
        sim_leave();
    });
    EXPECT_EQ(p.run(10000), SIM_ASKED);
    EXPECT_EQ(any, GetParam().calls);
    EXPECT_EQ(interruptsDelivered(2), GetParam().calls);
    EXPECT_EQ(interruptsMerged(2), GetParam().merged);
}

INSTANTIATE_TEST_SUITE_P(Modes, PulseBeside,
                         testing::Values(Beside{RISING, false, 2, 0}, Beside{FALLING, false, 2, 0},
                                         Beside{CHANGE, false, 4, 0}, Beside{RISING, true, 1, 1},
                                         Beside{FALLING, true, 1, 1}, Beside{CHANGE, true, 1, 2}));

/* The handler's edge waits for its interrupt while another pulse begins to be awaited. */
TEST_F(Interrupts, AnEdgeAlreadyThereIsNotThePulse)
{
    thread([] {
        attachInterrupt(2, count_rising, RISING);
        {
            takt::Critical section;
            board.drive(2, true, sim_now());
            sim_consume(5);
        }
        board.drive(2, false, 200);
        board.drive(2, true, 300);
        board.drive(2, false, 350);
        EXPECT_EQ(pulseIn(2, HIGH), 50u);
        delay(1);
        EXPECT_EQ(rising, 2u);
        sim_leave();
    });
    EXPECT_EQ(p.run(10000), SIM_ASKED);
}

} // namespace

/* Threads created above a handler's move it down; its pins go with it. */
TEST_F(Interrupts, APinServesItsHandlerWhereverThatHasGone)
{
    uint32_t period = 0;
    thread([&] {
        attachInterrupt(2, count_rising, RISING);
        takt_sleep(1000);
        EXPECT_GE(takt_thread_create(p.spare([] {}, 200, 5000)), 0);
        EXPECT_EQ(takt_place_of(&takt_thread_handlers.thread), 2);
        board.drive(2, true, sim_now() + 100);
        takt_sleep(20000);
        period = takt_io_interrupts.server.period;
        EXPECT_EQ(rising, 1u);
        sim_leave();
    }, 1000, 50000);
    EXPECT_EQ(p.run(1000000), SIM_ASKED);
    EXPECT_EQ(period, 10000u);
}
