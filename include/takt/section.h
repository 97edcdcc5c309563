/*
 * How long a section lasts, for admission: what is under a mutex, or has interrupts off, holds up
 * other threads. The build bounds sections of plain code by itself; of all else the program
 * states it.
 */
#ifndef TAKT_SECTION_H
#define TAKT_SECTION_H

/*
 * The innermost section that is open here, from takt_mutex_lock() or port_irq_save() on, takes no
 * more than `us` of the CPU's time: a constant. Leaves a record for the build, and no code: for the
 * linker it is of what debuggers read, which it keeps where code is kept, and only there.
 */
#define TAKT_SECTION_US(us)                                                                        \
    __asm__ volatile("1:\n\t.pushsection .debug_takt_sections,\"\"," TAKT_SECTION_BITS_ "\n\t"     \
                     TAKT_SECTION_WORD_ " 1b\n\t" TAKT_SECTION_WORD_                             \
                     " %c0\n\t.popsection" ::"i"(us))

/* The same of a library's: each section that begins in a function, by its name without arguments
 * ("Strip::show"), takes at most `us`, a number. At the top of a file; where nothing of that name
 * has a section it says nothing. */
#define TAKT_SECTION_IN(function, us)                                                              \
    __asm__(".pushsection .debug_takt_sections_in,\"\",%progbits\n\t"                              \
            ".long " #us "\n\t.asciz \"" function "\"\n\t.popsection")

#if __SIZEOF_POINTER__ == 8
#define TAKT_SECTION_WORD_ ".quad"
#else
#define TAKT_SECTION_WORD_ ".long"
#endif
#define TAKT_SECTION_BITS_ "%%progbits"

#endif
