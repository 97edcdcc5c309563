/*
 * Endpoints: a device's end of pipes (Golchin, Cheng and West 2018, section III). What a driver
 * offers here says what the device can do and what serving it costs, so that pipes are derived from
 * it (takt/pipe.h) and their delays proved.
 *
 *   device -> device's buffer -> I/O VCPU -------> Main VCPU ---------> pipe's buffer -> its thread
 *             hold_ns, interval  bottom half:      parses, sorts into   takt_pipe_read()
 *                                notes the end     pipes, asks for more
 *
 * Either VCPU may be missing: a UART's interrupt fills the pipe itself. Output goes the other way.
 * Several pipes, one per channel, may belong to one endpoint; a device has an endpoint each way.
 */
#ifndef TAKT_ENDPOINT_H
#define TAKT_ENDPOINT_H

#include <takt/io.h>
#include <takt/qos.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_endpoint;
struct takt_pipe;

/* What the driver does for pipes. */
struct takt_endpoint_ops {
    /* A pipe is to carry the channel from now on; asked again by takt_endpoint_ready(). Thread, may
     * block. TAKT_OK; TAKT_EGONE is no failure: the device is not there yet. TAKT_EINVAL: it has no
     * such channel. With what it refuses the pipe its reader is told. */
    int (*open)(struct takt_endpoint *end, uint8_t channel, struct takt_pipe *pipe);
    /* Output: packets wait in a pipe that was empty. Thread; must not block. NULL for input. */
    void (*kick)(struct takt_endpoint *end, uint8_t channel);
};

enum takt_direction { TAKT_IN, TAKT_OUT };

/*
 * An endpoint: defined by the driver, with external linkage, for good. The build reads it in the
 * linked program, so all that is not the kernel's is initialised statically; what a driver only
 * finds out when the device comes it may set before takt_endpoint_ready().
 */
struct takt_endpoint {
    const struct takt_endpoint_attrs *attrs; /* takt/qos.h; the paper's eattrs */
    const struct takt_endpoint_ops *ops;
    const struct takt_thread *bottom; /* its thread on an I/O VCPU (iovcpuid), or NULL */
    const struct takt_thread *thread; /* its thread on a Main VCPU (mvcpuid), or NULL */
    const char *name;                 /* for reports */
    void *driver;                     /* the driver's own */
    uint16_t packet;                  /* bytes of a packet of its pipes, in RAM */
    uint8_t direction;                /* enum takt_direction */
    /* the rest is the kernel's */
    struct takt_pipe *pipes; /* by TAKT_PIPE() and tpipe() */
};

/*
 * The device is there, and its pipes are opened again; or it is gone: they give `TAKT_EGONE` from
 * then on until it is there again. What is in their buffers can still be read. Thread. O(pipes).
 */
void takt_endpoint_ready(struct takt_endpoint *end);
void takt_endpoint_gone(struct takt_endpoint *end);

/* The pipe that carries a channel, or NULL. Either context. O(pipes). */
struct takt_pipe *takt_endpoint_pipe(const struct takt_endpoint *end, uint8_t channel);

/*
 * Input: a packet has come, at `at` on the kernel's clock (as far as the device tells, else now).
 * Copies takt_endpoint.packet bytes. The one writer of the pipe; never blocks. Thread. O(packet).
 * TAKT_OK; TAKT_EOVERFLOW: the pipe is full, the packet is lost and counted.
 * The thread of the pipe is woken if it waits; it does once a period has passed since its last job.
 */
int takt_pipe_put(struct takt_pipe *pipe, const void *packet, takt_time_t at);

/* The same for n packets, in an interrupt; those that found no room are counted. How many did. */
size_t takt_pipe_put_isr(struct takt_pipe *pipe, const void *packets, size_t n, takt_time_t at);

/* n packets of the pipe are known to be lost on the way: in the device, on the bus, ... Either
 * context. */
void takt_pipe_lost(struct takt_pipe *pipe, uint32_t n);

/* Output: takes the packet that was written first. The one reader of the pipe. TAKT_OK;
 * TAKT_EAGAIN: there is none, ops->kick tells of the next. Either context. O(packet). */
int takt_pipe_take(struct takt_pipe *pipe, void *packet);

/* Output: n packets taken before have left. For the report. Either context. */
void takt_pipe_sent(struct takt_pipe *pipe, uint32_t n);

/*
 * For threads that serve at most once per period, so that each time is paid for by admission: waits
 * until `us` after the last time began, and then for `wake`. Zero is a good initial value. Thread,
 * may block. TAKT_OK, TAKT_ECONTEXT.
 */
struct takt_pace {
    takt_time_t last;
    bool begun;
};
int takt_pace_wait(struct takt_pace *pace, struct takt_sem *wake, uint32_t us);

/* Its parts: waits for the time; now it begins. */
int takt_pace_rest(struct takt_pace *pace, uint32_t us);
void takt_pace_begin(struct takt_pace *pace);

#ifdef __cplusplus
}
#endif

#endif
