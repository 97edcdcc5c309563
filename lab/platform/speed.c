/*
 * Workloads for the speed of the virtual platform; WORKLOAD picks one:
 *   1 sieve: loops over bytes in RAM        2 sort: recursion, comparisons, calls
 *   3 mix: 32-bit arithmetic, CRC, tables   4 interrupts: SysTick every 500 cycles, a pin toggled
 *   5 registers: polling timer and pins     6 all of 1, 2, 3 in turn under a 1 ms SysTick
 */
#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))

enum { SIEVE = 8191, ITEMS = 256 };

static uint8_t flags[SIEVE];
static uint32_t items[ITEMS];
static volatile uint32_t result, ticks;
static const uint32_t table[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

void start(void);
void tick(void);

struct vectors {
    uint32_t stack;
    void (*handler[15])(void);
};
__attribute__((section(".vectors"), used)) static const struct vectors vectors = {
    0x20042000, {[0] = start, [14] = tick}};

static void sieve(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIEVE; i++)
        flags[i] = 1;
    for (uint32_t i = 2; i < SIEVE; i++) {
        if (flags[i] == 0)
            continue;
        count++;
        for (uint32_t k = i + i; k < SIEVE; k += i)
            flags[k] = 0;
    }
    result = count;
}

static uint32_t crc(const uint8_t *data, uint32_t size)
{
    uint32_t value = 0xffffffffu;
    while (size-- > 0) {
        value ^= *data++;
        value = table[value & 15] ^ value >> 4;
        value = table[value & 15] ^ value >> 4;
    }
    return ~value;
}

static void mix(void)
{
    uint32_t x = 12345;
    for (uint32_t i = 0; i < ITEMS; i++) {
        x = x * 1664525u + 1013904223u;
        items[i] = x ^ x >> 7;
    }
    result = crc((const uint8_t *)items, sizeof items);
}

static void quicksort(uint32_t *low, uint32_t *high)
{
    if (low >= high)
        return;
    uint32_t pivot = *high, *store = low;
    for (uint32_t *p = low; p < high; p++) {
        if (*p < pivot) {
            uint32_t value = *p;
            *p = *store;
            *store++ = value;
        }
    }
    *high = *store;
    *store = pivot;
    quicksort(low, store - 1);
    quicksort(store + 1, high);
}

static void sort(void)
{
    mix();
    quicksort(items, items + ITEMS - 1);
}

static void registers(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 1000; i++)
        sum += REG(0x40054028) + REG(0xd0000004);
    result = sum;
}

void tick(void)
{
    ticks++;
    REG(0xd000001c) = 1;
}

static void start_ticks(uint32_t period)
{
    REG(0xe000e014) = period - 1;
    REG(0xe000e018) = 0;
    REG(0xe000e010) = 7;
}

static void start_devices(void)
{
    REG(0x4000c000) = 0;
    REG(0x40014004) = 5;
    REG(0xd0000024) = 1;
    REG(0x4005802c) = 1 << 9 | 6;
}

void start(void)
{
    start_devices();
    if (WORKLOAD == 4 || WORKLOAD == 6)
        start_ticks(WORKLOAD == 4 ? 500 : 125000);
    for (;;) {
        if (WORKLOAD == 1 || WORKLOAD == 4 || WORKLOAD == 6)
            sieve();
        if (WORKLOAD == 2 || WORKLOAD == 6)
            sort();
        if (WORKLOAD == 3 || WORKLOAD == 6)
            mix();
        if (WORKLOAD == 5)
            registers();
    }
}
