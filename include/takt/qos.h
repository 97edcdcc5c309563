/*
 * What a device's endpoint offers, what is asked of a pipe, and the budget and period that follow
 * (Golchin, Cheng and West 2018, section III-A). See takt/endpoint.h and takt/pipe.h.
 */
#ifndef TAKT_QOS_H
#define TAKT_QOS_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How data come to be in the host. */
enum takt_transfer {
    TAKT_PUSHED,  /* the device sends them when it has them: a UART */
    TAKT_ASKED,   /* once the endpoint's thread has asked; it asks again when it has handled what
                     came: bulk and interrupt transfers of USB */
    TAKT_SAMPLED, /* the endpoint's thread moves them itself: SPI */
};

/* What a device can do; const. The first seven are the paper's endpoint_attrs_t. */
struct takt_endpoint_attrs {
    int32_t max_channels; /* pipes there can be, 1.. */
    uint64_t max_tput;    /* bits per min_latency, of all channels together */
    uint32_t min_latency; /* ns from one packet to the next, at least */
    int32_t min_ebufsz;   /* bytes the device or its driver holds until data are lost: for sure, */
    int32_t max_ebufsz;   /* and at most; 0: nothing is lost there, the device waits. Output with
                             echo_bytes: of a pipe's that may wait there to be acknowledged */
    int32_t min_pktsz;    /* bytes of a packet, as it takes room there */
    int32_t max_pktsz;    /* qos counts packets of this size */
    /* beyond the paper */
    uint8_t transfer;     /* enum takt_transfer */
    uint8_t echo_bytes;   /* output: that the acknowledgement of a packet takes of the room the
                             device has for its input, 0: there is none; input: that all else that
                             comes takes of it at most, answers to questions and the like */
    uint32_t hold_ns;     /* longest that the device keeps a packet back, moving it included */
    uint32_t interval_us; /* the bottom half looks once in that time; 0: at every interrupt */
    uint32_t top_ns;      /* CPU time: the interrupt */
    uint32_t bottom_ns;   /* the bottom half, each time it looks */
    uint32_t batch_ns;    /* the Main VCPU's thread, each time it is woken */
    uint32_t packet_ns;   /* and for each packet */
    uint32_t delay_us;    /* from the device to the pipe's buffer, as what is defined at build time
                             is derived with; admission proves that it is no more */
    uint32_t min_period_us; /* of the Main VCPU: within these limits it may be adjusted */
    uint32_t max_period_us;
    uint32_t apart_ns; /* without I/O VCPU: least time between two interrupts */
};

/* What is asked of a pipe; the paper's qos_t. Bits and bytes are those of packets of
 * attrs->max_pktsz, whatever they take in RAM. */
struct takt_qos {
    uint64_t latency;    /* ns: tput is per this time, and no packet takes longer */
    uint64_t tput;       /* bits per latency, at most (input), at least (output) */
    uint64_t IObufsz;    /* bytes the pipe's buffer holds: whole packets */
    uint64_t texec_time; /* ns func() takes for a full buffer, its reads included */
};

/*
 * As constant expressions, where the arguments are. slots: packets the buffer holds; bits: of a
 * packet; tput, latency_ns and texec_ns as above; delay_ns: from the device to the buffer.
 */
#define TAKT_PIPE_BUDGET_US(texec_ns) (((texec_ns) + 999u) / 1000u + TAKT_START_COST_US)

/* The time in which a full buffer comes, rounded up. */
#define TAKT_PIPE_FILL_NS_(slots, bits, tput, latency_ns)                                          \
    (((uint64_t)(slots) * (bits) * (latency_ns) + (tput) - 1u) / (tput))

/* Longest T with (2 T - texec + delay) tput / (bits latency) < slots and delay + 2 T <= latency, in
 * us; 0: there is none. */
#define TAKT_PIPE_PERIOD_US(slots, bits, tput, latency_ns, texec_ns, delay_ns)                     \
    TAKT_PIPE_LEAST_(                                                                              \
        TAKT_PIPE_ABOVE_(TAKT_PIPE_FILL_NS_(slots, bits, tput, latency_ns) + (texec_ns),           \
                         (uint64_t)(delay_ns) + 1u) /                                              \
            2000u,                                                                                 \
        TAKT_PIPE_ABOVE_((uint64_t)(latency_ns), (uint64_t)(delay_ns)) / 2000u)

/* The paper's: W = L / lambda. */
#define TAKT_PIPE_PAPER_US(slots, bits, tput, latency_ns)                                          \
    ((uint64_t)(slots) * (bits) * (latency_ns) / (tput) / 1000u)

#define TAKT_PIPE_LEAST_(a, b) ((a) < (b) ? (a) : (b))
#define TAKT_PIPE_MOST_(a, b)  ((a) > (b) ? (a) : (b))
#define TAKT_PIPE_ABOVE_(a, b) ((a) > (b) ? (a) - (b) : 0u)

#ifdef __cplusplus
}
#endif

#endif
