/*
 * What C and assembler of the port share: where things lie in struct x86_cpu, segments, stacks,
 * vectors.
 */
#ifndef TAKT_X86_64_LAYOUT_H
#define TAKT_X86_64_LAYOUT_H

/* In struct x86_cpu, which gs points to. */
#define CPU_THREAD_SP 8
#define CPU_WORKING   16
#define CPU_HANDLING  17
#define CPU_PREEMPT   18
#define CPU_INDEX     19
#define CPU_WORK_END  24
#define CPU_ENTERED   32
#define CPU_RESUMED   40
#define CPU_NOTES     48

/* Segments: the global descriptor table has nothing, code, data, the task state; that of a CPU on
 * its way to 64 bits code of 32 instead. */
#define SEGMENT_CODE         0x08
#define SEGMENT_DATA         0x10
#define SEGMENT_TASK         0x18
#define SEGMENT_CODE_32      0x18
#define SEGMENT_CODE_BITS    0x00AF9B000000FFFF
#define SEGMENT_DATA_BITS    0x00CF93000000FFFF
#define SEGMENT_CODE_32_BITS 0x00CF9B000000FFFF

/* Where further CPUs begin, below 1 MB. */
#define TRAMPOLINE 0x8000

#define PAGE 4096

/* Vectors. Up to 31 they are the CPU's own; then those of the old interrupt controllers, which are
 * masked: only spurious ones come; then the I/O APICs' inputs, devices' own messages, the local
 * APIC's. */
#define VECTOR_NMI      2
#define VECTOR_OLD      32
#define VECTOR_LINES    48
#define VECTOR_MESSAGES 112
#define VECTOR_ALARM    240
#define VECTOR_KICK     241
#define VECTOR_SPURIOUS 255
#define VECTORS         256

/* Bytes of each interrupt's entry in vectors.S. */
#define ENTRY_BYTES 16

/* Floating point as the ABI has it at the start of a program. */
#define START_MXCSR 0x1F80
#define START_FCW   0x037F

/* Flags that a function finds off. */
#define FLAG_IF       0x200
#define FLAGS_FOREIGN 0x44700 /* alignment check, nested task, direction, interrupts, trap */

#endif
