/*
 * Port to ARMv7-M (Cortex-M3, M4, M4F). The clock and the alarm are a board's, see drivers/clock.
 *
 * Where there is an MPU, its region 0 is the guard of the running thread's stack: the lowest 32
 * bytes, which the link script aligns. They can be read, since the kernel's sentinel is among them,
 * but not written. switch.S moves it; without an MPU its registers take no notice. Region 1 keeps
 * null pointers from the vector table, which only the core itself reads. Region 2 is the guard of
 * the interrupts' stack.
 */
#include "core/uses.h"

#include <takt/port.h>
#include <takt/thread.h>

#define REG(address) (*(volatile uint32_t *)(address))

#define NVIC_ICER ((volatile uint32_t *)0xE000E180u)
#define NVIC_IPR  ((volatile uint8_t *)0xE000E400u)
#define SCB_ICSR  REG(0xE000ED04u)
#define SCB_CCR   REG(0xE000ED14u)
#define SCB_SHPR  ((volatile uint8_t *)0xE000ED14u) /* [n]: of exception n, from 4 */
#define SCB_SHCSR REG(0xE000ED24u)
#define SYST_CSR  REG(0xE000E010u)
#define MPU_TYPE  REG(0xE000ED90u)
#define MPU_CTRL  REG(0xE000ED94u)
#define MPU_RNR   REG(0xE000ED98u)
#define MPU_RBAR  REG(0xE000ED9Cu)
#define MPU_RASR  REG(0xE000EDA0u)

enum {
    ICSR_PENDSVSET = 1 << 28,
    ICSR_PENDSVCLR = 1 << 27,
    CCR_STKALIGN = 1 << 9,
    SHCSR_MEMFAULTENA = 1 << 16,
    MPU_ENABLE = 5,         /* for privileged code, whatever is in no region is as without MPU */
    MPU_DREGION = 0xFF00,
    RASR_GUARD = 1 << 28 | 5 << 24 | 4 << 1 | 1, /* no code, read-only, 2^(4+1) bytes, on */
    RASR_NULL = 1 << 28 | 6 << 1 | 1,            /* nothing, 2^(6+1) bytes, on */
    EXC_SVCALL = 11,
    EXC_PENDSV = 14,
    EXC_SYSTICK = 15,
    EXC_FIRST_IRQ = 16,
};

extern void port_thread_entry(void);

/* SVC is only called with the lock open, so it need not be above other interrupts. */
void port_init(void)
{
    SCB_CCR |= CCR_STKALIGN;
    SCB_SHPR[EXC_SVCALL] = TAKT_IRQ_PRIORITY;
    SCB_SHPR[EXC_PENDSV] = 0xFF;
    if ((MPU_TYPE & MPU_DREGION) == 0)
        return;
    SCB_SHCSR |= SHCSR_MEMFAULTENA;
    MPU_RNR = 1;
    MPU_RBAR = 0;
    MPU_RASR = RASR_NULL;
    MPU_RNR = 2; /* its sentinel is written by now */
    MPU_RBAR = (uint32_t)PORT_ISR_STACK;
    MPU_RASR = RASR_GUARD;
    MPU_RNR = 0; /* and stays so, for switch.S */
    MPU_RASR = RASR_GUARD;
    MPU_CTRL = MPU_ENABLE;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

/* What port_switch() saves: see switch.S. */
void *port_stack_init(char *stack, char *stack_end, void (*entry)(void *), void *arg)
{
    uint32_t *frame = (uint32_t *)(void *)stack_end - 9;
    frame[0] = (uint32_t)entry; /* r4 */
    frame[1] = (uint32_t)arg;   /* r5 */
    frame[8] = (uint32_t)port_thread_entry;
#ifdef __ARM_FP
    *--frame = 2; /* CONTROL: on PSP, FPU not used */
#endif
    *--frame = (uint32_t)stack;
    return frame;
}

void port_switch_from_isr(void)
{
    SCB_ICSR = ICSR_PENDSVSET;
}

#if TAKT_CHECKS
static char above[] = "kernel called above TAKT_IRQ_PRIORITY by exception 000";

/* `above`, with the handler's number at its end. */
static const char *above_by(uint32_t exception)
{
    char *digit = above + sizeof above - 4;
    if (exception >= 100)
        *digit++ = (char)('0' + exception / 100);
    *digit++ = (char)('0' + exception / 10 % 10);
    *digit++ = (char)('0' + exception % 10);
    *digit = '\0';
    return above;
}

/* An interrupt above the kernel's lock may have come in while the kernel's data was being changed.
 */
void port_check_caller(void)
{
    uint32_t exception;
    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    if (exception < EXC_SYSTICK || (TAKT_HAS_TELLING && takt_fatal_record.code != 0))
        return;
    uint8_t priority =
        exception < EXC_FIRST_IRQ ? SCB_SHPR[exception] : NVIC_IPR[exception - EXC_FIRST_IRQ];
    if (priority < TAKT_IRQ_PRIORITY) {
        takt_fatal_record.code = TAKT_FATAL_CONTEXT; /* takt_fatal() comes by here */
        takt_fatal(TAKT_FATAL_CONTEXT, takt_self(), above_by(exception));
    }
}
#endif

void port_halt(void)
{
    __asm__ volatile("cpsid i");
    for (int i = 0; i < 8; i++)
        NVIC_ICER[i] = 0xFFFFFFFFu; /* nothing may wake the core again */
    SYST_CSR = 0;
    SCB_ICSR = ICSR_PENDSVCLR;
    for (;;)
        __asm__ volatile("wfi");
}
