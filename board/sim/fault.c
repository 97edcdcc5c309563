/*
 * Signals of the host as faults (fault.h). The handler has a stack of its own, since the program's
 * may be what is wrong, and never returns: the kernel stops the program.
 */
#define _GNU_SOURCE
#include "fault.h"

#include "../../kernel/cpu.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#define FIRST_PAGE 4096u

enum { STACK_BYTES = 65536 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#define SIGNALS (sizeof signals / sizeof signals[0])

static struct sigaction before[SIGNALS];
static stack_t stack_before;
static char handler_stack[STACK_BYTES];

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

static void fault(int number, siginfo_t *info, void *context)
{
    if (number == SIGSEGV && (uintptr_t)info->si_addr < FIRST_PAGE)
        takt_fatal(TAKT_FATAL_FAULT, takt_self(), "null pointer");
    takt_fatal_number("hard fault at 0x", place_of(context), 16);
}

void sim_faults_begin(void)
{
    stack_t own = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)sigaltstack(&own, &stack_before);
    for (size_t i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], &action, &before[i]);
}

void sim_faults_end(void)
{
    for (size_t i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], &before[i], NULL);
    (void)sigaltstack(&stack_before, NULL);
}
