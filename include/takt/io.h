/*
 * I/O VCPUs: budgets for interrupts (Qduino II-A and II-C; Danish, Li and West 2011).
 *
 *   interrupt --> top half --> bottom half ------> handler
 *                 (in the      (a thread on an     (a thread with a Main VCPU)
 *                 interrupt)    I/O VCPU)
 *
 * A top half only notes the event, masks its source and wakes the bottom half on behalf of the
 * thread that will handle it. The bottom half finds out what happened, passes the event on and
 * unmasks the source. It runs with the priority and period T of the most urgent thread it has
 * events for, and gets at most U T at a time and U in the long run; top halves and the kernel's
 * own work for it are taken from the same share. So however fast interrupts come, everything they
 * cost stays below U t + (1 - U) (U T + overhead) in any time t, plus one top half a source.
 *
 * kernel/budget/vcpu_io.c and kernel/budget/pibs.c have the algorithm and its invariants.
 */
#ifndef TAKT_IO_H
#define TAKT_IO_H

#include <takt/sem.h>
#include <takt/vcpu.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_io_fraction {
    uint16_t numerator;   /* 0..denominator */
    uint16_t denominator; /* 1.. */
};

/* An I/O VCPU of share U, served by one bottom-half thread. */
struct takt_io_vcpu {
    struct takt_vcpu server;       /* list[0] is its single replenishment */
    struct takt_io_fraction share; /* U; 0 never runs */
    /* the rest is the kernel's */
    struct takt_io_fraction most; /* the largest share admitted so far */
    bool off;             /* takt_io_enable(io, false) */
    bool waiting;         /* for events, in takt_io_wait() or before its first run */
    uint8_t place;        /* of the bottom-half thread, TAKT_NOBODY before start */
    uint8_t rank;         /* it competed with when last looked at: that of a thread it serves */
    takt_set_t serves;    /* places for which events wait */
    takt_set_t serving;   /* places whose events the bottom half has taken */
    takt_time_t eligible; /* start of the budget in list[0]: not usable before */
    uint32_t owed;        /* us of top halves not charged yet */
};

#define TAKT_IO_VCPU_INIT(numerator_, denominator_)                                                \
    {{1, TAKT_PERIOD_MAX, TAKT_IO_VCPU | TAKT_NO_BACKGROUND, 1, 0, 0, {{0, 0}}, 0, 0,             \
      0, 0},                                                                                       \
     {(numerator_), (denominator_)}, {0, 1}, false, true, TAKT_NOBODY, TAKT_PLACES - 1, 0, 0, 0, 0}

/*
 * Defines and registers a bottom-half thread `id` on an I/O VCPU `takt_io_<id>` (external
 * linkage) of share numerator / denominator. entry(arg) loops over takt_io_wait(). Bottom halves
 * are told apart by definition, not by priority: that is inherited.
 */
#define TAKT_IO_THREAD(id, numerator_, denominator_, entry_, arg_, stack_bytes)                    \
    TAKT_NEEDS_(BUDGETS);                                                                          \
    static char takt_stack_##id[TAKT_STACK_BYTES_(stack_bytes)]                                    \
        __attribute__((aligned(TAKT_STACK_ALIGN_), section(".takt.stacks." #id)));                 \
    struct takt_io_vcpu takt_io_##id = TAKT_IO_VCPU_INIT(numerator_, denominator_);                \
    TAKT_NAME_(id, #id);                                                                           \
    TAKT_DESCRIPTOR_(id) = {                                                                       \
        entry_, arg_, takt_stack_##id, takt_stack_##id + sizeof takt_stack_##id,                   \
        &takt_io_##id.server, takt_name_##id};                                                     \
    TAKT_REGISTER_(id, 0, __LINE__)

/*
 * A share that some statement of the program gives an I/O VCPU: c_us per t_us. Constants of this
 * type in the section takt_shares tell the build what to admit. Where there are any for an I/O
 * VCPU, it starts with the largest of them instead of the share it was defined with.
 */
struct takt_io_share {
    struct takt_io_vcpu *io;
    uint32_t c_us;
    uint32_t t_us;
};
#define TAKT_IO_SHARE_SECTION                                                                      \
    __attribute__((section("takt_shares"), used, aligned(__alignof__(void *))))

/*
 * What a bottom half works for: a thread, and the CPU time that this takes each time it looks.
 * Drivers whose bottom half is shared say so, for the bounds of pipes (takt/endpoint.h).
 */
struct takt_io_client {
    const struct takt_thread *bottom, *thread;
    uint32_t work_ns;
};
#define TAKT_IO_CLIENT(id, bottom_, thread_, work_ns_)                                             \
    static const struct takt_io_client takt_io_client_##id                                         \
        __attribute__((section("takt_io_clients"), used, aligned(__alignof__(void *)))) = {        \
            (bottom_), (thread_), (work_ns_)}

/* An event waits for the thread at `place`: wakes the bottom half on its behalf. Interrupt
 * context. O(1). */
void takt_io_raise_isr(struct takt_io_vcpu *io, uint8_t place);

/* The same from a thread, which may be another bottom half; one that sleeps has the more urgent
 * rank when it wakes up. By the client's descriptor, as its place may change until then (create.h).
 * O(threads). TAKT_EINVAL: no such thread; TAKT_ECONTEXT. */
int takt_io_raise(struct takt_io_vcpu *io, const struct takt_thread *client);

/* Ends a top half: as takt_isr_exit(), and its time is charged to the I/O VCPU. */
void takt_io_isr_exit(struct takt_io_vcpu *io, uint8_t source);

/*
 * The bottom half is done with what it took before, and waits until events have been raised.
 * Returns the places they are for. What was raised meanwhile for the same places counts as new, so
 * look for events after this call, not before. Bottom-half thread only. TAKT_ECONTEXT as 0.
 */
takt_set_t takt_io_wait(struct takt_io_vcpu *io);

/*
 * Changes the share to c_us per t_us (0 <= c <= t, t > 0) if the exact admission test still holds.
 * A larger share than ever admitted is usable after the longest period of all threads; until then
 * there is none. Thread context. TAKT_EINVAL, TAKT_EADMIT, TAKT_ENOSPACE, TAKT_ECONTEXT: as
 * takt_vcpu_set_budget().
 */
int takt_io_set_share(struct takt_io_vcpu *io, uint32_t c_us, uint32_t t_us);

/* Off: share 0, the bottom half does not run. On: what it was. Thread. O(1). TAKT_ECONTEXT. */
int takt_io_enable(struct takt_io_vcpu *io, bool on);

/* Is it off? Either context. */
bool takt_io_is_off(const struct takt_io_vcpu *io);

/* Place of a thread in the table, by its descriptor; TAKT_NOBODY if it is in none. Either context,
 * O(threads). */
uint8_t takt_place_of(const struct takt_thread *thread);

/*
 * Last stage of delivery: from the bottom half to the thread that handles the event. At most one
 * event waits here; what comes on top of it is merged and counted.
 */
struct takt_line {
    struct takt_sem *wake; /* the handler's thread waits on it */
    uint8_t place;         /* of that thread */
    uint8_t source;        /* pin, for the trace */
    volatile bool waiting; /* an event has been passed and not been taken */
    takt_time_t at;        /* when its interrupt was taken */
    uint32_t delivered;    /* events taken by the handler */
    uint32_t merged;       /* events that became part of one that waited */
};

/* Bottom half: passes an event on whose interrupt was taken at `at`; `merged`: further events known
 * to have come before it was found. Thread. */
void takt_line_pass(struct takt_line *line, takt_time_t at, uint32_t merged);

/* Handler's thread: takes the event if there is one, and traces how long delivery took. */
bool takt_line_take(struct takt_line *line);

#ifdef __cplusplus
}
#endif

#endif
