/*
 * How a registration reaches the linker: assembler text that puts the address of descriptor
 * takt_thread_<id> into section .takt.thread.<order>.<tie> and reserves one TCB. %c0 is the order,
 * %c1 the size of a TCB, %c2 the tie. The linker sorts by name, which old ones can do, too; both
 * numbers have as many digits in every program.
 */
#ifndef TAKT_PORT_SECTION_H
#define TAKT_PORT_SECTION_H

#include <takt/config.h>

/* Where constants take RAM: into flash, in a section of their own (takt/flash.h). */
#ifdef __AVR__
#define TAKT_IN_FLASH_(id) __attribute__((section(".progmem.takt." id)))
#else
#define TAKT_IN_FLASH_(id)
#endif

/* takt_name_<id>, a thread's name. */
#define TAKT_NAME_(id, name) static const char takt_name_##id[] TAKT_IN_FLASH_("name_" #id) = name

/* A descriptor, used as the assembler text refers to it. */
#ifdef __cplusplus
#define TAKT_DESCRIPTOR_(id)                                                                       \
    extern "C" __attribute__((used)) const struct takt_thread takt_thread_##id TAKT_IN_FLASH_(#id)
#else
#define TAKT_DESCRIPTOR_(id)                                                                       \
    __attribute__((used)) const struct takt_thread takt_thread_##id TAKT_IN_FLASH_(#id)
#endif

/* Bytes reserved for a stack of which n were asked: whole double words and the guard; on a host,
 * whose frames are larger and whose C library wants more, a good deal on top. */
#if __SIZEOF_POINTER__ == 8
#define TAKT_STACK_BYTES_(n) ((((n) + 7u) & ~7u) + 131072u)
#else
#define TAKT_STACK_BYTES_(n) ((((n) + 7u) & ~7u) + PORT_GUARD_BYTES)
#endif

/* Where a stack may begin: its guard covers nothing of the one below. */
#define TAKT_STACK_ALIGN_ (PORT_GUARD_BYTES > 8 ? PORT_GUARD_BYTES : 8)

#if __SIZEOF_POINTER__ == 8
#define TAKT_WORD_ ".quad"
#define TAKT_ALIGN_ "8"
#define TAKT_SECTION_FLAGS_ "\"aw\",%%progbits" /* relocated when the program is loaded */
#else
#define TAKT_WORD_ ".word" /* as wide as a pointer on AVR, too */
#if __SIZEOF_POINTER__ == 4
#define TAKT_ALIGN_ "4"
#else
#define TAKT_ALIGN_ "1"
#endif
#define TAKT_SECTION_FLAGS_ "\"a\",%%progbits"
#endif

#define TAKT_REGISTER_ASM_(id)                                                                     \
    ".pushsection .takt.thread.%c0.%c2," TAKT_SECTION_FLAGS_ "\n\t.balign " TAKT_ALIGN_            \
    "\n\t" TAKT_WORD_ " takt_thread_" id "\n\t.popsection\n\t"                                     \
    ".pushsection .takt.tcb,\"aw\",%%nobits\n\t.balign " TAKT_ALIGN_ "\n\t.space %c1\n\t.popsection"

#endif
