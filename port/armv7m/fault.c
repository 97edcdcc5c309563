/*
 * Cortex-M3/M4: fatal errors and faults on the console, in programs that tell (takt/thread.h).
 */
#include <takt/console.h>

#include "core/cpu.h"

#define REG(address) (*(volatile uint32_t *)(address))

#define SCB_CFSR  REG(0xE000ED28u)
#define SCB_MMFAR REG(0xE000ED34u)
#define MPU_CTRL  REG(0xE000ED94u)
#define MPU_RBAR  REG(0xE000ED9Cu)

enum {
    CFSR_MMARVALID = 1 << 7,
    CFSR_STACKING = 3 << 4, /* MLSPERR, MSTKERR: an exception's frame met the guard */
    ON_PSP = 4, /* of EXC_RETURN */
    NULL_BYTES = 128, /* shorter than any vector table */
};

void port_fatal(const char *text)
{
    while (*text)
        board_console_put(*text++);
}

/* The thread that has the stack that the guard is on. */
static uint8_t guarded(void)
{
    uint8_t place = 0;
    while (place < takt_thread_count() &&
           (uint32_t)takt_thread_at(place)->stack != (MPU_RBAR & ~(PORT_GUARD_BYTES - 1u)))
        place++;
    return place < takt_thread_count() ? place : TAKT_NOBODY;
}

/* The interrupts' stack, lowest in RAM: a frame that met its guard or jumped over it, or a write to
 * it; but of a thread whose own stack has overflowed as far as that. */
static void name_isr_overflow(const uint32_t *frame, uint32_t exc_return)
{
    const struct takt_thread *thread = takt_thread_at(takt_self());
    if ((exc_return & ON_PSP) && thread && (const char *)frame < thread->stack)
        return;
    uint32_t offset = SCB_MMFAR - (uint32_t)PORT_ISR_STACK;
    bool told = (SCB_CFSR & CFSR_MMARVALID) && offset < PORT_GUARD_BYTES;
    if (told || (!(exc_return & ON_PSP) && frame < PORT_ISR_STACK + PORT_GUARD_BYTES / 4))
        takt_fatal(TAKT_FATAL_ISR_STACK, TAKT_NOBODY, NULL);
}

/* What a fault of the MPU means, if it was one. */
static void name_mpu_fault(void)
{
    uint32_t status = SCB_CFSR, at = SCB_MMFAR;
    bool inside = at - (MPU_RBAR & ~(PORT_GUARD_BYTES - 1u)) < PORT_GUARD_BYTES;
    if ((status & CFSR_STACKING) || ((status & CFSR_MMARVALID) && inside))
        takt_fatal(TAKT_FATAL_STACK, guarded(), NULL);
    if ((status & CFSR_MMARVALID) && at < NULL_BYTES)
        takt_fatal(TAKT_FATAL_FAULT, takt_self(), "null pointer");
}

/* A frame may have jumped over the guard, and out of RAM. */
static void name_overflow(void)
{
    const struct takt_thread *thread = takt_thread_at(takt_self());
    const char *sp;
    __asm__ volatile("mrs %0, psp" : "=r"(sp));
    if (thread && sp < thread->stack)
        takt_fatal(TAKT_FATAL_STACK, takt_self(), NULL);
}

/* From isr_hardfault; frame: r0-r3, r12, lr, pc, xpsr as the fault stacked them. */
void port_hardfault(const uint32_t *frame, uint32_t exc_return) __attribute__((noreturn, used));
void port_hardfault(const uint32_t *frame, uint32_t exc_return)
{
    TAKT_FACT("last");
    name_isr_overflow(frame, exc_return);
    if (MPU_CTRL != 0)
        name_mpu_fault();
    name_overflow();
    takt_fatal_number("hard fault at 0x", frame[6], 16);
}

/* The frame of the fault is on the stack EXC_RETURN names. Where little or nothing is left of the
 * interrupts' stack, this begins it anew, for nothing goes back. */
void isr_hardfault(void) __attribute__((naked));
void isr_hardfault(void)
{
    __asm__ volatile("tst lr, #4\n\t"
                     "ite eq\n\t"
                     "mrseq r0, msp\n\t"
                     "mrsne r0, psp\n\t"
                     "mov r1, lr\n\t"
                     "ldr r2, =__takt_isr_stack_start + 512\n\t"
                     "cmp sp, r2\n\t"
                     "itt lo\n\t"
                     "ldrlo r2, =__takt_isr_stack_end\n\t"
                     "msrlo msp, r2\n\t"
                     "b port_hardfault\n\t"
                     ".ltorg");
}

/* The MPU's, and what else has a vector of its own, if it is enabled. */
void isr_memmanage(void) __attribute__((alias("isr_hardfault")));
