/*
 * Assembler text of a task's record (takt/task.h): %c0 priority, %c1 tie, %c2 ticks left, %c3
 * period, %c4 the tick, %c5 size of a record, which the link script counts by.
 */
#ifndef TAKT_PORT_TASK_SECTION_H
#define TAKT_PORT_TASK_SECTION_H

#include <takt/config.h>

#ifdef TAKT_TASKS_COMPOSED
#if !__has_include(<port_task_composed.h>)
#error "TAKT_TASKS_COMPOSED: there is no such thing for this processor"
#endif
#include <port_task_composed.h>
#else

#if __SIZEOF_POINTER__ == 8
#define TAKT_TASK_RUN_(id) ".balign 8\ntakt_task_" id ":\n\t.quad takt_task_run_" id
#define TAKT_TASK_PAD_     "\n\t.balign 8"
#elif __SIZEOF_POINTER__ == 4
#define TAKT_TASK_RUN_(id) ".balign 4\ntakt_task_" id ":\n\t.4byte takt_task_run_" id
#define TAKT_TASK_PAD_     "\n\t.balign 4"
#else /* AVR: avr-gcc asks for the copying of .data where it has put something there itself */
#define TAKT_TASK_RUN_(id)                                                                         \
    ".globl __do_copy_data\ntakt_task_" id ":\n\t.word gs(takt_task_run_" id ")"
#define TAKT_TASK_PAD_     ""
#endif

#if TAKT_TASK_BITS == 8
#define TAKT_TASK_SPAN_ ".byte"
#elif TAKT_TASK_BITS == 16
#define TAKT_TASK_SPAN_ ".2byte"
#else
#define TAKT_TASK_SPAN_ ".4byte"
#endif

#define TAKT_TASK_ASM_(id)                                                                         \
    ".pushsection .takt.task.%c0.%c1,\"aw\",%%progbits\n\t.globl takt_task_" id                    \
    "\n\t.type takt_task_" id ",%%object\n\t.size takt_task_" id ", %c5\n\t" TAKT_TASK_RUN_(id)    \
    "\n\t" TAKT_TASK_SPAN_ " %c3, %c2, 0" TAKT_TASK_PAD_ "\n\t.popsection"                         \
    "\n\t.globl takt_task_tick\n\t.set takt_task_tick, %c4"                                        \
    "\n\t.globl takt_task_bytes\n\t.set takt_task_bytes, %c5"

#endif

#endif
