/*
 * A task where the linker composes the pass (TAKT_TASKS_COMPOSED): its piece of code, in place of
 * takt_task_pass_locked() and a table; task_pass.S says what is around it. Assembler text, with the
 * operands of port_task_section.h. In RAM there is just what is left and what was missed; period,
 * function and number are part of the instructions.
 *
 * The number, times the size of a record, is where a symbol lies in a section of its own, which is
 * not loaded: the linker counts. takt_task_<id> is as far before the record as takt/task.h expects
 * it.
 */
#ifndef TAKT_PORT_TASK_COMPOSED_H
#define TAKT_PORT_TASK_COMPOSED_H

#if TAKT_TASK_BITS == 8
#define PORT_TASK_RECORD_      "2"
#define PORT_TASK_BEFORE_      "3"
#define PORT_TASK_COUNT_(n)    "ldd r24, Y+" n "\n\tdec r24\n\tstd Y+" n ", r24\n\t"
#define PORT_TASK_ADD_PERIOD_  "subi r24, lo8(-(%c3))\n\t"
#define PORT_TASK_STORE_(n)    "std Y+" n ", r24\n\t"
#define PORT_TASK_LEFT_(n)     "ldd r24, Y+" n "\n\ttst r24\n\t"
#define PORT_TASK_MISSED_(n)   "ldd r25, Y+" n "+1\n\tinc r25\n\tstd Y+" n "+1, r25\n\t"
#else
#define PORT_TASK_RECORD_      "4"
#define PORT_TASK_BEFORE_      "4"
#define PORT_TASK_COUNT_(n)                                                                        \
    "ldd r24, Y+" n "\n\tldd r25, Y+" n "+1\n\tsbiw r24, 1\n\t" PORT_TASK_STORE_(n)
#define PORT_TASK_ADD_PERIOD_  "subi r24, lo8(-(%c3))\n\tsbci r25, hi8(-(%c3))\n\t"
#define PORT_TASK_STORE_(n)    "std Y+" n ", r24\n\tstd Y+" n "+1, r25\n\t"
#define PORT_TASK_LEFT_(n)     "ldd r24, Y+" n "\n\tldd r25, Y+" n "+1\n\ttst r25\n\t"
#define PORT_TASK_MISSED_(n)                                                                       \
    "ldd r26, Y+" n "+2\n\tldd r27, Y+" n "+3\n\tadiw r26, 1\n\t"                                  \
    "std Y+" n "+2, r26\n\tstd Y+" n "+3, r27\n\t"
#endif

#define PORT_TASK_PIECE_(id, n)                                                                    \
    PORT_TASK_COUNT_(n)                                                                            \
    "brpl 3f\n"               /* not released */                                                   \
    "1:\t" PORT_TASK_ADD_PERIOD_                                                                   \
    "brpl 2f\n\t"             /* else its next release has come, too */                            \
    PORT_TASK_STORE_(n) PORT_TASK_MISSED_(n)                                                       \
    "rjmp 1b\n"                                                                                    \
    "2:\tcpi r17, lo8(" n "+1)\n\t"                                                               \
    "brlo 3f\n\t"             /* what was interrupted is as urgent */                              \
    PORT_TASK_STORE_(n)                                                                            \
    "ldi r24, lo8(" n ")\n\t"                                                                      \
    "out 0x2B, r24\n\t"       /* GPIOR2: the rank */                                               \
    "sei\n\tcall takt_task_run_" id "\n\tcli\n\t"                                                \
    PORT_TASK_LEFT_(n)                                                                             \
    "brmi 1b\n"               /* released again meanwhile */                                       \
    "3:\n\t"

#define TAKT_TASK_ASM_(id)                                                                         \
    ".pushsection .takt.task_number.%c0.%c1,\"\",@progbits\n\t.globl takt_task_number_" id         \
    "\ntakt_task_number_" id ":\n\t.zero " PORT_TASK_RECORD_ "\n\t.popsection\n\t"                 \
    ".pushsection .takt.task_record.%c0.%c1,\"aw\",@nobits\n\t.globl takt_task_" id                \
    "\n\t.set takt_task_" id ", . - " PORT_TASK_BEFORE_ "\n\t.zero " PORT_TASK_RECORD_             \
    "\n\t.popsection\n\t"                                                                          \
    ".pushsection .takt.task_pass.%c0.%c1,\"ax\",@progbits\n\t.type takt_task_piece_" id           \
    ", @function\ntakt_task_piece_" id ":\n\t" PORT_TASK_PIECE_(id, "takt_task_number_" id)        \
    ".size takt_task_piece_" id ", . - takt_task_piece_" id "\n\t.popsection"                      \
    "\n\t.globl takt_task_tick\n\t.set takt_task_tick, %c4"                                        \
    "\n\t.globl takt_task_bytes\n\t.set takt_task_bytes, " PORT_TASK_RECORD_

#endif
