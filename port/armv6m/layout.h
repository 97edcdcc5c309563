/*
 * Where assembler finds what it needs of the kernel's structs; port.c compares.
 */
#ifndef TAKT_PORT_LAYOUT_H
#define TAKT_PORT_LAYOUT_H

/* struct takt_core */
#define READY   0
#define CURRENT 4
#define KEPT    8
/* struct takt_sem */
#define WAITERS 0
#define COUNT   4
#define MAX     6
/* struct takt_thread */
#define STACK 8

#define SENTINEL    0x5441544B
#define FATAL_STACK 1
#define FATAL_ISR_STACK 8

/* ~ of errors, and - of one */
#define ECONTEXT  2
#define EOVERFLOW 4
#define EINVAL    4

#endif
