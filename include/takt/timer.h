/*
 * Software timers: functions that a thread of their own calls at a time, once or again and again.
 *
 *   TAKT_TIMER_THREAD(timers, 500, 10000, 512);
 *   static struct takt_timer blink = TAKT_TIMER_INIT(toggle, &led);
 *   takt_timer_start(&timers, &blink, 100000, 250000);
 *
 * They share the thread's budget and keep each other waiting, so they are to be short and must not
 * block. A function with a deadline of its own is a periodic job (takt/periodic.h).
 */
#ifndef TAKT_TIMER_H
#define TAKT_TIMER_H

#include <takt/sem.h>
#include <takt/vcpu.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_timer_service;

struct takt_timer {
    void (*call)(void *arg);
    void *arg;
    /* the rest is the kernel's */
    struct takt_timer_service *of; /* NULL until it is first started */
    struct takt_timer *next;       /* the next due, if `listed`: both are the thread's own */
    struct takt_timer *next_changed;
    takt_time_t at;         /* its next date */
    takt_time_t wanted_at;  /* the one it is to be started for */
    uint32_t period_us;     /* 0: once */
    bool started, listed;
    bool changed;           /* among those that the thread is to look at */
};

#define TAKT_TIMER_INIT(call_, arg_)                                                               \
    {(call_), (arg_), NULL, NULL, NULL, 0, 0, 0, false, false, false}

/* Timers that one thread calls. */
struct takt_timer_service {
    struct takt_timer *first;                 /* the first due */
    struct takt_timer *changed, *last_changed; /* started since the thread looked */
    struct takt_sem wake;
};

#define TAKT_TIMER_SERVICE_INIT {NULL, NULL, NULL, TAKT_SEM_BINARY_INIT(0)}

/* Defines a service, and registers the thread that calls its timers' functions, with a budget of
 * c_us in t_us. */
#define TAKT_TIMER_THREAD(id, c_us, t_us, stack_bytes)                                             \
    struct takt_timer_service id = TAKT_TIMER_SERVICE_INIT;                                        \
    TAKT_BUDGET_THREAD(id, c_us, t_us, takt_timer_serve, &id, stack_bytes)

/* The body of such a thread. Never returns. */
void takt_timer_serve(void *service);

/*
 * Starts a timer, or starts it anew: its function is called once `first_us` from now have passed,
 * and, unless period_us is 0, again each period_us after that date, however late calls come. Dates
 * that have passed when a call comes have that one together. Thread context, interrupts on.
 * TAKT_OK, TAKT_ECONTEXT; TAKT_EINVAL above TAKT_DURATION_MAX, and for a timer of another service.
 * O(1); the thread takes O(timers) for it.
 */
int takt_timer_start(struct takt_timer_service *service, struct takt_timer *timer,
                     uint32_t first_us, uint32_t period_us);

/* The same from an interrupt handler. */
int takt_timer_start_isr(struct takt_timer_service *service, struct takt_timer *timer,
                         uint32_t first_us, uint32_t period_us);

/* Its function is not called again; a call may be under way, if the caller is more urgent than the
 * service's thread. Either context. TAKT_OK; TAKT_EAGAIN when it is not started. O(1). */
int takt_timer_stop(struct takt_timer *timer);

#ifdef __cplusplus
}
#endif

#endif
