/*
 * Facts about a function that its machine code does not show, for the build's analysis of stacks
 * and sections (tools/takt/code/facts.py). Stated inside the function, whatever that is called; no
 * code, and nothing that is loaded: a word where, and a text. The linker keeps a record as it keeps
 * what debuggers read: beside code that is linked, with 0 for what is not.
 *
 * A fact is believed, so only Takt's own code may state one. Where the compiler inlines the
 * function, its caller states it: where that would not be so it must not be inlined.
 *
 *   calls SET        what it calls through pointers are the functions of a set, and nothing else:
 *                    task      the functions of tasks (takt/task.h)
 *                    none      no function: what looks like a call is a jump back
 *                    any other what states `called SET`
 *   called SET       nothing else calls it through a pointer; nowhere: a set that nothing calls
 *   entry KIND       of threads whose argument, if there is one, is what it calls: loop, job, pipe,
 *                    handler; or of the thread of all tasks: tasks, tasks in turn
 *   only CALLER      nothing else comes here, or it turns back at once, though the code would allow
 *                    it: setup, the thread of the first loop; with setup, the same in programs that
 *                    have one; tasks, the tasks' thread; threads, no interrupt
 *   locked           it cannot be preempted where it calls what does not state this, too
 *   preempts         called on top of an interrupted thread
 *   idle             interrupts are taken here, as in a thread
 *   switches         goes from one stack to another; is come to so as well, not by calls
 *   last             the program is over: it may use what stack it finds
 *   too deep         a function that goes here has looked for room in its stack (recursions.py)
 *   locks, unlocks   the mutex in its first argument
 *   relocks          the caller's innermost mutex is unlocked, and locked again when it returns
 *   masks, unmasks   interrupts are off when it returns; on
 *   takes COST       from the call to behind it, of the CPU, at most: so many us, so many more than
 *                    its first argument says (+ n), or one of the board's costs ([costs] in
 *                    board.toml). For loops that the build cannot count
 *
 * `isr stack`, a set, is called on the stack of the interrupts.
 */
#ifndef TAKT_FACT_H
#define TAKT_FACT_H

#ifdef __ASSEMBLER__

.macro fact text
9:  .pushsection .debug_takt_facts, "", %progbits
    .long 9b
    .asciz "\text"
    .popsection
.endm

#else

#if __SIZEOF_POINTER__ == 8
#define TAKT_FACT_WORD_ ".quad"
#else
#define TAKT_FACT_WORD_ ".long"
#endif

/* A statement; the text is as above. */
#define TAKT_FACT(text)                                                                            \
    __asm__ volatile("9:\t.pushsection .debug_takt_facts,\"\",%%progbits\n\t" TAKT_FACT_WORD_      \
                     " 9b\n\t.asciz \"" text "\"\n\t.popsection" ::)

/* The same of a function that others have written, where it is linked. At the top of a file. */
#define TAKT_FACT_OF(function, text)                                                               \
    __asm__(".weak " #function "\n\t.pushsection .debug_takt_facts,\"\",%progbits\n\t"            \
            TAKT_FACT_WORD_ " " #function "\n\t.asciz \"" text "\"\n\t.popsection")

/* At the top of a file: programs with it use this feature of the kernel (kernel/core/uses.h),
 * though they may call no function of it. A text in a section that is not loaded. */
#define TAKT_NEEDS_(feature)                                                                       \
    __asm__(".pushsection .takt.uses,\"\",%progbits\n\t.asciz \"" #feature "\"\n\t.popsection")

#endif
#endif
