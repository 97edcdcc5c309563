/*
 * Mistakes that stop the program; CASE says which. Where it is not defined the host does, in the
 * image: one program for all.
 */
#include <takt/flash.h>
#include <takt/sem.h>
#include <takt/mutex.h>
#include <takt/thread.h>
#include <takt/time.h>

#include "check.h"
#include "noise.h"

#ifdef BOARD_PC
#include <irq.h>
#endif

enum {
    MAIN_RETURNS,
    DEEP_CALLS,         /* a frame after the other, then a call of the kernel */
    ENDLESS_CALLS,      /* the kernel is never called: only an MPU sees it in time */
    BIG_FRAME,          /* jumps over the guard */
    HUGE_FRAME,         /* jumps out of RAM */
    FRAME_OF_INTERRUPT, /* what does not fit is what an interrupt pushes */
    UNDEFINED,
    NO_HANDLER,
    NULL_SEM,
    NULL_MUTEX,
    NULL_READ,
    NULL_SIGNAL,
    NULL_WAIT_FOR,
    NULL_TRY,
    NULL_SIGNAL_ISR,
    NULL_UNLOCK,
    UNALIGNED_SEM,
    UNALIGNED_SIGNAL,
    UNALIGNED_MUTEX,
    ENDS_LOCKED,
};

#if !defined(CASE)
const volatile int32_t chosen = -1;
#define CASE chosen
#endif
const volatile int32_t mpu_off = 0; /* written likewise */

/* Calls that are too many for a stack, but not for two; bytes that reach beyond it and leave what is
 * needed to say so; bytes that reach out of RAM. */
#if defined(BOARD_SIM) || defined(BOARD_PC)
#define DEEP   2048
#define BEYOND 131072
#define MUCH   500000
#elif defined(__AVR__)
#define DEEP   2
#define BEYOND 64
#define MUCH   30000
#else
#define DEEP   12
#define BEYOND 288
#define MUCH   50000
#endif

static struct takt_sem never = TAKT_SEM_INIT(0);
static struct takt_mutex section = TAKT_MUTEX_INIT(0);
volatile uint32_t depth, interrupts;
volatile int32_t answer = 12345;
/* A byte further on there is a semaphore with a unit and room for more, and a free mutex. */
#ifdef __AVR__
#define CROOKED_SEM {0, 0, 1, 0, 127, 127}
#elif TAKT_PLACES == 64
#define CROOKED_SEM {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 127, 127}
#else
#define CROOKED_SEM {0, 0, 0, 0, 0, 1, 0, 127, 127}
#endif
static union {
    char bytes[24];
    uint32_t aligned;
} crooked_sem = {CROOKED_SEM}, crooked_mutex = {{0, 0, (char)TAKT_NOBODY}};

void NOISE_HANDLER(void)
{
    noise_done();
    interrupts++;
    noise_after(100 * NOISE_MHZ);
}

__attribute__((noinline)) static uint32_t deeper(uint32_t n)
{
    volatile uint32_t frame[12];
    depth = n;
    frame[n % 12] = n;
    if (n == 0)
        takt_sleep(1000);
    else
        frame[n % 12] += deeper(n - 1);
    return frame[n % 12];
}

/* Not so large that it reaches takt_core, which says who runs. */
__attribute__((noinline)) static void big(void)
{
    volatile char frame[STACK_BYTES + BEYOND];
    frame[sizeof frame - 1] = 1;
    takt_sleep(1000);
    frame[0] = frame[sizeof frame - 1];
}

__attribute__((noinline)) static void huge(void)
{
    volatile char frame[MUCH];
    frame[0] = 1;
    takt_sleep(1000);
    frame[1] = frame[0];
}

/* Leaves 48 bytes of the stack, or 8, and spins. On a PC they are above the page that is not there. */
static void spin(char *stack)
{
#if defined(__AVR__)
    SP = (uint16_t)(stack + 8);
    for (;;)
        continue;
#elif defined(__arm__)
    __asm__ volatile("mov sp, %0\n1: b 1b" ::"r"(stack + 48));
#elif defined(BOARD_PC)
    uintptr_t guard = ((uintptr_t)stack + 8 + 4095) & ~(uintptr_t)4095;
    __asm__ volatile("mov %0, %%rsp\n1: jmp 1b" ::"r"(guard + 4096 + 48));
#else
    (void)stack;
#endif
}

/* sim has no vectors. AVR has neither an undefined instruction that does something nor an MPU. */
static void undefined(void)
{
#ifdef __arm__
    __asm__ volatile("udf #0");
#elif defined(BOARD_SIM) || defined(BOARD_PC)
    __builtin_trap();
#endif
}

static void no_handler(void)
{
#ifdef __AVR__
    TIMSK0 = 1u << OCIE0A;
    TCCR0B = 1;
#elif defined(__arm__)
    *(volatile uint32_t *)0xE000E100u = 1u << 25;
    *(volatile uint32_t *)0xE000E200u = 1u << 25;
#elif defined(BOARD_PC)
    irq_pend(200);
#endif
}

static void thread(void *arg)
{
    (void)arg;
    if (mpu_off)
        *(volatile uint32_t *)(uintptr_t)0xE000ED94u = 0;
    switch ((int)CASE) {
    case DEEP_CALLS:
        deeper(DEEP);
        break;
    case ENDLESS_CALLS:
        deeper(100000);
        break;
    case BIG_FRAME:
        big();
        break;
    case HUGE_FRAME:
        huge();
        break;
    case FRAME_OF_INTERRUPT:
        noise_open(NOISE_ORDINARY);
        noise_after(100 * NOISE_MHZ);
        spin(TAKT_FLASH_POINTER(&takt_thread_at(takt_self())->stack));
        break;
    case UNDEFINED:
        undefined();
        break;
    case NULL_SEM:
        answer = takt_sem_wait(NULL);
        break;
    case NULL_MUTEX:
        answer = takt_mutex_lock(NULL);
        break;
    case NULL_READ:
        answer = *(volatile int *volatile)NULL;
        break;
    case NULL_SIGNAL:
        answer = takt_sem_signal(NULL);
        break;
    case NULL_WAIT_FOR:
        answer = takt_sem_wait_for(NULL, 1000);
        break;
    case NULL_TRY:
        answer = takt_sem_try(NULL);
        break;
    case NULL_SIGNAL_ISR:
        answer = takt_sem_signal_isr(NULL);
        break;
    case NULL_UNLOCK:
        answer = takt_mutex_unlock(NULL);
        break;
    case UNALIGNED_SEM:
        answer = takt_sem_wait((void *)(crooked_sem.bytes + 1));
        break;
    case UNALIGNED_SIGNAL:
        answer = takt_sem_signal((void *)(crooked_sem.bytes + 1));
        break;
    case UNALIGNED_MUTEX:
        answer = takt_mutex_lock((void *)(crooked_mutex.bytes + 1));
        takt_mutex_unlock((void *)(crooked_mutex.bytes + 1));
        break;
    case ENDS_LOCKED:
        takt_mutex_lock(&section);
        return;
    case NO_HANDLER:
        no_handler();
        break;
    }
    takt_sem_wait(&never);
}

/* Something must call the kernel, for what only it can see. */
static void rouser_thread(void *arg)
{
    (void)arg;
    for (;;)
        takt_sleep(700);
}

static void innocent_thread(void *arg)
{
    (void)arg;
    takt_sem_wait(&never);
}

TAKT_THREAD(rouser, 1, rouser_thread, 0, STACK_BYTES)
TAKT_THREAD(careless, 2, thread, 0, STACK_BYTES)
TAKT_THREAD(innocent, 3, innocent_thread, 0, STACK_BYTES)

int main(void)
{
    if (CASE != MAIN_RETURNS)
        takt_start();
}
