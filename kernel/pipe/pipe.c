/*
 * Pipes (include/takt/pipe.h): the buffer between an endpoint and a pipe's thread, and when that
 * runs.
 *
 *     rests until T after   waits for packets    job: func() reads
 *     its last job began    (output: for room)   until there are no more
 *   --|---------------------|--------------------|---------------------------|-- ...
 *     <------------------ T or more ------------->
 *
 * Invariants: one writer and one reader (takt/ringbuf.h), on either side of the buffer. The reader
 * sets `waits` before it looks at the buffer once more; the writer puts a packet there and looks at
 * `waits` afterwards. So one of both sees the other, and no thread sleeps while there is something
 * to do. The same with an output's driver: the reader takes a packet and looks whether there is
 * another, the writer puts one there and looks afterwards whether that is the only one, and kicks.
 * Each looks behind a fence, for a CPU may load before what it has stored can be seen:
 * tests/models/kick.pml.
 *
 * Pacing (include/takt/endpoint.h): a thread that serves whatever comes, but at most once per
 * period. Its budget is whole again each time, and so one start per period is all that admission
 * counts.
 */
#include <takt/create.h>
#include <takt/endpoint.h>
#include <takt/pipe.h>
#include <takt/port.h>
#include <takt/time.h>
#include <takt/trace.h>

#include "core/cpu.h"

#define AGE_BITS 20u /* of the value of TAKT_EV_ARRIVE: us; packets above */
#define AGE_MOST 0xFFFFFu
#define MANY     0xFFFu /* packets in one event */

#if TAKT_HAS_TIME

int takt_pace_rest(struct takt_pace *pace, uint32_t us)
{
    if (!pace->begun)
        return takt_may_block() ? TAKT_OK : TAKT_ECONTEXT;
    return takt_sleep_until(pace->last + us);
}

void takt_pace_begin(struct takt_pace *pace)
{
    pace->last = port_now();
    pace->begun = true;
}

int takt_pace_wait(struct takt_pace *pace, struct takt_sem *wake, uint32_t us)
{
    int result = takt_pace_rest(pace, us);
    if (result == TAKT_OK)
        result = takt_sem_wait(wake);
    if (result == TAKT_OK)
        takt_pace_begin(pace);
    return result;
}

#endif

static void note(uint8_t kind, const struct takt_pipe *pipe, uint32_t value)
{
    if (TAKT_TRACE_EVENTS > 0) {
        port_irq_t irq = port_irq_save();
        takt_trace_locked(port_now(), kind, pipe->number, value);
        port_irq_restore(irq);
    }
}

static void note_arrival(const struct takt_pipe *pipe, size_t packets, uint32_t age)
{
    for (; packets > 0; packets -= packets < MANY ? packets : MANY) {
        uint32_t n = packets < MANY ? (uint32_t)packets : MANY;
        note(TAKT_EV_ARRIVE, pipe, n << AGE_BITS | (age < AGE_MOST ? age : AGE_MOST));
    }
}

static bool is_output(const struct takt_pipe *pipe)
{
    return pipe->end->direction == TAKT_OUT;
}

/* A job writes a full buffer at most, for which it has its budget, however fast the device is. */
uint32_t takt_pipe_available(const struct takt_pipe *pipe)
{
    uint32_t held = takt_ring_count(&pipe->buffer.ring);
    if (!is_output(pipe))
        return held;
    uint32_t slots = pipe->buffer.ring.slots - 1u, used = held > pipe->moved ? held : pipe->moved;
    return used < slots ? slots - used : 0;
}

/* Is there anything for func() to do? */
static bool due(const struct takt_pipe *pipe)
{
    int8_t error = pipe->error;
    return error != TAKT_OK ? !pipe->told : takt_pipe_available(pipe) > 0;
}

/* Is its thread to be woken? At most once for each time it waits. */
static bool claim_wake(struct takt_pipe *pipe)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!pipe->waits)
        return false;
    pipe->waits = false;
    return true;
}

static void count(struct takt_pipe *pipe)
{
    uint16_t held = takt_ring_count(&pipe->buffer.ring);
    pipe->stats.put++;
    if (held > pipe->stats.peak)
        pipe->stats.peak = held;
}

static int put(struct takt_pipe *pipe, const void *packet, takt_time_t at)
{
    uint32_t age = port_now() - at;
    int result = takt_ringbuf_write(&pipe->buffer, packet);
    if (result != TAKT_OK) {
        pipe->stats.overflow++;
        note(TAKT_EV_OVERFLOW, pipe, 1);
        return result;
    }
    count(pipe);
    note_arrival(pipe, 1, age);
    return TAKT_OK;
}

int takt_pipe_put(struct takt_pipe *pipe, const void *packet, takt_time_t at)
{
    int result = put(pipe, packet, at);
    if (claim_wake(pipe))
        (void)takt_sem_signal(&pipe->wake);
    return result;
}

size_t takt_pipe_put_isr(struct takt_pipe *pipe, const void *packets, size_t n, takt_time_t at)
{
    const char *from = packets;
    size_t taken = 0;
    while (taken < n && takt_ringbuf_write(&pipe->buffer, from) == TAKT_OK) {
        from += pipe->buffer.size;
        taken++;
        count(pipe);
    }
    uint32_t age = port_now() - at, lost = (uint32_t)(n - taken);
    note_arrival(pipe, taken, age);
    if (lost > 0) {
        pipe->stats.overflow += lost;
        note(TAKT_EV_OVERFLOW, pipe, lost);
    }
    if (claim_wake(pipe))
        (void)takt_sem_signal_isr(&pipe->wake);
    return taken;
}

void takt_pipe_lost(struct takt_pipe *pipe, uint32_t n)
{
    port_irq_t irq = port_irq_save(); /* other CPUs may lose packets, too */
    pipe->stats.lost += n;
    note(TAKT_EV_OVERFLOW, pipe, n);
    port_irq_restore(irq);
}

/* There are no more packets: why. */
static int end_of(struct takt_pipe *pipe, int otherwise)
{
    port_irq_t irq = port_irq_save(); /* the endpoint may tell of something new */
    int error = pipe->error;
    if (error != TAKT_OK)
        pipe->told = true;
    port_irq_restore(irq);
    return error != TAKT_OK ? error : otherwise;
}

int takt_pipe_read(struct takt_pipe *pipe, void *packet)
{
    if (is_output(pipe))
        return TAKT_EINVAL;
    if (takt_ringbuf_read(&pipe->buffer, packet) != TAKT_OK)
        return end_of(pipe, TAKT_EAGAIN);
    pipe->stats.taken++;
    pipe->moved++;
    return TAKT_OK;
}

int takt_pipe_write(struct takt_pipe *pipe, const void *packet)
{
    if (!is_output(pipe))
        return TAKT_EINVAL;
    if (pipe->error != TAKT_OK)
        return end_of(pipe, TAKT_EOVERFLOW); /* it may have come back this instant */
    if (takt_pipe_available(pipe) == 0 || takt_ringbuf_write(&pipe->buffer, packet) != TAKT_OK)
        return TAKT_EOVERFLOW;
    pipe->moved++;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the endpoint sees it, or we that it found nothing */
    count(pipe);
    note_arrival(pipe, 1, 0);
    if (pipe->end->ops->kick && takt_ring_count(&pipe->buffer.ring) == 1)
        pipe->end->ops->kick(pipe->end, pipe->channel);
    return TAKT_OK;
}

int takt_pipe_take(struct takt_pipe *pipe, void *packet)
{
    int result = takt_ringbuf_read(&pipe->buffer, packet);
    if (result != TAKT_OK)
        return result;
    pipe->stats.taken++;
    if (claim_wake(pipe)) {
        if (port_in_isr())
            (void)takt_sem_signal_isr(&pipe->wake);
        else
            (void)takt_sem_signal(&pipe->wake);
    }
    return TAKT_OK;
}

void takt_pipe_sent(struct takt_pipe *pipe, uint32_t n)
{
    note(TAKT_EV_TAKEN, pipe, n);
}

/* The job that was under way is over. */
static void end_job(struct takt_pipe *pipe)
{
    if (pipe->moved > 0 && !is_output(pipe))
        note(TAKT_EV_TAKEN, pipe, pipe->moved);
    pipe->moved = 0;
}

int takt_pipe_wait(struct takt_pipe *pipe)
{
    end_job(pipe);
    int result = takt_pace_rest(&pipe->pace, pipe->server.period);
    while (result == TAKT_OK && !due(pipe)) {
        pipe->waits = true;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (!due(pipe))
            result = takt_sem_wait(&pipe->wake);
        pipe->waits = false;
    }
    takt_pace_begin(&pipe->pace);
    return result;
}

/* What open() gave. The device may have come or gone since it was looked for there: then the
 * endpoint has told of that (set_error), and so `told` is not what it was. */
static void opened_locked(struct takt_pipe *pipe, int result)
{
    if (!pipe->told)
        return;
    pipe->told = false;
    pipe->error = (int8_t)result;
}

void takt_pipe_begin(struct takt_pipe *pipe)
{
    struct takt_endpoint *end = pipe->end;
    port_irq_t irq = port_irq_save();
    if (pipe->number == 0)
        pipe->number = takt_linked_place();
    pipe->told = true;
    bool taken = takt_endpoint_pipe(end, pipe->channel) != NULL;
    if (!taken) {
        pipe->next = end->pipes;
        end->pipes = pipe;
    }
    port_irq_restore(irq);
    int result = taken ? TAKT_EREFUSED : end->ops->open(end, pipe->channel, pipe);
    irq = port_irq_save();
    opened_locked(pipe, result);
    port_irq_restore(irq);
}

struct takt_pipe *takt_pipe_self(void)
{
    const struct takt_thread *self = takt_thread_self();
    struct takt_vcpu *vcpu = self ? TAKT_FLASH_POINTER(&self->vcpu) : NULL;
    return vcpu && (vcpu->flags & TAKT_PIPE_VCPU) ? (struct takt_pipe *)vcpu : NULL;
}

void takt_pipe_thread(void *nothing)
{
    struct takt_pipe *pipe = takt_pipe_self();
    (void)nothing;
    takt_pipe_begin(pipe);
    for (;;) {
        (void)takt_pipe_wait(pipe);
        (void)pipe->func(pipe->arg);
        takt_require_unlocked();
    }
}

struct takt_pipe *takt_endpoint_pipe(const struct takt_endpoint *end, uint8_t channel)
{
    struct takt_pipe *pipe = end->pipes;
    while (pipe && pipe->channel != channel)
        pipe = pipe->next;
    return pipe;
}

static void set_error(struct takt_pipe *pipe, int error)
{
    port_irq_t irq = port_irq_save();
    pipe->error = (int8_t)error;
    pipe->told = false;
    port_irq_restore(irq);
    if (claim_wake(pipe))
        (void)takt_sem_signal(&pipe->wake);
}

void takt_endpoint_ready(struct takt_endpoint *end)
{
    for (struct takt_pipe *pipe = end->pipes; pipe; pipe = pipe->next)
        set_error(pipe, end->ops->open(end, pipe->channel, pipe));
}

void takt_endpoint_gone(struct takt_endpoint *end)
{
    for (struct takt_pipe *pipe = end->pipes; pipe; pipe = pipe->next)
        set_error(pipe, TAKT_EGONE);
}
