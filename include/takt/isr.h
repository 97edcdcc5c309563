/*
 * Interrupt handlers. Every handler that may wake threads is bracketed:
 *
 *     void my_isr(void) { takt_isr_enter(); ... takt_sem_signal_isr(&s); takt_isr_exit(SOURCE); }
 *
 * Its time is then counted per source and not charged to the thread it interrupted (when VCPUs
 * are linked; otherwise both cost next to nothing).
 */
#ifndef TAKT_ISR_H
#define TAKT_ISR_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The source takt_alarm_isr() is counted under. */
#define TAKT_ALARM_SOURCE 0xFEu

/* And a kick from another CPU (takt/port.h). */
#define TAKT_KICK_SOURCE 0xFCu

/* In the trace, as if it were a handler: time the dispatcher took from a thread that did not ask.
 */
#define TAKT_DISPATCH_SOURCE 0xFDu

/* Start of a handler. Interrupt context. */
void takt_isr_enter(void);

/* End of a handler; source: the interrupt number, for the trace. Interrupt context. */
void takt_isr_exit(uint8_t source);

/* The handler of the board's alarm calls this (bracketed by itself). Interrupt context. */
void takt_alarm_isr(void);

#ifdef __cplusplus
}
#endif

#endif
