/*
 * Admission of pipes: delays from a device to func(), and whether buffers can overflow, beside the
 * test of the set of threads (takt/admit.h). One source for the build and for tpipe(), integers
 * only, nothing allocated. admission/admit_pipe.c derives the bounds. Not linked in programs that
 * define all their pipes at build time.
 */
#ifndef TAKT_ADMIT_PIPE_H
#define TAKT_ADMIT_PIPE_H

#include <takt/admit.h>
#include <takt/qos.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_ADMIT_NONE UINT32_MAX

/* Packets of a pipe: in any time t at most t packets / ns, rounded down, and one. */
struct takt_admit_rate {
    uint64_t packets; /* 0..2^20 */
    uint64_t ns;      /* 1.. */
};

/* The rate of `packets` in `ns`; rounded up where that does not fit. Either context. */
struct takt_admit_rate takt_admit_rate(uint64_t packets, uint64_t ns);

/* An endpoint as admission sees it. */
struct takt_admit_endpoint {
    const struct takt_endpoint_attrs *attrs;
    uint32_t place;       /* of its Main VCPU's thread in the set, or TAKT_ADMIT_NONE */
    uint32_t io;          /* its I/O VCPU in the set, or TAKT_ADMIT_NONE */
    uint32_t shortest_us; /* least and longest period of the threads that I/O VCPU serves */
    uint32_t longest_us;
    const struct takt_admit_rate *rates; /* of its pipes */
    uint32_t pipe_count;
    uint32_t user; /* place of the least urgent thread of its pipes */
    bool output;
    uint32_t echoes;     /* input: acknowledgements that may wait in the device, of what pipes out
                            of it send; output: packets of a pipe that may wait for theirs */
    uint32_t echo_bytes; /* input: of each */
    /* CPU time of the bottom half, each time it looks, for all else it serves */
    uint32_t others_ns;
    uint32_t start_us;  /* of the Main VCPU's budget that a start costs */
};

/* A pipe as admission sees it; its endpoint may be another CPU's. */
struct takt_admit_pipe {
    struct takt_qos qos;
    const struct takt_endpoint_attrs *attrs;
    uint32_t place;     /* of its thread in the set */
    uint32_t delay_us;  /* its endpoint's, takt_admit_endpoint_delay() */
    uint32_t served_us; /* period of its endpoint's thread, 0: it has none */
    bool output;
};

/* What is wrong. */
enum takt_pipe_reason {
    TAKT_PIPE_FITS,
    TAKT_PIPE_NO_CHANNEL,  /* pipes; max_channels */
    TAKT_PIPE_NO_LATENCY,  /* ns of latency, 0 or too long; the most there may be */
    TAKT_PIPE_NO_RATE,     /* bits, 0 or too many; the most there may be */
    TAKT_PIPE_NO_PACKET,   /* bytes of the buffer, less than a packet or too many; of a packet */
    TAKT_PIPE_NO_TIME,     /* ns func() takes, 0; 0 */
    TAKT_PIPE_TOO_MUCH,    /* bits per s asked of the endpoint, by all its pipes; it has */
    TAKT_PIPE_TOO_SOON,    /* ns of latency; the least the endpoint has */
    TAKT_PIPE_TOO_LONG,    /* us func() takes; the period that follows from buffer and latency */
    TAKT_PIPE_LOSES,       /* packets that may wait in the device; that it holds */
    TAKT_PIPE_SLOW,        /* us the endpoint's thread may need in a period; its budget */
    TAKT_PIPE_OVERFLOWS,   /* packets that may wait in the pipe's buffer; that it holds */
    TAKT_PIPE_LATE,        /* us from the device to func(); the latency asked for */
    TAKT_PIPE_NOT_ADMITTED, /* place of a thread that would not get its budget; 0 */
    TAKT_PIPE_WAITS,        /* packets that may have to wait to be acknowledged; that may do so */
    TAKT_PIPE_SHORT,        /* us of budget that func() and a start take; that are given */
};

struct takt_pipe_refusal {
    uint8_t reason; /* enum takt_pipe_reason */
    uint64_t value, limit;
};

/* Notes why, and returns what to return: TAKT_EINVAL up to TAKT_PIPE_TOO_LONG, else TAKT_EADMIT. */
int takt_pipe_refuse(struct takt_pipe_refusal *refusal, enum takt_pipe_reason reason,
                     uint64_t value, uint64_t limit);

/* Budget and period that follow from what is asked; the paper's. */
struct takt_pipe_derived {
    uint32_t budget_us;
    uint32_t period_us;
    uint32_t paper_us; /* its period; its budget is texec_time */
    struct takt_admit_rate rate;
};

/*
 * What follows for a pipe, if the endpoint takes delay_us from the device to its buffer. start_us:
 * of budget that a start costs. TAKT_OK; TAKT_EINVAL: *refusal says why. Either context.
 */
int takt_pipe_derive(const struct takt_endpoint_attrs *attrs, const struct takt_qos *qos,
                     uint32_t delay_us, uint32_t start_us, struct takt_pipe_derived *derived,
                     struct takt_pipe_refusal *refusal);

/* Most packets of a rate in a time; at most TAKT_ADMIT_MANY, more than any buffer holds. Either
 * context. */
#define TAKT_ADMIT_MANY ((uint64_t)1 << 31)
uint64_t takt_admit_arrivals(const struct takt_admit_rate *rate, uint64_t us);

/*
 * Packets of a pipe that may be on their way at once, if no more are: from `out`, when they are
 * taken, until their acknowledgements have come through `in`. With as many it keeps its rate.
 * Drivers let no more be on their way while pipes come through `in`. 0: out has no
 * acknowledgements. Either context.
 */
uint32_t takt_admit_echoes(const struct takt_endpoint_attrs *out,
                           const struct takt_endpoint_attrs *in,
                           const struct takt_admit_rate *rate);

/* Longest time in us from a packet being at the device to its being in a pipe's buffer (output:
 * from the buffer to having left the device), or TAKT_ADMIT_NEVER. The set must be valid and
 * admitted. */
uint32_t takt_admit_endpoint_delay(const struct takt_admit_set *set,
                                   const struct takt_admit_endpoint *end);

/* Can the endpoint serve its pipes? TAKT_OK; TAKT_EINVAL or TAKT_EADMIT: *refusal says why. */
int takt_admit_endpoint(const struct takt_admit_set *set, const struct takt_admit_endpoint *end,
                        struct takt_pipe_refusal *refusal);

/* Bounds of a pipe. */
struct takt_pipe_bounds {
    uint32_t delay_us; /* end to end: from the device to func() having read, or the other way */
    uint32_t paper_us; /* the paper's Equation 2: 3 T_rx + T_usr; without Main VCPU T_usr alone */
    uint32_t peak;     /* most packets in its buffer */
};

/* The bounds, and whether they are kept. TAKT_OK; TAKT_EADMIT: *refusal says why not. */
int takt_admit_pipe(const struct takt_admit_set *set, const struct takt_admit_pipe *pipe,
                    struct takt_pipe_bounds *bounds, struct takt_pipe_refusal *refusal);

/* CPU time in us that one job of the endpoint's thread may take, for what its pipes ask, its start
 * included; 0: it has none. The set must be valid and admitted. */
uint32_t takt_admit_endpoint_work(const struct takt_admit_set *set,
                                  const struct takt_admit_endpoint *end);

#ifdef __cplusplus
}
#endif

#endif
