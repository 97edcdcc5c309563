/*
 * Pipes created while the program runs, of an adapter whose bottom half and thread are on different
 * CPUs: the paper's tpipe() on several CPUs. A timer is the device: each of its interrupts brings a
 * packet for every channel.
 */
#include <takt/cpus.h>
#include <takt/create.h>
#include <takt/io.h>
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/tpipe.h>

#include "check.h"
#include "noise.h"

enum { CHANNELS = 3, EVERY_US = 1000, PACKETS = 300, SLOTS = 64, SECOND_US = 1000000 };

struct packet {
    takt_time_t at;
    uint32_t number;
};

static int open_end(struct takt_endpoint *end, uint8_t channel, struct takt_pipe *pipe)
{
    (void)end, (void)channel, (void)pipe;
    return TAKT_OK;
}

static void adapter_bottom(void *arg);
static void adapter_receive(void *arg);
static void count(void *arg);
static void manage(void *arg);

TAKT_IO_THREAD(bottom, 1, 10, adapter_bottom, 0, 8192);
TAKT_BUDGET_THREAD(neighbour, 300, 3000, count, 0, 4096);
TAKT_BUDGET_THREAD(rx, 100, 20000, adapter_receive, 0, 8192);
TAKT_BUDGET_THREAD(manager, 2000, 50000, manage, 0, 16384);

TAKT_ON_CPU(bottom, 1);
TAKT_ON_CPU(neighbour, 0);
TAKT_ON_CPU(rx, 0);
TAKT_ON_CPU(manager, 0);

static const struct takt_endpoint_ops ops = {open_end, NULL};
static const struct takt_endpoint_attrs attrs = {
    .max_channels = CHANNELS, .max_tput = 64 * 8 * 4000, .min_latency = 1000000000,
    .min_ebufsz = 64 * 64, .max_ebufsz = 64 * 64, .min_pktsz = 64, .max_pktsz = 64,
    .transfer = TAKT_PUSHED, .interval_us = EVERY_US, .top_ns = 10000, .bottom_ns = 10000,
    .batch_ns = 20000, .packet_ns = 5000, .min_period_us = 2000, .max_period_us = 20000};
static struct takt_endpoint end = {&attrs, &ops, &takt_thread_bottom, &takt_thread_rx, "adapter",
                                   0, sizeof(struct packet), TAKT_IN, 0};

static struct takt_sem wake = TAKT_SEM_BINARY_INIT(0);
static volatile uint32_t sent, turns;

static void count(void *arg)
{
    (void)arg;
    for (;;) {
        turns++;
        takt_sleep(3000);
    }
}

/* The instants of packets that wait in the device; one writer, one reader. */
static volatile takt_time_t came[128];
static volatile uint32_t in;

void NOISE_HANDLER(void)
{
    takt_isr_enter();
    noise_done();
    came[in % 128] = takt_now();
    in++;
    if (++sent < PACKETS)
        noise_after(EVERY_US * NOISE_MHZ);
    takt_io_raise_isr(&takt_io_bottom, takt_place_of(&takt_thread_rx));
    takt_io_isr_exit(&takt_io_bottom, 9);
}

static void adapter_bottom(void *arg)
{
    (void)arg;
    for (;;) {
        takt_io_wait(&takt_io_bottom);
        (void)takt_sem_signal(&wake);
    }
}

static void adapter_receive(void *arg)
{
    static uint32_t out;
    struct takt_pace pace = {0, false};
    (void)arg;
    for (;;) {
        (void)takt_pace_wait(&pace, &wake, takt_vcpu_rx.period);
        for (; out != in; out++) {
            struct packet packet = {came[out % 128], out};
            for (uint8_t channel = 0; channel < CHANNELS; channel++)
                CHECK(takt_pipe_put(takt_endpoint_pipe(&end, channel), &packet, packet.at) ==
                      TAKT_OK);
        }
    }
}

static struct handled {
    volatile uint32_t got, late_us;
} handled[CHANNELS];

static void *handle(void *arg)
{
    struct handled *h = arg;
    struct packet packet;
    CHECK(takt_cpu_here() == takt_cpu_at(takt_self()));
    while (takt_pipe_read(takt_pipe_self(), &packet) == TAKT_OK) {
        uint32_t late = takt_now() - packet.at;
        CHECK(packet.number == h->got);
        h->got++;
        if (late > h->late_us)
            h->late_us = late;
    }
    return NULL;
}

/* 1000 packets a second. */
static const struct takt_qos asked = {1000000000, 1000 * 512, SLOTS * 64, 500000};

static void create_pipes(int *numbers)
{
    for (uint8_t channel = 0; channel < CHANNELS; channel++) {
        struct takt_end which = {&end, channel};
        numbers[channel] = takt_tpipe(which, &asked, handle, &handled[channel]);
        CHECK(numbers[channel] >= 0x80);
        CHECK(takt_tpipe(which, &asked, handle, 0) == TAKT_EAGAIN);
    }
    struct takt_qos fast = asked;
    fast.tput *= 100;
    struct takt_end beyond = {&end, CHANNELS};
    CHECK(takt_tpipe(beyond, &asked, handle, 0) == TAKT_EINVAL);
    CHECK(takt_tpipe_refusal()->reason == TAKT_PIPE_NO_CHANNEL);
    CHECK(takt_vcpu_neighbour.budget == 300 && takt_vcpu_neighbour.period == 3000);
    CHECK(takt_vcpu_rx.budget > 100);
}

static void refuse_who_disturbs(const int *numbers)
{
    static char stack[4096] __attribute__((aligned(16)));
    static struct takt_vcpu vcpu = TAKT_VCPU_INIT(1, 2, 0);
    static const struct takt_thread all = {count, 0, stack, stack + sizeof stack, &vcpu, "all"};
    uint8_t threads = takt_thread_count(), place = takt_place_of(&takt_thread_neighbour);
    uint32_t bound = takt_tpipe_bounds(numbers[0])->delay_us;
    vcpu = (struct takt_vcpu)TAKT_VCPU_INIT(999999, 1000000, 0);
    CHECK(takt_cpus() > 2 || takt_thread_create(&all) == TAKT_EADMIT);
    CHECK(takt_cpus() > 2 || takt_thread_count() == threads);
    CHECK(takt_vcpu_set_budget(takt_place_of(&takt_thread_rx), 50) == TAKT_EADMIT);
    CHECK(takt_tpipe_refusal()->reason == TAKT_PIPE_SLOW);
    /* rx has the budget of what may wait now: at 4 CPUs and 350 us there may be one packet more */
    CHECK(takt_vcpu_set_budget(place, 320) == TAKT_OK);
    CHECK(takt_tpipe_bounds(numbers[0])->delay_us > bound);
}

/* All packets, in order, in time. */
static void run_traffic(const int *numbers)
{
    noise_open(NOISE_ORDINARY);
    noise_after(EVERY_US * NOISE_MHZ);
    takt_sleep(PACKETS * EVERY_US + 200000);
    for (int i = 0; i < CHANNELS; i++) {
        const struct takt_pipe_bounds *bounds = takt_tpipe_bounds(numbers[i]);
        const struct takt_pipe *pipe = takt_tpipe_at(numbers[i]);
        CHECK(handled[i].got == PACKETS);
        CHECK(pipe->stats.overflow == 0 && pipe->stats.lost == 0);
        CHECK(pipe->stats.peak <= bounds->peak);
        CHECK(handled[i].late_us <= bounds->delay_us);
        CHECK(bounds->delay_us < SECOND_US);
    }
    CHECK(turns > 100);
}

static void manage(void *arg)
{
    int numbers[CHANNELS];
    (void)arg;
    create_pipes(numbers);
    refuse_who_disturbs(numbers);
    run_traffic(numbers);
    done = 1;
}

int main(void)
{
    takt_start();
}
