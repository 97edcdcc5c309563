/*
 * Signals of the host (fault.h). The handlers have a stack of their own, since the program's may be
 * what is wrong, or small. That of faults never returns: the kernel stops the program. While it
 * runs, half of what stacks have beyond what was asked for is read-only, at their ends.
 *
 * A loop with nothing in it has no block that the compiler would count. Now and then a timer looks
 * whether the program is in a jump to itself; if so it goes on in a loop that lets time pass. Since
 * nothing else can come of such a jump, it does not matter when the timer comes.
 */
#define _GNU_SOURCE
#include "fault.h"

#include "../../kernel/core/cpu.h"
#include "../../drivers/sim/chip.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define FIRST_PAGE 4096u
#define LOOK_NS    10000000

enum { STACK_BYTES = 65536, GUARD_BYTES = 65536 };

TAKT_TELLS_FATAL;

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#define SIGNALS (sizeof signals / sizeof signals[0])

static struct sigaction before[SIGNALS];
static stack_t stack_before;
static char handler_stack[STACK_BYTES];
static struct sigaction look_before;
static timer_t timer;

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* Where the program was, as it is linked. */
static uint32_t place_of(const ucontext_t *at)
{
#if defined(__x86_64__)
    uintptr_t pc = (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    uintptr_t pc = (uintptr_t)at->uc_mcontext.pc;
#endif
    return (uint32_t)(pc - (uintptr_t)__ehdr_start);
}

/* The guard of a stack, in whole pages above the kernel's sentinel. */
static char *guard_of(uint8_t place)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return (char *)(((uintptr_t)takt_descriptor(place)->stack + page) & ~(page - 1u));
}

static void guard(int access)
{
    for (uint8_t place = 0; place < takt_places(); place++)
        (void)mprotect(guard_of(place), GUARD_BYTES, access);
}

static void name_overflow(uintptr_t at)
{
    for (uint8_t place = 0; place < takt_places(); place++)
        if (at - (uintptr_t)guard_of(place) < GUARD_BYTES)
            takt_fatal(TAKT_FATAL_STACK, place, NULL);
}

static void fault(int number, siginfo_t *info, void *context)
{
    if (number == SIGSEGV)
        name_overflow((uintptr_t)info->si_addr);
    if (number == SIGSEGV && (uintptr_t)info->si_addr < FIRST_PAGE)
        takt_fatal(TAKT_FATAL_FAULT, takt_self(), "null pointer");
    takt_fatal_number("hard fault at 0x", place_of(context), 16);
}

static __attribute__((noreturn)) void endless(void)
{
    for (;;)
        sim_cost(1000000u);
}

/* A jump to itself, or to the nop before it. */
static bool jumps_to_itself(const ucontext_t *at)
{
#if defined(__x86_64__)
    const uint8_t *pc = (const uint8_t *)at->uc_mcontext.gregs[REG_RIP];
    return !memcmp(pc, "\xEB\xFE", 2) || !memcmp(pc, "\x90\xEB\xFD", 3) ||
           !memcmp(pc - 1, "\x90\xEB\xFD", 3);
#elif defined(__aarch64__)
    const uint32_t *pc = (const uint32_t *)at->uc_mcontext.pc, nop = 0xD503201Fu;
    return pc[0] == 0x14000000u || (pc[0] == nop && pc[1] == 0x17FFFFFFu) ||
           (pc[0] == 0x17FFFFFFu && pc[-1] == nop);
#endif
}

static void look(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    (void)number;
    (void)info;
    if (!jumps_to_itself(at))
        return;
#if defined(__x86_64__)
    uintptr_t sp = (uintptr_t)at->uc_mcontext.gregs[REG_RSP];
    at->uc_mcontext.gregs[REG_RSP] = (greg_t)(((sp - 128u) & ~(uintptr_t)15) - 8u); /* as called */
    at->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)endless;
#elif defined(__aarch64__)
    at->uc_mcontext.pc = (uintptr_t)endless;
#endif
}

static void look_begin(void)
{
    struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
    const struct itimerspec often = {{0, LOOK_NS}, {0, LOOK_NS}};
    event._sigev_un._tid = gettid();
    (void)sigaction(SIGVTALRM, &action, &look_before);
    (void)timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
    (void)timer_settime(timer, 0, &often, NULL);
}

static void look_end(void)
{
    (void)timer_delete(timer);
    (void)sigaction(SIGVTALRM, &look_before, NULL);
}

void sim_faults_begin(void)
{
    stack_t own = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)sigaltstack(&own, &stack_before);
    for (size_t i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], &action, &before[i]);
    guard(PROT_READ);
    look_begin();
}

void sim_faults_end(void)
{
    look_end();
    guard(PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], &before[i], NULL);
    (void)sigaltstack(&stack_before, NULL);
}
