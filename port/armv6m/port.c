/*
 * Port to ARMv6-M (Cortex-M0, M0+). The clock and the alarm are a board's, see drivers/clock.
 */
#include <takt/console.h>
#include <takt/port.h>
#include <takt/thread.h>

#define SCB_ICSR (*(volatile uint32_t *)0xE000ED04u)
#define SCB_SHPR2 (*(volatile uint32_t *)0xE000ED1Cu)
#define SCB_SHPR3 (*(volatile uint32_t *)0xE000ED20u)
#define NVIC_ICER (*(volatile uint32_t *)0xE000E180u)
#define ICSR_PENDSVSET (1u << 28)
#define ICSR_PENDSVCLR (1u << 27)

extern void port_thread_entry(void);

/* SVC above everything (it must never be refused), PendSV below everything. */
void port_init(void)
{
    SCB_SHPR2 &= 0x00FFFFFFu;
    SCB_SHPR3 |= 0x00C00000u;
}

void *port_stack_init(char *stack, char *stack_end, void (*entry)(void *), void *arg)
{
    uint32_t *frame = (uint32_t *)(void *)stack_end - 9;
    (void)stack;
    frame[4] = (uint32_t)entry; /* r4 */
    frame[5] = (uint32_t)arg;   /* r5 */
    frame[8] = (uint32_t)port_thread_entry;
    return frame;
}

void port_switch_from_isr(void)
{
    SCB_ICSR = ICSR_PENDSVSET;
}

void port_fatal(const char *line)
{
    NVIC_ICER = 0xFFFFFFFFu; /* nothing may wake the core again */
    SCB_ICSR = ICSR_PENDSVCLR;
    while (*line)
        board_console_put(*line++);
    for (;;)
        __asm__ volatile("wfi");
}

/* From isr_hardfault; frame: r0-r3, r12, lr, pc, xpsr as the fault stacked them. */
void port_hardfault(const uint32_t *frame) __attribute__((noreturn, used));
void port_hardfault(const uint32_t *frame)
{
    static char why[] = "hard fault at 0x........";
    for (int i = 0; i < 8; i++)
        why[16 + i] = "0123456789abcdef"[frame[6] >> (28 - 4 * i) & 15];
    takt_fatal(TAKT_FATAL_FAULT, takt_self(), why);
}
