/*
 * Random programs with pipes: what admission says of them, and a run on the kernel beside a device
 * that sends as much as was asked for.
 */
#pragma once

#include "program.h"

#include <algorithm>
#include <deque>
#include <random>

#include <gtest/gtest.h>
#include <takt/admit_pipe.h>
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/time.h>


constexpr uint64_t SPAN = 600000; /* of a run, us */

inline int open_end(struct takt_endpoint *, uint8_t, struct takt_pipe *)
{
    return TAKT_OK;
}

inline const struct takt_endpoint_ops ops = {open_end, nullptr};

struct Packet {
    uint64_t at; /* at the device */
    uint8_t channel;
};

/* A device that must be asked: it answers a request with all it has, as soon as it has anything.
 * The host notices that once in `interval` at most. */
struct Device {
    std::vector<Packet> coming; /* in order of time */
    std::deque<Packet> held, answer;
    size_t next = 0, room = 0, lost = 0, peak = 0;
    bool asked = false;
    uint64_t interval = 0, hold = 0, served = 0;
    uint32_t top = 0;
    struct takt_io_vcpu *io = nullptr;
    uint8_t place = 0;
    struct takt_endpoint *pushes = nullptr; /* needs not be asked: its interrupt fills the pipes */

    void start() { sim_interrupt_at(coming[0].at + hold, arrive, this); }
    void ask()
    {
        asked = true;
        complete();
    }
    void complete()
    {
        if (!asked || held.empty())
            return;
        asked = false;
        answer.swap(held);
        sim_interrupt_at(std::max(sim_now(), served + interval), notice, this);
    }
    static void arrive(void *arg)
    {
        auto *d = static_cast<Device *>(arg);
        auto due = [d] { return d->coming[d->next].at + d->hold <= sim_now(); };
        for (; d->next < d->coming.size() && due(); d->next++)
            if (d->pushes)
                push(d->pushes, d->coming[d->next]);
            else if (d->held.size() < d->room)
                d->held.push_back(d->coming[d->next]);
            else
                d->lost++;
        d->peak = std::max(d->peak, d->held.size());
        d->complete();
        if (d->next < d->coming.size())
            sim_interrupt_at(d->coming[d->next].at + d->hold, arrive, d);
    }
    static void push(struct takt_endpoint *end, const Packet &packet)
    {
        takt_pipe_put_isr(takt_endpoint_pipe(end, packet.channel), &packet, 1,
                          static_cast<takt_time_t>(packet.at));
    }
    static void notice(void *arg)
    {
        auto *d = static_cast<Device *>(arg);
        takt_isr_enter();
        d->served = sim_now();
        sim_consume(d->top);
        takt_io_raise_isr(d->io, d->place);
        takt_io_isr_exit(d->io, 1);
    }
};

struct Loop {
    uint32_t c, t;
    int pipe; /* -1: the endpoint's thread, -2: another loop */
};

struct Case {
    struct takt_endpoint_attrs attrs = {};
    std::vector<struct takt_qos> asked;
    std::vector<Loop> loops; /* by place */
    std::vector<struct takt_admit_rate> rates;
    std::vector<struct takt_pipe_bounds> bounds;
    struct takt_admit_io io = {};
    uint32_t exec = 0;
    bool with_thread = true;
};

inline uint32_t between(std::mt19937 &random, uint32_t least, uint32_t most)
{
    return std::uniform_int_distribution<uint32_t>(least, most)(random);
}

inline uint32_t place_of(const Case &c, int pipe)
{
    uint32_t place = 0;
    while (c.loops[place].pipe != pipe)
        place++;
    return place;
}

inline struct takt_admit_endpoint endpoint_of(const Case &c)
{
    uint32_t last = 0, shortest = UINT32_MAX, longest = 0;
    for (uint32_t i = 0; i < c.loops.size(); i++) {
        if (c.with_thread ? c.loops[i].pipe == -1 : c.loops[i].pipe >= 0) {
            last = i;
            shortest = std::min(shortest, c.loops[i].t);
            longest = std::max(longest, c.loops[i].t);
        }
    }
    return {&c.attrs, c.with_thread ? last : TAKT_ADMIT_NONE,
            c.with_thread ? 0 : TAKT_ADMIT_NONE, shortest, longest,
            c.rates.data(), static_cast<uint32_t>(c.rates.size()), last, false};
}

/* Asks the kernel's own code; fills in the bounds. */
inline bool admitted(Case &c)
{
    std::vector<struct takt_admit_thread> threads;
    for (const Loop &loop : c.loops)
        threads.push_back({loop.c, loop.t, 0, 1, 1}); /* a sleep may end 1 us late */
    struct takt_admit_set set = {};
    set.threads = threads.data();
    set.thread_count = static_cast<uint32_t>(threads.size());
    set.ios = &c.io;
    set.io_count = 1;
    set.costs.margin_us = TAKT_BUDGET_MARGIN_US;
    struct takt_pipe_refusal why;
    auto end = endpoint_of(c);
    if (takt_admit_exact(&set, nullptr) != TAKT_OK ||
        takt_admit_endpoint(&set, &end, &why) != TAKT_OK)
        return false;
    c.bounds.resize(c.asked.size());
    uint32_t delay = takt_admit_endpoint_delay(&set, &end);
    uint32_t served = c.with_thread ? c.loops[end.place].t : 0;
    for (size_t i = 0; i < c.asked.size(); i++) {
        struct takt_admit_pipe pipe = {c.asked[i], &c.attrs, place_of(c, static_cast<int>(i)),
                                       delay, served, false};
        if (takt_admit_pipe(&set, &pipe, &c.bounds[i], &why) != TAKT_OK)
            return false;
    }
    return true;
}

/* Something that may or may not be admitted. */
inline Case random_case(std::mt19937 &random)
{
    Case c;
    uint32_t channels = between(random, 1, 3), rate = between(random, 300, 4000);
    uint32_t period = between(random, 1000, 8000);
    c.attrs.max_channels = 8;
    c.attrs.max_tput = 1u << 30;
    c.attrs.min_latency = 1000000000;
    c.attrs.min_pktsz = c.attrs.max_pktsz = 8;
    c.attrs.transfer = TAKT_ASKED;
    c.attrs.hold_ns = 1000 * between(random, 0, 200);
    c.attrs.interval_us = between(random, 0, 1) ? 1000 : 200;
    c.attrs.top_ns = 2000;
    c.attrs.bottom_ns = 3000;
    c.attrs.packet_ns = 1000 * between(random, 1, 5);
    c.attrs.batch_ns = 5000;
    uint32_t gap = 2 * period + c.attrs.interval_us + c.attrs.hold_ns / 1000;
    uint32_t expected = channels * (gap * rate / 1000000 + 1);
    c.attrs.min_ebufsz = c.attrs.max_ebufsz =
        static_cast<int32_t>(8 * (expected * between(random, 60, 110) / 100 + 1));
    uint32_t work = 5 + expected * c.attrs.packet_ns / 1000 * between(random, 100, 200) / 100;
    c.with_thread = between(random, 0, 3) > 0;
    if (c.with_thread)
        c.loops.push_back({std::min(work + 10, period), period, -1});
    else
        c.attrs.transfer = TAKT_PUSHED;
    c.io = {1, between(random, 20, 60), 0, TAKT_BUDGET_MARGIN_US};
    for (uint32_t i = 0; i < channels; i++) {
        uint64_t texec = between(random, 200, 3000);
        uint32_t slots = rate * between(random, 20000, 80000) / 1000000 + 2;
        c.asked.push_back({1000000000, uint64_t{rate} * 64, 8 * slots, texec * 1000});
        struct takt_pipe_derived derived;
        struct takt_pipe_refusal why;
        if (takt_pipe_derive(&c.attrs, &c.asked[i], 3 * period, 0, &derived, &why) != TAKT_OK)
            derived = {1, 1, 1, {}};
        c.rates.push_back(takt_admit_rate(c.asked[i].tput, 64 * c.asked[i].latency));
        c.loops.push_back({derived.budget_us, derived.period_us, static_cast<int>(i)});
    }
    for (uint32_t i = between(random, 0, 2); i > 0; i--) {
        uint32_t t = between(random, 1500, 30000);
        c.loops.push_back({std::max(1u, t * between(random, 5, 50) / 100), t, -2});
    }
    std::stable_sort(c.loops.begin(), c.loops.end(),
                     [](const Loop &a, const Loop &b) { return a.t < b.t; });
    return c;
}

/* As fast as the pipes allow, or with pauses. */
inline std::vector<Packet> traffic(std::mt19937 &random, const Case &c)
{
    std::vector<Packet> found;
    for (uint8_t channel = 0; channel < c.rates.size(); channel++) {
        double apart = static_cast<double>(c.rates[channel].ns) /
                       static_cast<double>(c.rates[channel].packets) / 1000;
        double at = between(random, 3000, 20000);
        bool pauses = between(random, 0, 2) == 0;
        while (at < SPAN - 200000) {
            found.push_back({static_cast<uint64_t>(at) + 1, channel});
            at += apart + (pauses && between(random, 0, 40) == 0 ? between(random, 1, 30000) : 0);
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Packet &a, const Packet &b) { return a.at < b.at; });
    return found;
}

/* What a run shows, in shares of the bounds. */
struct Outcome {
    double latency = 0, device = 0, buffer = 0;
    uint64_t packets = 0, lost = 0;
};

class Trial
{
  public:
    Trial(Case &c, std::mt19937 &random) : c_(c), random_(random)
    {
        device_.coming = traffic(random, c);
        device_.room = static_cast<size_t>(c.attrs.min_ebufsz / c.attrs.max_pktsz);
        device_.interval = c.attrs.interval_us;
        device_.hold = c.attrs.hold_ns / 1000;
        device_.top = c.attrs.top_ns / 1000;
        program_.bottom_half([this] { bottom(); }, static_cast<uint16_t>(c.io.numerator),
                             static_cast<uint16_t>(c.io.denominator));
        device_.io = &program_.io(0);
        device_.pushes = c.with_thread ? nullptr : &end_;
        for (size_t i = 0; i < c.loops.size(); i++)
            add(static_cast<uint8_t>(i + 1), c.loops[i]);
    }

    Outcome go()
    {
        Outcome seen;
        device_.start();
        EXPECT_EQ(program_.run(SPAN), SIM_TIME) << sim_fatal_line();
        seen.lost = device_.lost;
        seen.device = static_cast<double>(device_.peak) / static_cast<double>(device_.room);
        for (size_t i = 0; i < c_.asked.size(); i++) {
            const auto &stats = program_.pipe_at(place_of(c_, static_cast<int>(i)) + 1).stats;
            EXPECT_EQ(stats.put, stats.taken);
            seen.lost += stats.overflow;
            seen.packets += stats.put;
            seen.latency = std::max(seen.latency, 1.0 * worst_[i] / c_.bounds[i].delay_us);
            seen.buffer = std::max(seen.buffer, 1.0 * stats.peak / c_.bounds[i].peak);
        }
        return seen;
    }

  private:
    void add(uint8_t place, const Loop &loop)
    {
        if (loop.pipe == -2) {
            program_.thread([this, loop] { busy(loop); }, loop.c, loop.t);
        } else if (loop.pipe == -1) {
            device_.place = place;
            program_.thread([this, loop] { serve(loop); }, loop.c, loop.t);
        } else {
            auto i = static_cast<size_t>(loop.pipe);
            uint16_t slots = static_cast<uint16_t>(c_.asked[i].IObufsz / 8);
            program_.pipe([this, place, i] { handle(place, i); }, loop.c, loop.t, end_, slots,
                          sizeof(Packet), static_cast<uint8_t>(i));
        }
    }
    void bottom()
    {
        for (;;) {
            takt_io_wait(device_.io);
            sim_consume(c_.attrs.bottom_ns / 1000);
            takt_sem_signal(&wake_);
        }
    }
    void serve(const Loop &loop)
    {
        device_.ask();
        for (;;) {
            takt_pace_wait(&pace_, &wake_, loop.t);
            sim_consume(c_.attrs.batch_ns / 1000);
            for (; !device_.answer.empty(); device_.answer.pop_front()) {
                const Packet &packet = device_.answer.front();
                sim_consume(c_.attrs.packet_ns / 1000);
                struct takt_pipe *pipe = takt_endpoint_pipe(&end_, packet.channel);
                takt_pipe_put(pipe, &packet, static_cast<takt_time_t>(packet.at));
            }
            device_.ask();
        }
    }
    void handle(uint8_t place, size_t i)
    {
        struct takt_pipe &pipe = program_.pipe_at(place);
        uint64_t slots = c_.asked[i].IObufsz / 8, oldest = UINT64_MAX, n = 0, used = 0;
        for (Packet packet; takt_pipe_read(&pipe, &packet) == TAKT_OK; n++) {
            oldest = std::min(oldest, packet.at);
            uint64_t due = (n + 1) * (c_.asked[i].texec_time / 1000) / slots;
            sim_consume(static_cast<uint32_t>(due - used));
            used = due;
            worst_[i] = std::max(worst_[i], sim_now() - packet.at);
        }
    }
    /* Now greedy, now anything; often such that it ends just when its period does. */
    void busy(const Loop &loop)
    {
        takt_sleep(between(random_, 0, loop.t));
        for (;;) {
            sim_consume(loop.c);
            takt_sleep(between(random_, 0, 2) ? loop.t - loop.c : between(random_, 0, 3 * loop.t));
        }
    }

    Case &c_;
    std::mt19937 &random_;
    Program program_;
    Device device_;
    struct takt_endpoint end_ = {&c_.attrs, &ops, nullptr, nullptr, "test", nullptr,
                                 sizeof(Packet), TAKT_IN, nullptr};
    struct takt_sem wake_ = TAKT_SEM_BINARY_INIT(0);
    struct takt_pace pace_ = {0, false};
    uint64_t worst_[3] = {0, 0, 0};
};
