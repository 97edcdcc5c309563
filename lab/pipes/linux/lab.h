/* The Linux guest: its settings, and the parts of its program. */
#ifndef LAB_PIPES_LINUX_H
#define LAB_PIPES_LINUX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../guest.h"

/* Given as name=value after -- on the kernel's command line. */
struct settings {
    long vendor;    /* the vendor's way: a thread that reads USB itself; 0: the kernel's driver */
    long readers;   /* mask of channels with a reader */
    long writers;   /* mask of channels with a writer */
    long hogs;      /* threads that count */
    long start_ms;  /* when the measurement begins, by lab_ns() */
    long seconds;   /* it takes */
    long budget_us; /* of readers and writers; 0: not under SCHED_DEADLINE */
    long period_us;
    long batch;     /* frames that a writer gives at once */
    long hrtick;    /* scheduler feature HRTICK_DL */
    long irq_budget_us; /* of the host controller's interrupt thread (PREEMPT_RT); 0: as it is */
    long irq_period_us;
};

struct can {
    uint32_t id; /* as SocketCAN has it: CAN_EFF_FLAG for 29 bits */
    uint8_t length, data[8];
};

struct writer {
    unsigned channel;
    uint32_t sent, refused;
    uint64_t start, end;
};

extern struct settings settings;
extern struct tally tallies[LAB_CHANNELS];
extern struct writer writers[LAB_CHANNELS];

/* Ends the guest with a message; of a system call when errno is set. */
_Noreturn void fail(const char *what);
/* Powers the machine off. */
_Noreturn void off(void);

/* File systems, modules, scheduler features. */
void boot(void);
/* Writes a text to a file; false where it cannot. */
bool put(const char *path, const char *text);

/* Puts a thread under SCHED_DEADLINE: runtime in every period. */
void deadline_of(int thread, long runtime_us, long period_us);
/* The calling thread. */
void deadline(long runtime_us, long period_us);
/* The host controller's interrupt thread, as settings say. */
void set_irq_thread(void);
/* A thread that runs task(argument); with a name for failures. */
void thread(void *(*task)(void *), void *argument);
/* Sleeps until the clock of lab_ns(). */
void sleep_until(uint64_t ns);

void *reader(void *tally); /* element of tallies */
void *writer(void *writer);

/* One of two ways to the device. Opened before a channel starts, so that no frame is missed. */
struct way {
    void (*open)(void); /* finds the device, makes what readers wait on */
    void (*start)(void); /* starts the channels that settings name */
    void (*stop)(void);
    bool (*receive)(unsigned channel, struct can *frame); /* waits; false: closed */
    bool (*send)(unsigned channel, const struct can *frame); /* waits for room */
};

extern const struct way socketcan, vendor;
extern const struct way *way;

#endif
