#include "program.h"

#include <algorithm>
#include <cstring>
#include <map>

extern "C" {
extern const struct takt_thread *takt_table[TAKT_PLACES];
void takt_boot_locked(uint8_t count);
}


static size_t boot_count;
static std::vector<std::unique_ptr<std::function<void()>>> handlers;

Program::Program(uint32_t clock) : clock_(clock)
{
    sim_reset(clock);
    _SEGGER_RTT.up[1].write_at = _SEGGER_RTT.up[1].read_at = 0;
    handlers.clear();
}

Program::~Program() = default;

Program::Thread &Program::make(std::function<void()> body, uint32_t c, uint32_t t, uint8_t flags)
{
    threads_.push_back(std::make_unique<Thread>());
    Thread &thread = *threads_.back();
    thread.body = std::move(body);
    thread.stack.resize(32768);
    thread.vcpu = {};
    thread.vcpu.budget = c;
    thread.vcpu.period = t;
    thread.vcpu.flags = flags;
    thread.vcpu.count = 1;
    auto entry = [](void *arg) { static_cast<Thread *>(arg)->body(); };
    auto stack = reinterpret_cast<char *>(thread.stack.data());
    thread.descriptor = {entry, &thread, stack, stack + thread.stack.size() * sizeof(uint64_t),
                         t ? &thread.vcpu : nullptr, "test"};
    return thread;
}

Program &Program::thread(std::function<void()> body, uint32_t c, uint32_t t, uint8_t flags)
{
    Thread &made = make(std::move(body), c, t, flags);
    takt_table[static_count_++] = &made.descriptor;
    return *this;
}

Program &Program::bottom_half(std::function<void()> body, uint16_t numerator, uint16_t denominator)
{
    Thread &made = make(std::move(body), 0, 0, 0);
    made.io = TAKT_IO_VCPU_INIT(numerator, denominator);
    made.descriptor.vcpu = &made.io.server;
    takt_table[static_count_++] = &made.descriptor;
    return *this;
}

static std::map<const struct takt_vcpu *, std::function<void()> *> jobs;

Program &Program::every(std::function<void()> job, uint32_t c, uint32_t t,
                           takt_overrun_policy policy)
{
    Thread &made = make(std::move(job), c, t, 0);
    made.control = TAKT_PERIODIC_INIT(c, t, policy);
    jobs[&made.control.server] = &made.body;
    made.descriptor.entry = takt_periodic_thread;
    made.descriptor.arg = reinterpret_cast<void *>(+[] {
        (*jobs[takt_thread_at(takt_self())->vcpu])();
    });
    made.descriptor.vcpu = &made.control.server;
    takt_table[static_count_++] = &made.descriptor;
    return *this;
}

Program &Program::pipe(std::function<void()> job, uint32_t c, uint32_t t,
                       struct takt_endpoint &end, uint16_t slots, uint16_t packet, uint8_t channel)
{
    Thread &made = make(std::move(job), c, t, 0);
    auto call = [](void *body) -> void * {
        (*static_cast<std::function<void()> *>(body))();
        return nullptr;
    };
    made.items.resize((slots + 1u) * packet);
    made.pipe = TAKT_PIPE_INIT(c, t, &end, call, &made.body, nullptr, slots, packet, made.items.data(),
                               channel);
    made.descriptor.entry = takt_pipe_thread;
    made.descriptor.vcpu = &made.pipe.server;
    takt_table[static_count_++] = &made.descriptor;
    return *this;
}

const struct takt_thread *Program::spare(std::function<void()> body, uint32_t c, uint32_t t)
{
    return &make(std::move(body), c, t, 0).descriptor;
}

sim_stop Program::run(uint64_t until)
{
    boot_count = static_count_;
    sim_stop stop = sim_run([] { takt_boot_locked(static_cast<uint8_t>(boot_count)); }, until);
    drain();
    return stop;
}

void Program::drain()
{
    rtt_up &up = _SEGGER_RTT.up[1];
    for (; up.read_at != up.write_at; up.read_at = (up.read_at + 12) % up.size)
        events_.push_back(up.buffer[up.read_at / 12]);
    turns_.clear();
    uint64_t at = 0;
    for (const takt_event &event : events_) {
        at += static_cast<uint32_t>(event.time - clock_ - static_cast<uint32_t>(at));
        if (event.kind == TAKT_EV_RUN)
            turns_.push_back({at, event.place, event.value & 1});
    }
}

uint64_t Program::run_time(uint8_t place, uint32_t band, uint64_t from, uint64_t to) const
{
    auto turn = std::upper_bound(turns_.begin(), turns_.end(), from,
                                 [](uint64_t time, const Turn &one) { return time < one.at; });
    if (turn != turns_.begin())
        --turn;
    uint64_t total = 0;
    for (; turn != turns_.end() && turn->at < to; ++turn) {
        uint64_t end = turn + 1 == turns_.end() ? sim_now() : turn[1].at;
        if (turn->place == place && turn->band == band && end > from)
            total += std::min(end, to) - std::max(turn->at, from);
    }
    return total;
}

std::vector<uint32_t> Program::values(uint8_t kind, uint8_t place) const
{
    std::vector<uint32_t> found;
    for (const takt_event &event : events_)
        if (event.kind == kind && event.place == place)
            found.push_back(event.value);
    return found;
}

std::vector<uint32_t> Program::times(uint8_t kind, uint8_t place) const
{
    std::vector<uint32_t> found;
    for (const takt_event &event : events_)
        if (event.kind == kind && event.place == place)
            found.push_back(event.time);
    return found;
}

uint64_t Program::foreground(uint8_t place, uint64_t from, uint64_t to) const
{
    return run_time(place, 0, from, to);
}

uint64_t Program::background(uint8_t place, uint64_t from, uint64_t to) const
{
    return run_time(place, 1, from, to);
}

void interrupt_at(uint64_t at, std::function<void()> fn)
{
    handlers.push_back(std::make_unique<std::function<void()>>(std::move(fn)));
    sim_interrupt_at(
        at, [](void *arg) { (*static_cast<std::function<void()> *>(arg))(); },
        handlers.back().get());
}
