/*
 * What the port says before everything (takt/config.h).
 */
#ifndef TAKT_X86_64_PORT_CONFIG_H
#define TAKT_X86_64_PORT_CONFIG_H

#define TAKT_PLACES  64
#define TAKT_DYNAMIC 1
#define PORT_CPUS    8 /* at most */
#define PORT_FINE    (1u << 20) /* port_fine()'s parts of a microsecond */

#endif
