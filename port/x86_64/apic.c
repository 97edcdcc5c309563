/*
 * The local APIC (Intel's manual, volume 3, chapter 10): by its registers in memory, or, where the
 * firmware has switched that on, as x2APIC by model specific registers.
 */
#include "apic.h"

#include "x86.h"

#define BASE      0xFEE00000u
#define MSR_X2    0x800u
#define BASE_ON   0x800u
#define BASE_X2   0x400u

enum {
    ID = 0x20,
    TASK_PRIORITY = 0x80,
    DONE = 0xB0,
    SPURIOUS = 0xF0,
    COMMAND = 0x300,
    COMMAND_TO = 0x310,
    LVT_TIMER = 0x320,
    LVT_LINE0 = 0x350,
    LVT_LINE1 = 0x360,
    LVT_ERROR = 0x370,
    COUNT = 0x380,
    LEFT = 0x390,
    DIVIDE = 0x3E0,
    DIVIDE_BY_1 = 0xB,
    MASKED = 1 << 16,
    DEADLINE = 2 << 17,
    SOFTWARE_ON = 1 << 8,
    SENDING = 1 << 12,
    NMI = 4 << 8,
    CAN_DEADLINE = 1 << 24, /* in c of leaf 1 */
};

static bool x2(void)
{
    return x86_read_msr(MSR_APIC_BASE) & BASE_X2;
}

static bool by_msr; /* as the CPU that boots is; the rest is made so */

static void put(uint32_t reg, uint32_t value)
{
    if (by_msr)
        x86_write_msr(MSR_X2 + reg / 16, value);
    else
        *(volatile uint32_t *)(uintptr_t)(BASE + reg) = value;
}

static uint32_t get(uint32_t reg)
{
    return by_msr ? (uint32_t)x86_read_msr(MSR_X2 + reg / 16)
                  : *(volatile uint32_t *)(uintptr_t)(BASE + reg);
}

void apic_start(void)
{
    uint64_t base = x86_read_msr(MSR_APIC_BASE);
    if (x86_here()->index == 0)
        by_msr = x2();
    x86_write_msr(MSR_APIC_BASE, base | BASE_ON | (by_msr ? BASE_X2 : 0));
    x86_here()->apic_id = apic_id();
    put(LVT_TIMER, MASKED);
    put(LVT_LINE0, MASKED); /* the old interrupt controllers */
    put(LVT_LINE1, x86_here()->index == 0 ? NMI : MASKED);
    put(LVT_ERROR, MASKED);
    put(TASK_PRIORITY, 0);
    put(DIVIDE, DIVIDE_BY_1);
    put(SPURIOUS, SOFTWARE_ON | VECTOR_SPURIOUS);
}

uint32_t apic_id(void)
{
    return by_msr ? get(ID) : get(ID) >> 24;
}

void apic_done(void)
{
    put(DONE, 0);
}

void apic_send(uint32_t id, uint32_t command)
{
    if (by_msr) {
        __asm__ volatile("mfence\n\tlfence" ::: "memory"); /* what it is about is seen first */
        x86_write_msr(MSR_X2 + COMMAND / 16, (uint64_t)id << 32 | command);
        return;
    }
    while (get(COMMAND) & SENDING)
        x86_relax();
    put(COMMAND_TO, id << 24);
    put(COMMAND, command);
}

void apic_count(uint32_t ticks)
{
    put(LVT_TIMER, VECTOR_ALARM);
    put(COUNT, ticks);
}

uint32_t apic_left(void)
{
    return get(LEFT);
}

bool apic_deadline(void)
{
    if (!(x86_id(1).c & CAN_DEADLINE))
        return false;
    put(LVT_TIMER, DEADLINE | VECTOR_ALARM);
    __asm__ volatile("mfence" ::: "memory"); /* before the register is written for the first time */
    return true;
}
