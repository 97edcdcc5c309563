#include "program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <takt/create.h>
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/tpipe.h>

namespace
{

int open_end(struct takt_endpoint *, uint8_t, struct takt_pipe *)
{
    return TAKT_OK;
}

const struct takt_endpoint_ops ops = {open_end, nullptr};

/* The paper's adapter: five channels, 4 KB, messages of 64 bytes; served once in a period. */
struct Adapter {
    struct takt_endpoint_attrs attrs = {};
    struct takt_endpoint end = {&attrs, &ops, nullptr, nullptr, "can",
                                nullptr, 8, TAKT_IN, nullptr};
    struct takt_sem wake = TAKT_SEM_BINARY_INIT(0);
    struct takt_pace pace = {0, false};

    Adapter()
    {
        attrs.max_channels = 5;
        attrs.max_tput = 40000000;
        attrs.min_latency = 1000000000;
        attrs.min_ebufsz = attrs.max_ebufsz = 4096;
        attrs.min_pktsz = attrs.max_pktsz = 64;
        attrs.transfer = TAKT_ASKED;
        attrs.interval_us = 1000;
        attrs.top_ns = 2000;
        attrs.bottom_ns = 2000;
        attrs.batch_ns = 10000;
        attrs.packet_ns = 2000;
        attrs.min_period_us = 1000;
        attrs.max_period_us = 20000;
    }
    /* Adds its bottom half and, at its place, its thread; before others with longer periods. */
    void bottom(Program &p, uint16_t numerator = 1, uint16_t denominator = 20)
    {
        p.bottom_half([this, &p] {
            for (;;)
                takt_io_wait(&p.io(0));
        }, numerator, denominator);
    }
    void thread(Program &p, uint32_t c, uint32_t t)
    {
        p.thread([this, t] {
            for (;;)
                takt_pace_wait(&pace, &wake, takt_thread_at(takt_self())->vcpu->period);
        }, c, t);
    }
    void name(uint8_t bottom_place, uint8_t thread_place)
    {
        end.bottom = takt_thread_at(bottom_place);
        end.thread = takt_thread_at(thread_place);
    }
};

struct takt_qos qos(uint64_t rate, uint64_t slots = 128, uint64_t texec_us = 500)
{
    return {1000000000, rate * 512, slots * 64, texec_us * 1000};
}

int jobs;

void *count_job(void *arg)
{
    jobs++;
    uint64_t packet;
    while (takt_pipe_read(takt_pipe_self(), &packet) == TAKT_OK)
        *static_cast<int *>(arg) += 1;
    return nullptr;
}

} // namespace

TEST(Tpipe, CreatesAPipeThatWorks)
{
    Program p;
    Adapter can;
    int got = 0, number = 0;
    jobs = 0;
    can.bottom(p);
    can.thread(p, 200, 6000);
    p.thread([&] {
        can.name(0, 1);
        struct takt_qos asked = qos(2742);
        number = takt_tpipe({&can.end, 4}, &asked, count_job, &got);
        struct takt_pipe *pipe = takt_tpipe_at(number);
        ASSERT_NE(pipe, nullptr) << number << " " << +takt_tpipe_refusal()->reason;
        EXPECT_EQ(pipe->server.budget, 500u + TAKT_START_COST_US);
        EXPECT_LT(pipe->server.period, 24000u);
        EXPECT_GT(pipe->server.period, 10000u);
        takt_sleep(1000);
        EXPECT_EQ(takt_endpoint_pipe(&can.end, 4), pipe);
        uint64_t packet = 0;
        for (int i = 0; i < 100; i++, packet++)
            EXPECT_EQ(takt_pipe_put(pipe, &packet, takt_now()), TAKT_OK);
    }, 5000, 100000);
    EXPECT_EQ(p.run(1000000), SIM_TIME) << sim_fatal_line();
    EXPECT_GE(number, 0x80);
    EXPECT_EQ(got, 100);
    EXPECT_GE(jobs, 1);
}

TEST(Tpipe, ThePaperSNamesDoTheSame)
{
    Program p;
    Adapter can;
    int got = 0;
    can.bottom(p);
    can.thread(p, 200, 6000);
    p.thread([&] {
        can.name(0, 1);
        endpoint_t end = {&can.end, 0};
        qos_t asked = {1000000000, 512 * 1000, 8192, 500000};
        EXPECT_GE(tpipe(end, asked, count_job, &got), 0);
        EXPECT_EQ(tpipe(end, asked, count_job, &got), -1); /* the channel has one */
    }, 5000, 100000);
    p.run(1000000);
}

TEST(Tpipe, GivesTheEndpointTheBudgetAndPeriodItNeeds)
{
    Program p;
    Adapter can;
    int got = 0;
    can.bottom(p);
    can.thread(p, 20, 14000); /* with which 4 KB overflow */
    p.thread([&] {
        can.name(0, 1);
        const struct takt_vcpu *served = can.end.thread->vcpu;
        uint64_t rates[] = {398, 334, 1191, 1334, 2742};
        for (uint8_t i = 0; i < 5; i++) {
            struct takt_qos asked = qos(rates[i]);
            int number = takt_tpipe({&can.end, i}, &asked, count_job, &got);
            ASSERT_GE(number, 0) << +i << ": " << +takt_tpipe_refusal()->reason << " "
                                 << takt_tpipe_refusal()->value << " of "
                                 << takt_tpipe_refusal()->limit;
            EXPECT_LE(takt_tpipe_bounds(number)->peak, 128u);
            if (i == 0) {
                EXPECT_EQ(served->period, 14000u);
            }
        }
        EXPECT_LT(served->period, 10000u); /* all of Table I */
        EXPECT_GT(served->budget, 20u);
    }, 5000, 100000);
    EXPECT_EQ(p.run(2000000), SIM_TIME) << sim_fatal_line();
}

TEST(Tpipe, A14MsPeriodIsRefusedWhereTheDeviceAllowsNoShorterOne)
{
    Program p;
    Adapter can;
    int got = 0;
    can.attrs.min_period_us = 14000;
    can.bottom(p);
    can.thread(p, 1000, 14000);
    p.thread([&] {
        can.name(0, 1);
        struct takt_qos small = qos(2000), large = qos(3995);
        EXPECT_GE(takt_tpipe({&can.end, 0}, &small, count_job, &got), 0);
        EXPECT_EQ(takt_tpipe({&can.end, 1}, &large, count_job, &got), TAKT_EADMIT);
        EXPECT_EQ(takt_tpipe_refusal()->reason, TAKT_PIPE_LOSES);
        EXPECT_EQ(takt_tpipe_refusal()->limit, 64u);
        EXPECT_GT(takt_tpipe_refusal()->value, 14000 * 5995 / 1000000);
        EXPECT_EQ(can.end.thread->vcpu->period, 14000u);
    }, 5000, 100000);
    p.run(1000000);
}

TEST(Tpipe, RefusesWhatTheEndpointCannotDo)
{
    Program p;
    Adapter can;
    int got = 0;
    can.bottom(p);
    can.thread(p, 200, 6000);
    p.thread([&] {
        can.name(0, 1);
        struct {
            uint8_t channel;
            struct takt_qos asked;
            int result, reason;
        } cases[] = {
            {5, qos(100), TAKT_EINVAL, TAKT_PIPE_NO_CHANNEL},
            {0, qos(0), TAKT_EINVAL, TAKT_PIPE_NO_RATE},
            {0, {0, 512, 8192, 1000}, TAKT_EINVAL, TAKT_PIPE_NO_LATENCY},
            {0, {1000000000, 51200, 63, 1000}, TAKT_EINVAL, TAKT_PIPE_NO_PACKET},
            {0, qos(100000), TAKT_EINVAL, TAKT_PIPE_TOO_MUCH},
            {0, qos(2742, 128, 40000), TAKT_EINVAL, TAKT_PIPE_TOO_LONG},
            {0, qos(2742, 128, 0), TAKT_EINVAL, TAKT_PIPE_NO_TIME},
            {0, {5000000, 512, 8192, 1000}, TAKT_EINVAL, TAKT_PIPE_TOO_SOON},
            {0, qos(10, 1000000), TAKT_EINVAL, TAKT_PIPE_NO_PACKET},
            {0, qos(10, 10000), TAKT_ENOSPACE, 0},
            {0, qos(2742, 200, 30000), TAKT_EADMIT, TAKT_PIPE_NOT_ADMITTED},
        };
        for (auto &c : cases) {
            EXPECT_EQ(takt_tpipe({&can.end, c.channel}, &c.asked, count_job, &got), c.result)
                << c.reason;
            EXPECT_EQ(takt_tpipe_refusal()->reason, c.reason);
        }
        EXPECT_EQ(takt_tpipe({nullptr, 0}, &cases[0].asked, count_job, &got), TAKT_EINVAL);
        EXPECT_EQ(can.end.pipes, nullptr);
        EXPECT_EQ(takt_thread_count(), 4);
    }, 5000, 100000);
    p.thread([] { takt_sleep(1); }, 60000, 200000);
    p.run(1000000);
}

TEST(Tpipe, HasRoomForSoManyAndNoMore)
{
    Program p;
    Adapter can;
    int got = 0, made = 0;
    can.attrs.max_channels = 100;
    can.bottom(p);
    can.thread(p, 1000, 6000);
    p.thread([&] {
        can.name(0, 1);
        struct takt_qos asked = qos(10, 128, 10);
        int result = 0;
        for (uint8_t i = 0; result >= 0; i++) {
            result = takt_tpipe({&can.end, i}, &asked, count_job, &got);
            made += result >= 0;
        }
        EXPECT_EQ(result, TAKT_ENOSPACE);
    }, 5000, 100000);
    p.run(1000000);
    EXPECT_EQ(made, TAKT_TPIPES);
}

TEST(Tpipe, GivesTheBottomHalfTheShareItNeeds)
{
    Program p;
    Adapter can;
    int got = 0;
    can.bottom(p, 1, 1000); /* budgets of 6 us each 6 ms: far too late */
    can.thread(p, 200, 6000);
    p.thread([&] {
        can.name(0, 1);
        struct takt_qos asked = qos(4000, 64, 100);
        EXPECT_GE(takt_tpipe({&can.end, 0}, &asked, count_job, &got), 0)
            << +takt_tpipe_refusal()->reason;
        EXPECT_GT(p.io(0).share.numerator * 1000, p.io(0).share.denominator);
    }, 5000, 100000);
    p.run(2000000);
}

/* Those it serves already lose nothing meanwhile. */
TEST(Tpipe, TheBottomHalfGoesOnWhileItIsGivenMore)
{
    Program p;
    Adapter can;
    int got = 0;
    uint64_t last = 0, longest = 0;
    p.bottom_half([&] {
        for (;;) {
            takt_io_wait(&p.io(0));
            longest = std::max(longest, sim_now() - last);
            last = sim_now();
        }
    }, 1, 1000);
    can.thread(p, 200, 6000);
    p.thread([&] {
        can.name(0, 1);
        takt_sleep(50000);
        struct takt_qos asked = qos(4000, 64, 100);
        EXPECT_GE(takt_tpipe({&can.end, 0}, &asked, count_job, &got), 0);
        EXPECT_GT(p.io(0).share.numerator * 1000, p.io(0).share.denominator);
    }, 5000, 100000);
    p.thread([&] {
        for (;;) {
            takt_sleep(4000);
            takt_io_raise(&p.io(0), can.end.thread);
        }
    }, 5000, 200000);
    p.run(1000000);
    EXPECT_GT(last, 900000u);
    EXPECT_LT(longest, 20000u);
}

/* What is sent is acknowledged by way of the input, whose device has room for both. */
TEST(Tpipe, AcknowledgementsOfWhatIsSentTakeRoomOfTheInput)
{
    Program p;
    Adapter can, out;
    int got = 0;
    can.end.driver = out.end.driver = &can;
    can.attrs.min_period_us = 6000;
    can.attrs.delay_us = out.attrs.delay_us = 20000;
    out.end.direction = TAKT_OUT;
    out.attrs.transfer = TAKT_PUSHED;
    out.attrs.min_ebufsz = 0;
    out.attrs.max_ebufsz = 64 * 100;
    out.attrs.echo_bytes = 32;
    can.bottom(p);
    can.thread(p, 1000, 6000);
    p.thread([&] {
        can.name(0, 1);
        struct takt_qos in = qos(5000), some = qos(500), many = qos(1000), more = qos(2500);
        EXPECT_GE(takt_tpipe({&can.end, 0}, &in, count_job, &got), 0);
        EXPECT_GE(takt_tpipe({&out.end, 0}, &some, count_job, &got), 0); /* 21 x 32 bytes */
        EXPECT_EQ(takt_tpipe({&out.end, 1}, &many, count_job, &got), TAKT_EADMIT);
        EXPECT_EQ(takt_tpipe_refusal()->reason, TAKT_PIPE_LOSES);
        EXPECT_EQ(takt_tpipe_refusal()->limit, 64u);
        EXPECT_EQ(takt_tpipe({&out.end, 1}, &more, count_job, &got), TAKT_EADMIT);
        EXPECT_EQ(takt_tpipe_refusal()->reason, TAKT_PIPE_WAITS);
        EXPECT_EQ(takt_tpipe_refusal()->value, 101u);
        EXPECT_EQ(takt_tpipe_refusal()->limit, 100u);
    }, 5000, 100000);
    EXPECT_EQ(p.run(1000000), SIM_TIME) << sim_fatal_line();
}

TEST(Tpipe, SaysWhy)
{
    Program p;
    Adapter can;
    int got = 0;
    std::string why;
    can.attrs.min_period_us = 14000;
    can.bottom(p);
    can.thread(p, 1000, 14000);
    p.thread([&] {
        char text[200], little[12];
        can.name(0, 1);
        struct takt_qos asked = qos(5995);
        EXPECT_EQ(takt_tpipe({&can.end, 0}, &asked, count_job, &got), TAKT_EADMIT);
        why = takt_tpipe_why(text, sizeof text);
        EXPECT_EQ(std::string(takt_tpipe_why(little, sizeof little)), why.substr(0, 11));
    }, 5000, 100000);
    p.run(1000000);
    EXPECT_EQ(why, "the device would lose packets: 95 may wait in it, which holds 64");
}

TEST(Tpipe, ChangesTheEndpointSBudgetWhoeverComesMeanwhile)
{
    Program p;
    Adapter can;
    int got = 0, number = 0, place = 0;
    const struct takt_thread *newcomer = nullptr;
    can.bottom(p);
    can.thread(p, 20, 14000);
    p.thread([&] {
        can.name(0, 1);
        struct takt_qos asked = qos(5995);
        number = takt_tpipe({&can.end, 0}, &asked, count_job, &got); /* for some 100 ms */
        EXPECT_LT(can.end.thread->vcpu->period, 14000u);
        EXPECT_GT(can.end.thread->vcpu->budget, 20u);
    }, 5000, 100000);
    p.thread([&] {
        takt_sleep(20000);
        newcomer = p.spare([] { takt_sleep(10000000); }, 10, 1000);
        place = takt_thread_create(newcomer);
    }, 1000, 100000);
    EXPECT_EQ(p.run(1000000), SIM_TIME) << sim_fatal_line();
    EXPECT_GE(number, 0x80);
    EXPECT_EQ(place, 1); /* where the endpoint's thread was */
    EXPECT_EQ(newcomer->vcpu->budget, 10u);
    EXPECT_EQ(newcomer->vcpu->period, 1000u);
}

/* What is tried once two pipes are there, and the reason for which it is refused. */
static int later(std::function<int(Program &, Adapter &, int)> change, uint32_t more_c = 100)
{
    Program p;
    Adapter can;
    int got = 0, result = 0;
    can.bottom(p);
    p.thread([] {
        for (;;)
            takt_sleep(5000);
    }, more_c, 5000);
    can.thread(p, 200, 6000);
    p.thread([&] {
        can.name(0, 2);
        struct takt_qos first = qos(2742), second = qos(3253);
        EXPECT_GE(takt_tpipe({&can.end, 0}, &first, count_job, &got), 0);
        int number = takt_tpipe({&can.end, 1}, &second, count_job, &got);
        EXPECT_GE(number, 0) << +takt_tpipe_refusal()->reason;
        result = change(p, can, number);
    }, 5000, 100000);
    EXPECT_EQ(p.run(2000000), SIM_TIME) << sim_fatal_line();
    return result;
}

TEST(Tpipe, ALaterThreadIsRefusedWhereAPipeWouldLosePackets)
{
    later([](Program &p, Adapter &, int) {
        uint8_t count = takt_thread_count();
        EXPECT_EQ(takt_thread_create(p.spare([] {}, 3000, 5000)), TAKT_EADMIT);
        EXPECT_EQ(takt_tpipe_refusal()->reason, TAKT_PIPE_OVERFLOWS);
        EXPECT_EQ(takt_tpipe_refusal()->limit, 128u);
        EXPECT_GT(takt_tpipe_refusal()->value, 128u);
        EXPECT_EQ(takt_thread_count(), count);
        return 0;
    });
}

TEST(Tpipe, ALaterThreadThatDisturbsNoPipeIsAdmittedAndItsBoundsFollow)
{
    later([](Program &p, Adapter &, int number) {
        uint32_t before = takt_tpipe_bounds(number)->delay_us;
        EXPECT_GE(takt_thread_create(p.spare([] { takt_sleep(5000000); }, 200, 4000)), 0);
        EXPECT_GE(takt_tpipe_bounds(number)->delay_us, before + 200);
        before = takt_tpipe_bounds(number)->delay_us;
        EXPECT_GE(takt_thread_create(p.spare([] { takt_sleep(5000000); }, 200, 200000)), 0);
        EXPECT_EQ(takt_tpipe_bounds(number)->delay_us, before); /* it is less urgent */
        return 0;
    });
}

TEST(Tpipe, BoundsFollowTheBottomHalfsShare)
{
    later([](Program &p, Adapter &, int number) {
        uint32_t before = takt_tpipe_bounds(number)->delay_us;
        const struct takt_io_fraction share = p.io(0).share;
        uint32_t more = 1000000 / share.denominator * share.numerator * 3 / 2;
        EXPECT_EQ(takt_io_set_share(&p.io(0), more, 1000000), TAKT_OK);
        EXPECT_NE(takt_tpipe_bounds(number)->delay_us, before);
        return 0;
    });
}

TEST(Tpipe, ALaterBudgetIsRefusedWhereAPipeWouldLosePackets)
{
    later([](Program &, Adapter &can, int number) {
        EXPECT_EQ(takt_vcpu_set_budget(1, 3300), TAKT_EADMIT);
        EXPECT_EQ(takt_tpipe_refusal()->reason, TAKT_PIPE_OVERFLOWS);
        EXPECT_EQ(takt_vcpu_set_budget(2, 50), TAKT_EADMIT);
        EXPECT_EQ(takt_tpipe_refusal()->reason, TAKT_PIPE_SLOW);
        uint8_t own = takt_place_of(takt_tpipe_thread(number));
        EXPECT_EQ(takt_vcpu_set_budget(own, 400), TAKT_EADMIT);
        EXPECT_EQ(takt_tpipe_refusal()->reason, TAKT_PIPE_SHORT);
        EXPECT_EQ(takt_tpipe_refusal()->value, 500u);
        EXPECT_EQ(takt_tpipe_refusal()->limit, 400u);
        EXPECT_EQ(takt_vcpu_set_budget(1, 150), TAKT_OK);
        return 0;
    });
}

TEST(Tpipe, ARefusalForPipesIsToldFromOneOfTheExactTest)
{
    later([](Program &p, Adapter &, int) {
        EXPECT_EQ(takt_thread_create(p.spare([] {}, 4999, 5000)), TAKT_EADMIT);
        EXPECT_EQ(takt_tpipe_refusal()->reason, TAKT_PIPE_NOT_ADMITTED);
        return 0;
    });
}

TEST(Tpipe, CountsAllWhomTheBottomHalfServes)
{
    Program p;
    Adapter can, other;
    int got = 0;
    uint32_t alone = 0, beside = 0;
    can.attrs.bottom_ns = other.attrs.bottom_ns = 20000;
    can.bottom(p, 1, 20); /* 50 us in every interval: enough for one of them */
    can.thread(p, 300, 6000);
    p.thread([&] {
        for (;;)
            takt_sleep(50000);
    }, 500, 50000);
    p.thread([&] {
        can.name(0, 1);
        other.name(0, 2);
        struct takt_qos small = qos(100);
        int number = takt_tpipe({&can.end, 0}, &small, count_job, &got);
        ASSERT_GE(number, 0);
        alone = takt_tpipe_bounds(number)->delay_us;
        other.attrs.min_ebufsz = 0;
        other.attrs.min_period_us = 50000;
        ASSERT_GE(takt_tpipe({&other.end, 0}, &small, count_job, &got), 0)
            << +takt_tpipe_refusal()->reason;
        beside = takt_tpipe_bounds(number)->delay_us;
    }, 5000, 100000);
    EXPECT_EQ(p.run(2000000), SIM_TIME) << sim_fatal_line();
    EXPECT_GE(beside, alone + 20);
}

TEST(Tpipe, WhereThereIsNoRoomForItsThreadNothingIsChanged)
{
    Program p;
    Adapter can;
    int got = 0;
    can.bottom(p);
    can.thread(p, 20, 14000);
    p.thread([&] {
        can.name(0, 1);
        while (takt_thread_count() < TAKT_PLACES)
            ASSERT_GE(takt_thread_create(p.spare([] { takt_sleep(10000000); })), 0);
        struct takt_qos asked = qos(5995);
        takt_time_t before = takt_now();
        EXPECT_EQ(takt_tpipe({&can.end, 0}, &asked, count_job, &got), TAKT_ENOSPACE);
        EXPECT_EQ(takt_now(), before);
        EXPECT_EQ(can.end.thread->vcpu->period, 14000u);
        EXPECT_EQ(can.end.thread->vcpu->budget, 20u);
    }, 5000, 100000);
    EXPECT_EQ(p.run(1000000), SIM_TIME) << sim_fatal_line();
}
