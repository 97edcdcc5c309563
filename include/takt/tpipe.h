/*
 * Pipes created at run time, where threads can be (TAKT_DYNAMIC: board `pc`); the paper's
 * tpipe() and its structures.
 */
#ifndef TAKT_TPIPE_H
#define TAKT_TPIPE_H

#include <takt/admit_pipe.h>
#include <takt/pipe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The pool they come from; each may be overridden with -D. */
#ifndef TAKT_TPIPES
#define TAKT_TPIPES 16
#endif
#ifndef TAKT_TPIPE_BUFFER
#define TAKT_TPIPE_BUFFER 65536 /* bytes of a pipe's buffer in RAM */
#endif
#ifndef TAKT_TPIPE_STACK
#define TAKT_TPIPE_STACK 16384
#endif

/* An end of a device, and which of its channels: what tpipe() is given. */
struct takt_end {
    struct takt_endpoint *end;
    uint8_t channel;
};

/*
 * Creates a pipe and its thread: func(arg) is called each time there are data or room, see
 * takt_pipe_read(), and may be before this returns the number by which func() finds its pipe
 * (takt_tpipe_at() gives NULL for numbers that are none): let it wait for a semaphore until then.
 * Budget and period follow from `qos`; budget, period and share of the endpoint's VCPUs are
 * adjusted, within what its attributes allow, if that is needed and admission grants it. Thread,
 * may block: one change of what is admitted at a time. Returns the pipe's number.
 * TAKT_EINVAL: the endpoint cannot do what is asked; TAKT_EADMIT: not beside what runs;
 * takt_tpipe_refusal() says what the arithmetic was. TAKT_ENOSPACE: no more pipes or threads, or a
 * larger buffer than there is; TAKT_EAGAIN: the channel has a pipe; TAKT_ECONTEXT. On errors no
 * pipe is there, and budgets are as they were. Where the endpoint's thread has to be served more
 * often, or gets more, it takes as long as the longest period of all threads, or twice that.
 * O(threads^3 rounds of the exact test) for each of up to some 25 periods that are tried.
 */
int takt_tpipe(struct takt_end end, const struct takt_qos *qos, void *(*func)(void *), void *arg);

/* Why the last takt_tpipe() gave TAKT_EINVAL or TAKT_EADMIT; or why the last thread, budget or
 * share was refused that was wanted afterwards, which no pipe's promise may suffer from. */
const struct takt_pipe_refusal *takt_tpipe_refusal(void);

/* The same as a line of text, at most n bytes with its end. Returns `text`. */
char *takt_tpipe_why(char *text, size_t n);

/* The pipe of a number, NULL if there is none; its thread; its bounds beside all that has been
 * admitted since. Either context. */
struct takt_pipe *takt_tpipe_at(int number);
const struct takt_thread *takt_tpipe_thread(int number);
const struct takt_pipe_bounds *takt_tpipe_bounds(int number);

/* The paper's names. Its tpipe() returns -1 for all errors; VCPUs are known by their threads. */
typedef struct takt_end endpoint_t;
typedef struct takt_endpoint_attrs endpoint_attrs_t;
typedef struct takt_qos qos_t;

static inline int tpipe(endpoint_t end, qos_t qspec, void *(*func)(void *), void *arg)
{
    int number = takt_tpipe(end, &qspec, func, arg);
    return number < 0 ? -1 : number;
}

#ifdef __cplusplus
}
#endif

#endif
