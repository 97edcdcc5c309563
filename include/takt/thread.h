/*
 * Threads: registered at build time, ordered before main, never allocated.
 *
 * TAKT_THREAD() puts a descriptor in flash and its address into the section .takt.thread.<order>,
 * which the link script sorts; the position of that address is the thread's place, and the place
 * is its priority (0 is the highest). Budgeted threads are ordered by period (rate monotonic,
 * shorter first; equal periods in order of definition); threads without a budget come after
 * them, ordered by the priority they name.
 */
#ifndef TAKT_THREAD_H
#define TAKT_THREAD_H

#include <takt/port_section.h>
#include <takt/set.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_vcpu;
struct takt_sem;

/* What a thread is; const, in flash. */
struct takt_thread {
    void (*entry)(void *arg);
    void *arg;
    char *stack;            /* lowest address, 8-aligned */
    char *stack_end;        /* one past the highest, 8-aligned */
    struct takt_vcpu *vcpu; /* its budget, or NULL: runs in the background band */
    const char *name;       /* for reports and fatal messages; on AVR in flash, as this is */
};

/* What the kernel remembers of a thread between runs; one per place, laid out by the linker. */
struct takt_tcb {
    void *sp; /* saved stack pointer */
#if TAKT_DYNAMIC
    struct takt_sem *waits; /* of whose waiters it is one, or NULL */
#endif
};

/*
 * Registers thread `id` (a C identifier, or what follows takt_thread_ in the descriptor's name).
 * `order` is an integer constant expression 0..1147483647 by which the linker sorts; among equal
 * ones the smaller `tie`, 0..999999, comes first. TAKT_THREAD() and TAKT_BUDGET_THREAD() use this.
 */
#define TAKT_REGISTER_HERE_(id, order, tie)                                                        \
    __asm__ volatile(TAKT_REGISTER_ASM_(id)::"i"(1000000000 + (order)),                            \
                     "i"(sizeof(struct takt_tcb)), "i"(1000000 + (tie)))
#define TAKT_REGISTER_(id, order, tie)                                                             \
    __attribute__((used)) static void takt_register_##id(void)                                     \
    {                                                                                              \
        TAKT_REGISTER_HERE_(#id, order, tie);                                                      \
    }

/* Order keys: periods in us come first, then explicit priorities. */
#define TAKT_ORDER_PRIORITY_(p) (0x40000001u + (uint32_t)(p))

/*
 * Defines and registers a thread without a budget.
 * id: identifier; priority: 0..255, smaller is more urgent, place decided at link time;
 * Of two with the same priority the one defined first, by line and then by order of linking, is the
 * more urgent; they never share turns. entry(arg): body, should not return (if it does the thread
 * ends); stack_bytes: see docs/guarantees.md, the sketch build computes it, C programs state it.
 */
#define TAKT_THREAD(id, priority, entry_, arg_, stack_bytes)                                       \
    static char takt_stack_##id[TAKT_STACK_BYTES_(stack_bytes)]                                    \
        __attribute__((aligned(TAKT_STACK_ALIGN_), section(".takt.stacks." #id)));                 \
    TAKT_NAME_(id, #id);                                                                           \
    TAKT_DESCRIPTOR_(id) = {                                                                       \
        entry_, arg_, takt_stack_##id, takt_stack_##id + sizeof takt_stack_##id, 0,                \
        takt_name_##id};                                                                           \
    TAKT_REGISTER_(id, TAKT_ORDER_PRIORITY_(priority), __LINE__)

/*
 * Starts the kernel: orders nothing, allocates nothing, enters the most urgent thread. Never
 * returns. Context: main, once, interrupts enabled or not.
 */
void takt_start(void) __attribute__((noreturn));

/* Place of the calling thread, or TAKT_NOBODY before start and while idle; 0 then, too, of a single
 * thread without a budget. Either context. */
uint8_t takt_self(void);

/* Number of threads. Either context. */
uint8_t takt_thread_count(void);

/* Descriptor of the thread at a place, or NULL. On AVR it is in flash: a member is to be read by
 * TAKT_FLASH_POINTER (takt/flash.h). Either context. */
const struct takt_thread *takt_thread_at(uint8_t place);

/* Ends the calling thread: it never runs again, as when its entry returns. Fatal when it holds a
 * mutex. Thread context; never returns. */
void takt_thread_exit(void) __attribute__((noreturn));

/*
 * Fatal error: notes it and stops. Where the program can tell, it also prints "takt: fatal: WHY (in
 * NAME)" on the board's console by polling and records it in takt_fatal_record. Either context.
 * `why` NULL: the code says all; so it does in the record.
 *
 * Telling takes some 700 bytes of flash, so it is linked only into programs with the Arduino API, a
 * serial port or the trace, and those that say TAKT_TELLS_FATAL; at the top of a file. In other
 * programs the code and the place stay in takt_core, for a debugger.
 */
enum takt_fatal {
    TAKT_FATAL_STACK = 1,     /* sentinel overwritten or stack pointer out of range */
    TAKT_FATAL_FAULT = 2,     /* CPU fault */
    TAKT_FATAL_ASSERT = 3,    /* broken kernel invariant */
    TAKT_FATAL_CONTEXT = 4,   /* something that is impossible here: malloc in an interrupt, ... */
    TAKT_FATAL_EXIT = 5,      /* exit(), abort() or a failed assert() */
    TAKT_FATAL_THREADS = 6,   /* no threads, or too many */
    TAKT_FATAL_START = 7,     /* main() returned */
    TAKT_FATAL_ISR_STACK = 8, /* as TAKT_FATAL_STACK, of the stack of the interrupts */
};
struct takt_fatal_record {
    uint32_t code; /* enum takt_fatal, 0 while all is well */
    uint32_t place;
    const char *why;
};
extern volatile struct takt_fatal_record takt_fatal_record;
void takt_fatal(enum takt_fatal code, uint8_t place, const char *why) __attribute__((noreturn));

#define TAKT_TELLS_FATAL TAKT_NEEDS_(TELLING)

/* A vector without a handler comes here (the board's vectors). Interrupt context. */
void takt_unhandled(uint32_t exception) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
