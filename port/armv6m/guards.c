/*
 * Cortex-M0+ with an MPU (PORT_GUARD_BYTES): the lowest 256 bytes of each thread's stack can be
 * read, since the kernel's sentinel is among them, but not written. Regions are set up once, before
 * the first thread runs, so switching takes no longer:
 *
 *   0       address 0: null pointers
 *   1       4 KB below the interrupts' stack
 *   2..7    2 KB each, with only those of their eighths on that are guards:
 *
 *           |guard stack  |guard stack         |gua|rd ...
 *            xxxxx         xxxxx                xxx         x: read-only
 *
 * The link script aligns stacks to 256 bytes. Where they are spread over more than six times 2 KB,
 * the last in the order of threads have no guard but the sentinel; the build counts the same, by
 * the symbols below (tools/takt/code/stacks.py).
 */
#include "core/cpu.h"

#if PORT_GUARD_BYTES

#define MPU_CTRL (*(volatile uint32_t *)0xE000ED94u)
#define MPU_RBAR (*(volatile uint32_t *)0xE000ED9Cu)
#define MPU_RASR (*(volatile uint32_t *)0xE000EDA0u)

enum {
    ENABLE = 5, /* privileged code: what is in no region is as without MPU; not in fault handlers */
    RBAR_VALID = 1 << 4,
    RASR_ON = 1 << 28 | 1, /* no code */
    RASR_READ_ONLY = 5 << 24,
    SIZE_256 = 7 << 1, /* 2^(7+1) bytes */
    SIZE_2K = 10 << 1,
    SIZE_4K = 11 << 1,
    WINDOW = 2048,
    GUARD = WINDOW / 8,
    FIRST = 2,
    REGIONS = 8,
};

_Static_assert(GUARD == PORT_GUARD_BYTES && WINDOW == 2048 && REGIONS - FIRST == 6, "symbols");
__asm__(".global port_guard_bytes, port_guard_window, port_guard_windows\n\t"
        ".set port_guard_bytes, 256\n\t"
        ".set port_guard_window, 2048\n\t"
        ".set port_guard_windows, 6");

extern char __takt_below_isr_stack[]; /* link script */

static void region(uint32_t number, uint32_t base, uint32_t attributes)
{
    MPU_RBAR = base | RBAR_VALID | number;
    MPU_RASR = RASR_ON | attributes;
}

/* Once, with interrupts off, when all sentinels are written. */
void port_guards(void)
{
    uint32_t window[REGIONS], without[REGIONS], count = FIRST;
    for (uint8_t place = 0; place < takt_core.count; place++) {
        uint32_t at = (uint32_t)takt_descriptor(place)->stack, n = FIRST;
        while (n < count && window[n] != at / WINDOW)
            n++;
        if (n == REGIONS)
            continue;
        if (n == count) {
            window[count] = at / WINDOW;
            without[count++] = 0xFF;
        }
        without[n] &= ~(1u << (at / GUARD % 8));
        region(n, window[n] * WINDOW, RASR_READ_ONLY | without[n] << 8 | SIZE_2K);
    }
    region(0, 0, SIZE_256);
    region(1, (uint32_t)__takt_below_isr_stack, RASR_READ_ONLY | SIZE_4K);
    MPU_CTRL = ENABLE;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

#endif
