/*
 * The C library of a PC: musl, as it is for Linux, whose system calls come here (musl.c).
 */
#ifndef TAKT_LIBC_MUSL_H
#define TAKT_LIBC_MUSL_H

/* Before the first constructor: memory from here to `end` is malloc's; the C locale. */
void musl_start(char *from, char *end);

#endif
