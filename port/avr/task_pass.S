/*
 * Tasks alone, preemptive: the pass (kernel/job/task.h) is composed by the linker. Every task
 * brings the piece of it that counts for this task and starts it (port_task_composed.h); the link
 * script puts these in order of urgency between what begins and what ends here:
 *
 *      tick of the timer -> begin: a task runs? registers are saved
 *                           piece of the most urgent task, .. piece of the least urgent one
 *                           end: back to sleep, or to what was interrupted
 *
 * r17 is the rank of what was interrupted, Y where the records are: what a task calls leaves both
 * alone, and sleeping needs no other register. The rank is a task's number, 0 for the most urgent
 * one; above 127 no task's.
 */
#include <avr/io.h>

#define RANK  _SFR_IO_ADDR(GPIOR2) /* of what runs */
#define FLAGS _SFR_IO_ADDR(GPIOR0)
#define IDLE  7 /* one of them, the port's: no task runs */

    .macro  records
    ldi     r28, lo8(takt_task_records)
    ldi     r29, hi8(takt_task_records)
    .endm

    .section .takt.task_record.0, "aw", @nobits
    .global takt_task_records
takt_task_records:

    .section .takt.task_record.9, "aw", @nobits
    .global takt_task_records_end
takt_task_records_end:

    .section .takt.task_pass.0, "ax", @progbits
    .global TIMER1_COMPA_vect
    .type TIMER1_COMPA_vect, @function
TIMER1_COMPA_vect:
    sbis    FLAGS, IDLE
    rjmp    save
    cbi     FLAGS, IDLE
pieces:
    .size TIMER1_COMPA_vect, . - TIMER1_COMPA_vect

    .section .takt.task_pass.9, "ax", @progbits
    .type port_task_end, @function
port_task_end:
    sbrs    r17, 7
    rjmp    restore
    sbi     FLAGS, IDLE
    reti

save:
    .irp    number, 0, 1, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    push    r\number
    .endr
    in      r0, _SFR_IO_ADDR(SREG)
    push    r0
    clr     r1
    in      r17, RANK
    records
    rjmp    pieces

restore:
    out     RANK, r17
    pop     r0
    out     _SFR_IO_ADDR(SREG), r0
    .irp    number, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 1, 0
    pop     r\number
    .endr
    reti
    .size port_task_end, . - port_task_end

/* void port_tasks_run_composed(uint16_t top, uint8_t clock): timer_start() of task_timer.h; records
 * are cleared from the last one down, which leaves in Y and r17 what is there asleep. */
    .section .text.port_tasks_run_composed, "ax", @progbits
    .global port_tasks_run_composed
    .type port_tasks_run_composed, @function
port_tasks_run_composed:
    cli
    sts     OCR1AH, r25
    sts     OCR1AL, r24
    sts     TCCR1B, r22
    ldi     r24, 1 << SE
    out     _SFR_IO_ADDR(SMCR), r24
    ldi     r24, 1 << OCIE1A
    sts     TIMSK1, r24
    ldi     r28, lo8(takt_task_records_end)
    ldi     r29, hi8(takt_task_records_end)
    ldi     r17, lo8(takt_task_records_size - 1)
1:  st      -Y, r1
    subi    r17, 1
    brcc    1b
    sbi     FLAGS, IDLE
    sei
2:  sleep
    rjmp    2b
    .size port_tasks_run_composed, . - port_tasks_run_composed

/* For triggers, C functions. A pass counts a tick, which is added before; interrupts are on within.
 * Before the start there is none: the first tick is soon enough. */
    .section .text.takt_task_look, "ax", @progbits
    .global takt_task_look, takt_task_look_isr, takt_task_look_8, takt_task_look_isr_8
    .type takt_task_look, @function
takt_task_look:
takt_task_look_8:
takt_task_look_isr:
takt_task_look_isr_8:
    lds     r24, TIMSK1
    sbrs    r24, OCIE1A
    ret
    in      r0, _SFR_IO_ADDR(SREG)
    push    r0
    cli
    push    r17
    push    r28
    push    r29
    records
    ldi     r24, lo8(takt_task_records_size)
    ldi     r18, lo8(takt_task_bytes) /* 2, or 4 where counts have 16 bits */
1:  ld      r26, Y
    ldd     r27, Y + 1
    adiw    r26, 1
    st      Y, r26
    sbrc    r18, 2
    std     Y + 1, r27
    add     r28, r18
    adc     r29, r1
    sub     r24, r18
    brne    1b
    records
    ser     r17
    call    TIMER1_COMPA_vect
    cli     /* a tick that waits already sees r17 and Y as they are asleep */
    pop     r29
    pop     r28
    pop     r17
    pop     r0
    out     _SFR_IO_ADDR(SREG), r0
    ret
    .size takt_task_look, . - takt_task_look
