/*
 * What the port says before everything (takt/config.h).
 */
#ifndef TAKT_X86_64_PORT_CONFIG_H
#define TAKT_X86_64_PORT_CONFIG_H

#define TAKT_PLACES  64
#define TAKT_DYNAMIC 1
#define PORT_CPUS    8 /* at most */
#define PORT_FINE      (1u << 10) /* parts of a microsecond, see takt/port.h */
#define PORT_FINE_BITS 32
#define PORT_NOTES_BACK  1
#define PORT_NOTES_ENTRY 1

#endif
