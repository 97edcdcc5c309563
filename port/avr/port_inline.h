/*
 * The parts of the port that are a few instructions, for inlining (see takt/port.h), and how a
 * handler comes to its vector.
 *
 * A vector has the name avr-libc gives it; one that PORT_ISR() defines may call the kernel. One
 * that avr-libc's ISR() defines may not: nothing is saved for it but what it uses itself.
 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

#include <avr/io.h>

#include <takt/types.h>

#define PORT_IRQ_INLINE 1
#define PORT_ISR_STACK  __takt_isr_stack_start /* its lowest word, by the link script */

extern uint16_t __takt_isr_stack_start[];
extern char __takt_last_stack_end[];
extern void *port_sp; /* the thread's stack pointer while something else has the stack */

/* A fatal line takes more than a stack may have; nothing comes back from it. */
#define PORT_LAST_STACK      (SP = (uint16_t)(__takt_last_stack_end - 1))
#define PORT_LAST_STACK_CALL __attribute__((noinline))

/* Bits of GPIOR0, the port's. */
#define PORT_IN_ISR       0 /* a handler runs */
#define PORT_ON_ISR_STACK 1 /* main, or the dispatcher: handlers go on below it */

/* PORT_ISR(TIMER2_COMPA) { ... }: the handler of TIMER2_COMPA_vect, isr_TIMER2_COMPA(). */
#ifdef __cplusplus
#define PORT_ISR(source)                                                                           \
    extern "C" void isr_##source(void);                                                            \
    PORT_VECTOR_(source##_vect, "isr_" #source);                                                   \
    void isr_##source(void)
#else
#define PORT_ISR(source)                                                                           \
    void isr_##source(void) __attribute__((used));                                                 \
    PORT_VECTOR_(source##_vect, "isr_" #source);                                                   \
    void isr_##source(void)
#endif

#define PORT_VECTOR_(vector, handler)  PORT_VECTOR__(vector, handler)
#define PORT_VECTOR__(vector, handler)                                                             \
    __asm__(".pushsection .text." #vector ",\"ax\",@progbits\n\t"                                  \
            ".global " #vector "\n"                                                                \
            ".type " #vector ", @function\n" #vector ":\n\t"                                       \
            "push r30\n\tpush r31\n\t"                                                             \
            "ldi r30, lo8(pm(" handler "))\n\tldi r31, hi8(pm(" handler "))\n\t"                   \
            "jmp port_isr\n\t.popsection")

/* A 12-byte event of the trace (takt/trace.h), byte by byte into GPIOR1, where a machine that runs
 * the program collects them; on a chip that does nothing. */
#define PORT_TRACE(now, value, kind, place)                                                        \
    do {                                                                                           \
        port_trace_word(now);                                                                      \
        port_trace_word(value);                                                                    \
        GPIOR1 = (kind);                                                                           \
        GPIOR1 = (place);                                                                          \
        GPIOR1 = 0;                                                                                \
        GPIOR1 = 0;                                                                                \
    } while (0)

static inline __attribute__((always_inline)) void port_trace_word(uint32_t value)
{
    __asm__ volatile("out %1, %A0\n\tout %1, %B0\n\tout %1, %C0\n\tout %1, %D0" ::"r"(value),
                     "I"(_SFR_IO_ADDR(GPIOR1)));
}

#define PORT_FINE_INLINE 1
extern uint16_t port_entered, port_resumed; /* what Timer1 read */

static inline void port_fine_start(takt_time_t now)
{
    (void)now;
}

static inline uint16_t port_fine(void)
{
    uint8_t flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    uint16_t count = TCNT1;
    SREG = flags;
    return count;
}

static inline uint16_t port_fine_entered(void)
{
    return port_entered;
}

static inline uint16_t port_fine_resumed(void)
{
    return port_resumed;
}

/* Nothing comes between the kernel and the note. */
static inline void port_fine_resumes(void) {}

static inline bool port_has_resumed(void)
{
    return true;
}

static inline __attribute__((always_inline)) port_irq_t port_irq_save(void)
{
    uint8_t flags = SREG;
    __asm__ volatile("cli" ::: "memory");
    return (uint8_t)~flags & (1u << SREG_I);
}

static inline __attribute__((always_inline)) void port_irq_restore(port_irq_t state)
{
    if (state == 0)
        __asm__ volatile("sei" ::: "memory");
    else
        __asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) bool port_in_isr(void)
{
    return GPIOR0 & (1u << PORT_IN_ISR);
}

static inline __attribute__((always_inline)) void *port_thread_sp(void)
{
    if (GPIOR0 & (1u << PORT_IN_ISR | 1u << PORT_ON_ISR_STACK))
        return port_sp;
    return (void *)SP;
}

#endif
