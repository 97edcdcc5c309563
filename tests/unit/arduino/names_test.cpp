/*
 * loop, task and periodic as other people use them: as members, parameters, types, variables,
 * function pointers, with any number of arguments. And the macro, where it is meant.
 */
#include <Takt.h>
#include <gtest/gtest.h>

namespace
{

/* As in a network client library. */
class Client
{
  public:
    bool loop() { return true; }
    int loop(int timeout) { return timeout; }
    int loop(int a, int b) { return a + b; }
    int loop(int a, int b, int c, int d, int e) { return a + b + c + d + e; }
    bool task = false;
    void periodic(int every) { period = every; }
    int period = 0;
};

/* As in a scheduler library. */
struct Task {
    void (*task)(void *);
    void *argument;
};
typedef void (*task_function)(void *);
void run(task_function task, void *argument)
{
    task(argument);
}
void set_flag(void *flag)
{
    *static_cast<bool *>(flag) = true;
}
void task(void *argument)
{
    set_flag(argument);
}
int periodic(int a, int b)
{
    return a * b;
}
enum class Mode { once, periodic, loop };

/* A variable, a parameter, a label named loop. */
int count_to(int loop)
{
    int n = 0;
again:
    if (n < loop) {
        n++;
        goto again;
    }
    return n;
}

} // namespace

int loop(int a, int b)
{
    return a - b;
}

/* Real-time loops, in every way of writing them. */
void setup() {}

static int passes;
void loop(1, 20, 100, 4096)
{
    passes++;
}
void loop(fast, 500_us, 5_ms, 4096) {}
static void loop(3, 0.5, 100, 4096) {}
#define SENSOR 4
void loop(SENSOR, 70, 100, 4096)
{
    passes += 10;
}

/* Periodic jobs, whose stacks the build would make. */
#define STACK(id) char takt_stack_periodic_##id[8], takt_stack_periodic_##id##_end[1]
extern "C" {
STACK(10);
STACK(quick);
STACK(all);
STACK(told);
STACK(plain);
}
takt::Semaphore overdue;
void periodic(10, 2, 10)
{
    passes += 100;
}
void periodic(quick, 500_us, 5_ms, SKIP) {}
static void periodic(all, 0.5, 100, CONTINUE) {}
void periodic(told, 1, 20, NOTIFY(overdue)) {}
void periodic(plain, 1, 20, NOTIFY) {}

TEST(Names, OfOtherPeopleStayTheirs)
{
    Client client;
    EXPECT_TRUE(client.loop());
    EXPECT_EQ(client.loop(5), 5);
    EXPECT_EQ(client.loop(5, 6), 11);
    EXPECT_EQ(client.loop(1, 2, 3, 4, 5), 15);
    client.periodic(7);
    EXPECT_EQ(client.period, 7);
    client.task = true;
    bool flag = false;
    run(task, &flag);
    EXPECT_TRUE(flag);
    Task one = {task, &flag};
    one.task(one.argument);
    EXPECT_EQ(periodic(3, 4), 12);
    EXPECT_EQ(count_to(3), 3);
    EXPECT_EQ(::loop(9, 4), 5);
    int (*pointer)(int, int) = loop;
    EXPECT_EQ(pointer(1, 1), 0);
    int (Client::*member)(int) = &Client::loop;
    EXPECT_EQ((client.*member)(2), 2);
    EXPECT_NE(Mode::loop, Mode::periodic);
}

TEST(Names, PeriodicJobsBecomeThreads)
{
    EXPECT_STREQ(takt_thread_periodic_10.name, "periodic 10");
    EXPECT_EQ(takt_thread_periodic_10.vcpu, &takt_periodic_of_10.server);
    EXPECT_EQ(takt_periodic_of_10.server.budget, 2000u);
    EXPECT_EQ(takt_periodic_of_10.server.flags, TAKT_PERIODIC_VCPU);
    EXPECT_EQ(takt_periodic_of_10.beat.period, 10000u);
    EXPECT_EQ(takt_periodic_of_10.policy, TAKT_TERMINATE);
    EXPECT_EQ(takt_periodic_of_quick.policy, TAKT_SKIP);
    EXPECT_EQ(takt_periodic_of_quick.server.period, 5000u);
    EXPECT_EQ(takt_periodic_of_all.policy, TAKT_CONTINUE);
    EXPECT_EQ(takt_periodic_of_told.policy, TAKT_NOTIFY);
    EXPECT_EQ(takt_periodic_of_told.notify, overdue.raw());
    EXPECT_EQ(takt_periodic_of_plain.notify, nullptr);
    EXPECT_EQ(takt_thread_periodic_10.entry, takt_periodic_thread);
    passes = 0;
    reinterpret_cast<void (*)()>(takt_thread_periodic_10.arg)();
    EXPECT_EQ(passes, 100);
    passes = 0;
}

TEST(Names, LoopsBecomeThreads)
{
    EXPECT_STREQ(takt_thread_loop_1.name, "loop 1");
    EXPECT_STREQ(takt_thread_loop_fast.name, "loop fast");
    EXPECT_STREQ(takt_thread_loop_4.name, "loop 4");
    EXPECT_EQ(takt_thread_loop_1.vcpu->budget, 20000u);
    EXPECT_EQ(takt_thread_loop_1.vcpu->period, 100000u);
    EXPECT_EQ(takt_thread_loop_fast.vcpu->budget, 500u);
    EXPECT_EQ(takt_thread_loop_fast.vcpu->period, 5000u);
    EXPECT_EQ(takt_thread_loop_3.vcpu->budget, 500u);
    EXPECT_GE(takt_thread_loop_1.stack_end - takt_thread_loop_1.stack, 4096);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(takt_thread_loop_1.stack) % 8, 0u);
    EXPECT_EQ(takt_thread_loop_1.entry, takt_arduino_thread);
    reinterpret_cast<void (*)()>(takt_thread_loop_1.arg)();
    reinterpret_cast<void (*)()>(takt_thread_loop_4.arg)();
    EXPECT_EQ(passes, 11);
}
