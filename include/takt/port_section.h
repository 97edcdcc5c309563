/*
 * How a registration reaches the linker: assembler text that puts the address of descriptor
 * takt_thread_<id> into section .takt.thread.<order> and reserves one TCB. %c0 is the order, %c1
 * the size of a TCB.
 */
#ifndef TAKT_PORT_SECTION_H
#define TAKT_PORT_SECTION_H

#ifdef __cplusplus
#define TAKT_EXTERN_C extern "C"
#else
#define TAKT_EXTERN_C
#endif

#if __SIZEOF_POINTER__ == 8
#define TAKT_WORD_ ".quad"
#define TAKT_SECTION_FLAGS_ "\"aw\",%%progbits" /* relocated when the program is loaded */
#else
#define TAKT_WORD_ ".word"
#define TAKT_SECTION_FLAGS_ "\"a\",%%progbits"
#endif

#define TAKT_REGISTER_ASM_(id)                                                                     \
    ".pushsection .takt.thread.%c0," TAKT_SECTION_FLAGS_ "\n\t.balign %c1/2\n\t" TAKT_WORD_        \
    " takt_thread_" id "\n\t.popsection\n\t"                                                       \
    ".pushsection .takt.tcb,\"aw\",%%nobits\n\t.balign %c1/2\n\t.space %c1\n\t.popsection"

#endif
