/*
 * What the compiler's own functions take that have loops: each with many operands, the longest time of
 * ROUNDS calls of each kind.
 */
#include <takt/port.h>
#include <takt/thread.h>
#include <takt/time.h>

#include "check.h"

#define ROUNDS   16
#define OPERANDS 120

#define KINDS(X)                                                                                   \
    X(udivsi3, uint32_t, a.u / b.u)                                                                \
    X(divsi3, int32_t, (int32_t)a.u / (int32_t)b.u)                                                \
    X(uidivmod, uint32_t, a.u % b.u)                                                               \
    X(idivmod, int32_t, (int32_t)a.u % (int32_t)b.u)                                               \
    X(uldivmod, uint64_t, a.l / b.l)                                                               \
    X(ldivmod, int64_t, (int64_t)a.l / (int64_t)b.l)                                               \
    X(addsf3, float, a.f + b.f)                                                                    \
    X(mulsf3, float, a.f * b.f)                                                                    \
    X(divsf3, float, a.f / b.f)                                                                    \
    X(floatsisf, float, (float)(int32_t)a.u)                                                       \
    X(fixsfsi, int32_t, (int32_t)a.f)                                                              \
    X(fixunssfsi, uint32_t, (uint32_t)a.f)                                                         \
    X(floatdisf, float, (float)(int64_t)a.l)                                                       \
    X(fixsfdi, int64_t, (int64_t)a.f)                                                              \
    X(ashldi3, uint64_t, a.l << (b.u & 63))                                                        \
    X(ashrdi3, int64_t, (int64_t)a.l >> (b.u & 63))                                                \
    X(divdf3, double, a.d / b.d)

struct operand {
    uint32_t u;
    uint64_t l;
    float f;
    double d;
};

static uint32_t seed = 1;

static uint32_t draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed;
}

/* Of all magnitudes; never 0. */
static struct operand operand(uint32_t n)
{
    static const uint32_t edges[] = {1, 2, 3, 7, 10, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu};
    struct operand o;
    o.u = n < 64 ? edges[n / 8] : draw() >> (draw() >> 27);
    o.u |= o.u == 0;
    o.l = n < 64 ? o.u : (((uint64_t)draw() << 32 | draw()) >> (draw() >> 26)) | 1;
    o.f = (float)o.u * (draw() & 1 ? 1e-20f : 3e10f);
    o.d = (double)o.f;
    return o;
}

static uint32_t edge(uint32_t n)
{
    return n < 64 ? n % 8 * 8 : n;
}

#define TAKES(name, type, expression)                                                              \
    volatile uint32_t name##_us;                                                                   \
    static __attribute__((noinline)) void try_##name(struct operand a, struct operand b)           \
    {                                                                                              \
        volatile type result;                                                                      \
        takt_time_t since = takt_now();                                                            \
        for (uint8_t i = 0; i < ROUNDS; i++) {                                                     \
            __asm__ volatile("" : "+m"(a), "+m"(b));                                               \
            result = expression;                                                                   \
        }                                                                                          \
        uint32_t us = takt_now() - since;                                                          \
        (void)result;                                                                              \
        if (us > name##_us)                                                                        \
            name##_us = us;                                                                        \
    }
KINDS(TAKES)

#define TRY(name, type, expression) try_##name(a, b);

static void all(void *arg)
{
    (void)arg;
    for (uint32_t n = 0; n < OPERANDS; n++) {
        struct operand a = operand(n), b = operand(edge(n));
        KINDS(TRY)
        CHECK(a.u != 0 && b.u != 0);
    }
    done = 1;
    for (;;)
        takt_sleep(1000000);
}

TAKT_THREAD(all, 1, all, 0, 3 * ROOMY_BYTES);

int main(void)
{
    takt_start();
}
