#include "program.h"

#include <cstring>

#include <gtest/gtest.h>
#include <takt/sem.h>
#include <takt/time.h>

namespace
{

int opened; /* what open() gives */
int kicks;
std::function<void()> while_opening; /* when open() has made up its mind */

int open_end(struct takt_endpoint *, uint8_t, struct takt_pipe *)
{
    int result = opened;
    if (while_opening)
        while_opening();
    return result;
}

void kick_end(struct takt_endpoint *, uint8_t)
{
    kicks++;
}

const struct takt_endpoint_ops ops = {open_end, kick_end};

struct takt_endpoint endpoint(uint8_t direction = TAKT_IN, uint16_t packet = 1)
{
    opened = TAKT_OK;
    while_opening = nullptr;
    kicks = 0;
    return {nullptr, &ops, nullptr, nullptr, "test", nullptr, packet, direction, nullptr};
}

void put_isr_at(uint64_t at, Program &p, size_t place, const char *text)
{
    interrupt_at(at, [&p, place, text] {
        takt_pipe_put_isr(&p.pipe_at(place), text, strlen(text), takt_now());
    });
}

/* A device whose packets come at most `rate` per second: one at each of `times`, us. */
struct Device {
    struct takt_pipe *pipe;
    std::vector<uint64_t> times; /* ascending, of arrival at the device */
    std::vector<uint64_t> put;   /* when the endpoint has them in the buffer, ascending */
    size_t next = 0;

    void start() { sim_interrupt_at(put[0], interrupt, this); }
    static void interrupt(void *arg)
    {
        auto *d = static_cast<Device *>(arg);
        for (; d->next < d->put.size() && d->put[d->next] <= sim_now(); d->next++)
            takt_pipe_put_isr(d->pipe, "x", 1,
                              takt_now() - static_cast<uint32_t>(sim_now() - d->times[d->next]));
        if (d->next < d->put.size())
            sim_interrupt_at(d->put[d->next], interrupt, d);
    }
};

std::string read_all(struct takt_pipe &pipe)
{
    std::string got;
    for (char c; takt_pipe_read(&pipe, &c) == TAKT_OK;)
        got += c;
    return got;
}

} // namespace

TEST(Pipe, WakesItsThreadForWhatArrivesOncePerPeriodAtMost)
{
    Program p;
    auto end = endpoint();
    std::vector<std::pair<uint64_t, std::string>> jobs;
    p.pipe([&] { jobs.emplace_back(sim_now(), read_all(p.pipe_at(0))); }, 100, 1000, end, 16);
    for (auto &[at, text] : std::vector<std::pair<uint64_t, const char *>>{
             {5000, "a"}, {5100, "b"}, {5900, "cd"}, {6500, "e"}, {20000, "f"}})
        put_isr_at(at, p, 0, text);
    p.run(30000);
    ASSERT_EQ(jobs.size(), 4u);
    EXPECT_EQ(jobs[0], std::make_pair(uint64_t{5000}, std::string("a")));
    EXPECT_EQ(jobs[1].second, "bcd");
    EXPECT_GE(jobs[1].first, 6000u);
    EXPECT_LE(jobs[1].first, 6001u);
    EXPECT_EQ(jobs[2].second, "e");
    EXPECT_GE(jobs[2].first, jobs[1].first + 1000);
    EXPECT_EQ(jobs[3], std::make_pair(uint64_t{20000}, std::string("f")));
    EXPECT_EQ(p.pipe_at(0).stats.put, 6u);
    EXPECT_EQ(p.pipe_at(0).stats.taken, 6u);
    EXPECT_EQ(p.pipe_at(0).stats.peak, 3u);
}

TEST(Pipe, CountsWhatFindsItFull)
{
    Program p;
    auto end = endpoint();
    std::string got;
    p.pipe([&] { got += read_all(p.pipe_at(0)); }, 100, 10000, end, 4);
    put_isr_at(1000, p, 0, "abcdefg");
    p.run(20000);
    EXPECT_EQ(got, "abcd");
    EXPECT_EQ(p.pipe_at(0).stats.overflow, 3u);
    EXPECT_EQ(p.values(TAKT_EV_OVERFLOW, 0), std::vector<uint32_t>{3});
    EXPECT_EQ(p.values(TAKT_EV_TAKEN, 0), std::vector<uint32_t>{4});
}

TEST(Pipe, TakesPacketsFromAThread)
{
    Program p;
    auto end = endpoint(TAKT_IN, 8);
    std::vector<uint64_t> got;
    p.pipe([&] {
        for (uint64_t packet; takt_pipe_read(&p.pipe_at(0), &packet) == TAKT_OK;)
            got.push_back(packet);
    }, 100, 1000, end, 4, 8);
    p.thread([&] {
        for (uint64_t i = 0; i < 10; i++) {
            takt_sleep(900);
            EXPECT_EQ(takt_pipe_put(takt_endpoint_pipe(&end, 0), &i, takt_now() - 7), TAKT_OK);
        }
    }, 500, 20000);
    p.run(40000);
    EXPECT_EQ(got, (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(p.values(TAKT_EV_ARRIVE, 0), std::vector<uint32_t>(10, 1u << 20 | 7));
}

TEST(Pipe, TellsOfAnUnpluggedDeviceAndRecovers)
{
    Program p;
    auto end = endpoint();
    std::vector<int> ends;
    std::string got;
    p.pipe([&] {
        char c;
        int result;
        while ((result = takt_pipe_read(&p.pipe_at(0), &c)) == TAKT_OK)
            got += c;
        ends.push_back(result);
    }, 100, 1000, end, 8);
    p.thread([&] {
        takt_sleep(5000);
        takt_endpoint_gone(&end);
        takt_sleep(20000);
        takt_endpoint_ready(&end);
    }, 100, 2000);
    put_isr_at(1000, p, 0, "a");
    put_isr_at(30000, p, 0, "b");
    p.run(50000);
    EXPECT_EQ(got, "ab");
    EXPECT_EQ(ends, (std::vector<int>{TAKT_EAGAIN, TAKT_EGONE, TAKT_EAGAIN})); /* told once */
}

TEST(Pipe, GivesWhatIsLeftBeforeItTellsThatTheDeviceIsGone)
{
    Program p;
    auto end = endpoint();
    std::string got;
    int last = TAKT_OK;
    p.pipe([&] {
        char c;
        while ((last = takt_pipe_read(&p.pipe_at(0), &c)) == TAKT_OK)
            got += c;
    }, 100, 10000, end, 8);
    put_isr_at(1000, p, 0, "a");
    put_isr_at(2000, p, 0, "bc");
    p.thread([&] {
        takt_sleep(3000);
        takt_endpoint_gone(&end);
    }, 100, 20000);
    p.run(50000);
    EXPECT_EQ(got, "abc");
    EXPECT_EQ(last, TAKT_EGONE);
}

TEST(Pipe, ADeviceThatCannotBeOpenedIsToldToo)
{
    Program p;
    auto end = endpoint();
    int result = TAKT_OK;
    p.pipe([&] {
        char c;
        result = takt_pipe_read(&p.pipe_at(0), &c);
    }, 100, 1000, end, 8);
    opened = TAKT_EINVAL;
    p.run(5000);
    EXPECT_EQ(result, TAKT_EINVAL);
}

TEST(Pipe, ADeviceThatComesWhileThePipeIsOpenedIsHeard)
{
    Program p;
    auto end = endpoint();
    std::string got;
    p.pipe([&] { got += read_all(p.pipe_at(0)); }, 100, 1000, end, 8);
    p.thread([&] {
        takt_sleep(100);
        opened = TAKT_OK;
        takt_endpoint_ready(&end);
    }, 100, 2000);
    opened = TAKT_EGONE; /* it was not there yet */
    while_opening = [] { takt_sleep(300); };
    put_isr_at(2000, p, 0, "a");
    put_isr_at(4000, p, 0, "b");
    p.run(10000);
    EXPECT_EQ(got, "ab");
    EXPECT_EQ(p.pipe_at(0).error, TAKT_OK);
}

TEST(Pipe, ADeviceThatGoesWhileThePipeIsOpenedIsToldOf)
{
    Program p;
    auto end = endpoint();
    std::vector<int> results;
    p.pipe([&] {
        char c;
        results.push_back(takt_pipe_read(&p.pipe_at(0), &c));
    }, 100, 1000, end, 8);
    p.thread([&] {
        takt_sleep(100);
        takt_endpoint_gone(&end);
    }, 100, 2000);
    while_opening = [] { takt_sleep(300); };
    p.run(10000);
    EXPECT_EQ(results, std::vector<int>{TAKT_EGONE});
}

TEST(Pipe, WhatCouldNotBeOpenedStaysSoWhenTheDeviceComes)
{
    Program p;
    auto end = endpoint();
    p.pipe([&] { read_all(p.pipe_at(0)); }, 100, 1000, end, 8);
    p.thread([&] {
        takt_sleep(100);
        takt_endpoint_ready(&end);
        takt_sleep(5000);
        takt_endpoint_gone(&end);
        takt_endpoint_ready(&end);
    }, 100, 2000);
    opened = TAKT_EINVAL;
    while_opening = [] { takt_sleep(300); };
    p.run(10000);
    EXPECT_EQ(p.pipe_at(0).error, TAKT_EINVAL);
}

TEST(Pipe, CountsMorePacketsThanOneEventOfTheTraceHolds)
{
    constexpr uint32_t n = 10000;
    Program p;
    auto end = endpoint();
    static const std::string many(n, 'x');
    p.pipe([&] { read_all(p.pipe_at(0)); }, 100, 100000, end, n);
    put_isr_at(1000, p, 0, many.c_str());
    p.run(3000);
    uint32_t seen = 0;
    for (uint32_t value : p.values(TAKT_EV_ARRIVE, 0))
        seen += value >> 20;
    EXPECT_EQ(seen, n);
    EXPECT_EQ(p.pipe_at(0).stats.put, n);
}

TEST(Pipe, WritesAsSoonAsThereIsRoomOncePerPeriodAtMost)
{
    Program p;
    auto end = endpoint(TAKT_OUT);
    std::vector<uint64_t> jobs;
    char next = 'a';
    std::string sent;
    p.pipe([&] {
        jobs.push_back(sim_now());
        while (takt_pipe_write(&p.pipe_at(0), &next) == TAKT_OK)
            next++;
    }, 100, 1000, end, 4);
    for (uint64_t at = 500; at <= 5000; at += 500)
        interrupt_at(at, [&] {
            char c;
            if (takt_pipe_take(&p.pipe_at(0), &c) == TAKT_OK)
                sent += c;
        });
    p.run(4400);
    EXPECT_EQ(sent, "abcdefgh");
    EXPECT_EQ(kicks, 1);
    for (size_t i = 1; i < jobs.size(); i++)
        EXPECT_GE(jobs[i] - jobs[i - 1], 1000u);
    EXPECT_EQ(jobs.size(), 5u);
}

TEST(Pipe, EachDirectionRefusesTheOther)
{
    Program p;
    auto in = endpoint(), out = endpoint(TAKT_OUT);
    char c = 'x';
    p.pipe([&] { EXPECT_EQ(takt_pipe_write(&p.pipe_at(0), &c), TAKT_EINVAL); }, 100, 1000, in, 4);
    p.pipe([&] { EXPECT_EQ(takt_pipe_read(&p.pipe_at(1), &c), TAKT_EINVAL); }, 100, 1000, out, 4);
    put_isr_at(100, p, 0, "a");
    p.run(3000);
}

TEST(Pipe, KnowsItselfAndItsChannel)
{
    Program p;
    auto end = endpoint();
    int right = 0;
    for (uint8_t i = 0; i < 3; i++)
        p.pipe([&, i] {
            right += takt_pipe_self() == &p.pipe_at(i);
            read_all(p.pipe_at(i));
        }, 100, 1000, end, 4, 1, i);
    p.thread([&] {
        EXPECT_EQ(takt_pipe_self(), nullptr);
        for (uint8_t i = 0; i < 3; i++) {
            EXPECT_EQ(takt_endpoint_pipe(&end, i), &p.pipe_at(i));
            takt_pipe_put(takt_endpoint_pipe(&end, i), "x", takt_now());
        }
        EXPECT_EQ(takt_endpoint_pipe(&end, 3), nullptr);
    }, 100, 2000);
    p.run(3000);
    EXPECT_EQ(right, 3);
}

TEST(Pipe, NoArrivalIsMissedWhenItWaits)
{
    for (uint64_t at = 990; at < 1020; at++) { /* about the end of its rest */
        Program p;
        auto end = endpoint();
        std::string got;
        p.pipe([&] {
            got += read_all(p.pipe_at(0));
            sim_consume(3);
        }, 100, 1000, end, 4);
        put_isr_at(5, p, 0, "a");
        put_isr_at(5 + at, p, 0, "b");
        p.run(5000);
        EXPECT_EQ(got, "ab") << at;
    }
}

TEST(Pipe, ThePaperSPeriodLosesWhatTheSafeOneDoesNot)
{
    constexpr uint64_t latency = 1000000000, exec = 2000000;
    for (uint64_t rate : {2752, 3073}) {
        uint32_t paper = TAKT_PIPE_PAPER_US(128, 512, rate * 512, latency);
        uint32_t safe = TAKT_PIPE_PERIOD_US(128, 512, rate * 512, latency, exec, 0);
        EXPECT_EQ(paper / 1000, rate == 2752 ? 46u : 41u); /* as printed in section IV-B */
        EXPECT_EQ(safe / 1000, rate == 2752 ? 24u : 21u);
        for (uint32_t period : {paper, safe}) {
            Program p;
            auto end = endpoint();
            uint32_t busy = period - 2100; /* of a loop that comes just before the next job */
            p.thread([&] {
                takt_sleep(100099); /* the first job is over */
                for (;;) {
                    sim_consume(busy);
                    takt_sleep(period - 100 - busy);
                }
            }, busy, period - 100);
            p.pipe([&] {
                for (char c; takt_pipe_read(&p.pipe_at(1), &c) == TAKT_OK;)
                    sim_consume(15);
            }, 2000, period, end, 128);
            Device device = {&p.pipe_at(1), {}, {}};
            for (uint64_t i = 0; i < rate; i++)
                device.times.push_back(100000 + (i * 1000000 + rate - 1) / rate);
            device.put = device.times;
            device.start();
            EXPECT_EQ(p.run(1000000), SIM_TIME) << sim_fatal_line();
            EXPECT_EQ(p.pipe_at(1).stats.overflow > 0, period == paper) << rate;
        }
    }
}
