/*
 * Tuned pipes: a thread's connection to a device with bounds of throughput and delay (Golchin,
 * Cheng and West 2018, section III). From what is asked of it follow the thread's budget and
 * period:
 *
 *     device --> endpoint --[ buffer of IObufsz bytes ]--> func() once per period, for texec_time
 *
 * Data come at up to tput bits per latency and leave when func() reads. It is called once per
 * period at most, as soon as there are data (output: room). Two reads can be 2T - C apart, for a
 * job may come first in one period and last in the next, so what comes meanwhile must fit: with N
 * packets of room, a rate of r packets and A, the longest that the endpoint takes to put one there,
 *
 *     (2T - C + A) r < N           the paper has T r <= N (Little's law)
 *
 * and as the way through the buffer takes 2T at most, A + 2T <= latency. TAKT_PIPE_PERIOD_US() in
 * takt/qos.h is the longest such period. Admission proves that all this is kept, and computes the
 * delay from the device to func(); takt check shows it beside the paper's values.
 * admission/admit_pipe.c has the analysis.
 */
#ifndef TAKT_PIPE_H
#define TAKT_PIPE_H

#include <takt/endpoint.h>
#include <takt/ringbuf.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What has become of a pipe's packets since the start. Counters wrap at 2^32. */
struct takt_pipe_stats {
    uint32_t put;      /* that came into the buffer */
    uint32_t taken;    /* and left it */
    uint32_t overflow; /* that found it full */
    uint32_t lost;     /* that the endpoint knows to have been lost elsewhere */
    uint16_t peak;     /* most that waited in it */
};

struct takt_pipe {
    struct takt_vcpu server; /* of its thread */
    struct takt_endpoint *end;
    void *(*func)(void *arg); /* a job; what it returns does not matter. NULL in sketches */
    void *arg;
    const struct takt_qos *qos; /* for admission; on AVR in flash */
    struct takt_ringbuf buffer;
    uint8_t channel;
    uint8_t number; /* in the trace: 0x80 and up by tpipe(), else the place of its thread */
    /* the rest is the pipe's own */
    volatile bool waits;  /* its thread is due and waits for packets or room */
    volatile int8_t error; /* TAKT_OK, or why there are no more packets */
    bool told;             /* of that error */
    uint16_t moved;        /* packets read or written in the job under way */
    struct takt_pace pace;
    struct takt_sem wake;
    struct takt_pipe_stats stats;
    struct takt_pipe *next; /* of the endpoint */
};

/*
 * Reads a packet (takt_endpoint.packet bytes), the oldest. Input only, in func() or what it calls;
 * never blocks. TAKT_OK; TAKT_EAGAIN: no more for now, func() is to return; TAKT_EGONE: no more,
 * and the device is gone; TAKT_EREFUSED: another pipe has the channel; TAKT_EINVAL: not an input,
 * or the device that is there has no such channel; what else opening the endpoint gave.
 * O(packet).
 */
int takt_pipe_read(struct takt_pipe *pipe, void *packet);

/* Writes a packet. Output only, otherwise as takt_pipe_read(). TAKT_EOVERFLOW: no room for now, or
 * a full buffer has been written in this job. */
int takt_pipe_write(struct takt_pipe *pipe, const void *packet);

/* The job is over: waits for the next one, as returning from func() does; for a func() that goes
 * round for ever. The pipe's thread, may block. TAKT_OK, TAKT_ECONTEXT. */
int takt_pipe_wait(struct takt_pipe *pipe);

/* Packets that can be read, or written in this job. Either context. */
uint32_t takt_pipe_available(const struct takt_pipe *pipe);

/* The pipe whose thread the caller is, or NULL. Thread. O(1). */
struct takt_pipe *takt_pipe_self(void);

/* Entry of a pipe's thread; never returns. The argument is not looked at. */
void takt_pipe_thread(void *nothing);

/* What it does first. Thread, may block. */
void takt_pipe_begin(struct takt_pipe *pipe);

/* What the build finds of a pipe in the linked program. */
struct takt_pipe_record {
    struct takt_pipe *pipe;
    const struct takt_thread *thread;
    struct takt_endpoint *end;
    const struct takt_endpoint_attrs *attrs;
    struct takt_qos qos;
    uint8_t channel;
};
/* Aligned as one of an array: the kernel goes through them, and compilers give large ones more. */
#define TAKT_PIPE_SECTION                                                                          \
    __attribute__((section("takt_pipes"), used, aligned(__alignof__(struct takt_pipe_record))))

#define TAKT_PIPE_INIT(c_us, t_us, end_, func_, arg_, qos_, slots, packet, items, channel_)        \
    {TAKT_VCPU_INIT(c_us, t_us, TAKT_PIPE_VCPU),                                                   \
     (end_),                                                                                       \
     (func_),                                                                                      \
     (arg_),                                                                                       \
     (qos_),                                                                                       \
     {{(takt_slot_t)((slots) + 1u), 0, 0}, (packet), (items)},                                     \
     (channel_),                                                                                   \
     0,                                                                                            \
     false,                                                                                        \
     0,                                                                                            \
     false,                                                                                        \
     0,                                                                                            \
     {0, false},                                                                                   \
     TAKT_SEM_BINARY_INIT(0),                                                                      \
     {0, 0, 0, 0, 0},                                                                              \
     0}

/*
 * Defines a pipe `id` (struct takt_pipe takt_pipe_<id>) and its thread at build time, for C.
 * Integer constant expressions: packet, bytes in RAM; bits of a packet as qos counts them; slots,
 * packets the buffer holds; tput, latency_ns, texec_ns as in struct takt_qos; delay_us of the
 * endpoint's attributes `attrs`. end: a struct takt_endpoint.
 */
#define TAKT_PIPE(id, end_, attrs, channel, packet, bits, slots, tput_, latency_ns, texec_ns,      \
                  delay_us, func, arg, stack_bytes)                                                \
    enum {                                                                                         \
        takt_budget_of_##id = TAKT_PIPE_BUDGET_US(texec_ns),                                       \
        takt_period_of_##id =                                                                      \
            TAKT_PIPE_PERIOD_US(slots, bits, tput_, latency_ns, texec_ns, 1000ull * (delay_us)),   \
    };                                                                                             \
    _Static_assert((int)takt_budget_of_##id <= (int)takt_period_of_##id,                           \
                   "pipe " #id ": the execution time is longer than the period that follows");     \
    TAKT_NEEDS_(BUDGETS);                                                                          \
    static char takt_items_##id[((slots) + 1u) * (packet)] __attribute__((aligned(8)));            \
    extern const struct takt_pipe_record takt_record_##id;                                         \
    struct takt_pipe takt_pipe_##id =                                                              \
        TAKT_PIPE_INIT(takt_budget_of_##id, takt_period_of_##id, &(end_), func, arg,               \
                       &takt_record_##id.qos, slots, packet, takt_items_##id, channel);            \
    static char takt_stack_##id[TAKT_STACK_BYTES_(stack_bytes)]                                    \
        __attribute__((aligned(TAKT_STACK_ALIGN_), section(".takt.stacks." #id)));                 \
    TAKT_NAME_(id, #id);                                                                           \
    TAKT_DESCRIPTOR_(id) = {                                                                       \
        takt_pipe_thread,                              0, takt_stack_##id,                         \
        takt_stack_##id + sizeof takt_stack_##id, &takt_pipe_##id.server, takt_name_##id};         \
    TAKT_REGISTER_(id, takt_period_of_##id, __LINE__)                                              \
    const struct takt_pipe_record takt_record_##id TAKT_PIPE_SECTION = {                           \
        &takt_pipe_##id, &takt_thread_##id, &(end_), &(attrs),                                     \
        {(latency_ns), (tput_), (slots) * ((bits) / 8u), (texec_ns)},                              \
        (channel)}

#ifdef __cplusplus
}
#endif

#endif
