/*
 * A program under test: threads from lambdas, run on the simulation port.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

extern "C" {
#include "sim.h"
}
#include <takt/io.h>
#include <takt/periodic.h>
#include <takt/pipe.h>
#include <takt/trace.h>
#include <takt/vcpu.h>

/* The kernel's trace (kernel/core/trace.c). */
extern "C" {
struct rtt_up {
    const char *name;
    struct takt_event *buffer;
    uint32_t size, write_at, read_at, flags;
};
extern struct {
    char id[16];
    uint32_t ups, downs;
    struct rtt_up up[2];
} _SEGGER_RTT;
}

class Program {
public:
    explicit Program(uint32_t clock = 0);
    ~Program();

    /* Threads in order of their places. Without c and t: no budget. */
    Program &thread(std::function<void()> body, uint32_t c = 0, uint32_t t = 0, uint8_t flags = 0);

    /* A bottom half on an I/O VCPU; all of them before the first thread(). */
    Program &bottom_half(std::function<void()> body, uint16_t numerator, uint16_t denominator);

    /* A periodic thread, whose job is called once in every t. */
    Program &every(std::function<void()> job, uint32_t c, uint32_t t,
                      takt_overrun_policy policy = TAKT_TERMINATE);
    struct takt_periodic &control(size_t i) { return threads_[i]->control; }

    /* The thread of a pipe, whose job is called when there is something to do. */
    Program &pipe(std::function<void()> job, uint32_t c, uint32_t t, struct takt_endpoint &end,
                  uint16_t slots, uint16_t packet = 1, uint8_t channel = 0);
    struct takt_pipe &pipe_at(size_t i) { return threads_[i]->pipe; }

    /* A descriptor for takt_thread_create(); lives as long as the program. */
    const struct takt_thread *spare(std::function<void()> body, uint32_t c = 0, uint32_t t = 0);

    /* Goes on until virtual time `until`. */
    sim_stop run(uint64_t until);

    /* Foreground and background time of a place within [from, to), from the trace. */
    uint64_t foreground(uint8_t place, uint64_t from, uint64_t to) const;
    uint64_t background(uint8_t place, uint64_t from, uint64_t to) const;

    struct takt_vcpu &vcpu(size_t i) { return threads_[i]->vcpu; }
    struct takt_io_vcpu &io(size_t i) { return threads_[i]->io; }

    /* Kernel's times of all events of a kind at a place, and their values. */
    std::vector<uint32_t> times(uint8_t kind, uint8_t place) const;
    std::vector<uint32_t> values(uint8_t kind, uint8_t place) const;

private:
    struct Thread {
        std::function<void()> body;
        std::vector<uint64_t> stack;
        struct takt_vcpu vcpu;
        struct takt_io_vcpu io;
        struct takt_periodic control;
        struct takt_pipe pipe;
        std::vector<char> items;
        struct takt_thread descriptor;
    };
    Thread &make(std::function<void()> body, uint32_t c, uint32_t t, uint8_t flags);
    struct Turn { /* of a thread on the CPU, up to the next one's */
        uint64_t at;
        uint8_t place;
        uint32_t band;
    };
    uint64_t run_time(uint8_t place, uint32_t band, uint64_t from, uint64_t to) const;
    void drain();
    uint32_t clock_;
    size_t static_count_ = 0;
    std::vector<std::unique_ptr<Thread>> threads_;
    std::vector<struct takt_event> events_;
    std::vector<Turn> turns_;
};

/* Calls fn in interrupt context at virtual time `at`. */
void interrupt_at(uint64_t at, std::function<void()> fn);
