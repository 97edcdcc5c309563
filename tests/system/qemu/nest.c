/*
 * Six handlers at six priorities, each of which lets the next one in; on the stm32f051 three, which the
 * drivers give one priority.
 */
#include <stdint.h>
#include <takt/thread.h>
#include <takt/time.h>

#define IPR  ((volatile uint32_t *)0xE000E400u) /* ARMv6-M: whole words only */
#define ISER ((volatile uint32_t *)0xE000E100u)
#define ISPR ((volatile uint32_t *)0xE000E200u)

#if defined(ARDUINO_TAKT_STM32F051)
enum { FIRST = 5, NESTED = 3, STEP = 0x40 }; /* exti0_1 and what follows it */
#else
enum { FIRST = 10, NESTED = 6, STEP = 0x20 }; /* pwm0 */
#endif

volatile uint32_t lowest = 0xFFFFFFFF, hits;

static void let_in(uint32_t n)
{
    uint32_t sp;
    __asm__ volatile("mrs %0, msp" : "=r"(sp));
    if (sp < lowest)
        lowest = sp;
    if (n < NESTED) {
        ISPR[0] = 1u << (FIRST + n);
        __asm__ volatile("dsb\n\tisb");
    }
}

#define HANDLER(name, next)                                                                        \
    void isr_##name(void);                                                                         \
    void isr_##name(void)                                                                          \
    {                                                                                              \
        volatile char room[900];                                                                   \
        room[0] = 1;                                                                               \
        let_in(next);                                                                              \
        hits += (uint32_t)room[0];                                                                 \
    }

#if defined(ARDUINO_TAKT_STM32F051)
HANDLER(exti0_1, 1)
HANDLER(exti2_3, 2)
HANDLER(exti4_15, 3)
#else
HANDLER(pwm0, 1)
HANDLER(pwm1, 2)
HANDLER(pwm2, 3)
HANDLER(qei0, 4)
HANDLER(adc0, 5)
HANDLER(adc1, 6)
#endif

static void go(void *arg)
{
    (void)arg;
    for (uint32_t n = 0; n < NESTED; n++) {
        uint32_t irq = FIRST + n, shift = irq % 4 * 8;
        IPR[irq / 4] = (IPR[irq / 4] & ~(0xFFu << shift)) | (NESTED - 1 - n) * STEP << shift;
        ISER[0] = 1u << (FIRST + n);
    }
    for (;;) {
        let_in(0);
        takt_sleep(1000);
    }
}
TAKT_THREAD(go, 1, go, 0, 600)

int main(void)
{
    takt_start();
}
