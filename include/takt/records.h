/*
 * Records that objects leave in a section of their own, for what looks through all of them.
 */
#ifndef TAKT_RECORDS_H
#define TAKT_RECORDS_H

/* Declares name_start[] and name_end[], the bounds that the linker gives to a section. Weak: where
 * no object has left a record there is no such section, and both are null. */
#define TAKT_RECORDS(type, name, section)                                                          \
    extern type name##_start[] __asm__("__start_" section) __attribute__((weak));                  \
    extern type name##_end[] __asm__("__stop_" section) __attribute__((weak))

#endif
