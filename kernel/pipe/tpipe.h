/*
 * What the files of pipes made at run time share: what pipes have been promised, judged anew for
 * each change (pipe_promise.c), and plans of pipes (tpipe_plan.c). Private to kernel/; in turn.
 */
#ifndef TAKT_KERNEL_TPIPE_H
#define TAKT_KERNEL_TPIPE_H

#include <takt/pipe.h>
#include <takt/tpipe.h>

#include "change/admission.h"

/* Why a pipe was refused last, and what takt_tpipe_refusal() tells. */
extern struct takt_pipe_refusal takt_pipes_why;

/* An endpoint beside what runs, the change made: how long it takes from the device to a pipe's
 * buffer, and the CPU time that a job of its thread may take. TAKT_OK; TAKT_EINVAL, TAKT_EADMIT:
 * why. */
struct takt_end_needs {
    uint32_t delay_us, work_us;
};
int takt_pipes_judge_end(const struct takt_endpoint *end, const struct takt_change *change,
                         struct takt_end_needs *needs, struct takt_pipe_refusal *why);

/* All pipes there are, and the one that joins. The same. */
int takt_pipes_judge(const struct takt_change *change, struct takt_pipe_refusal *why);

/* CPU time in ns that the endpoint's bottom half takes, each time it looks, for other pipes. */
uint32_t takt_pipes_others_ns(const struct takt_endpoint *end, const struct takt_change *change);

/* tpipe.c: the bounds of a pipe from now on, if it has made that. */
void takt_tpipe_keeps(const struct takt_pipe *pipe, const struct takt_pipe_bounds *bounds);

/* A pipe to be, and what has to change for it. */
struct takt_plan {
    struct takt_endpoint *end;
    const struct takt_qos *qos;
    struct takt_thread *thread; /* to join, with its VCPU */
    struct takt_vcpu *server;   /* that VCPU; its budget and period follow */
    /* the endpoint's VCPUs, as they are to be */
    uint32_t budget, period;
    struct takt_io_fraction share;
    /* what follows */
    uint8_t cpu; /* of the new thread */
    uint32_t delay_us;
    struct takt_pipe_refusal why;
};

/*
 * Can it be, all pipes there are included? Fills in what follows. TAKT_OK; TAKT_EINVAL,
 * TAKT_EADMIT: plan->why; TAKT_ENOSPACE. In turn; nothing changes.
 */
int takt_plan_judge(struct takt_plan *plan);

/* Looks for the least change of the endpoint's VCPUs with which it can. The same. */
int takt_plan_make(struct takt_plan *plan);

#endif
