/*
 * What tpipe() does: a plan, which is admitted as a whole, and then carried out. Private to
 * kernel/.
 */
#ifndef TAKT_KERNEL_TPIPE_PLAN_H
#define TAKT_KERNEL_TPIPE_PLAN_H

#include <takt/tpipe.h>

#include "pipe_promise.h"

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
