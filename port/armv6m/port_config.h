/*
 * What ARMv6-M says first (include/takt/config.h).
 */
#ifndef TAKT_PORT_CONFIG_H
#define TAKT_PORT_CONFIG_H

#define PORT_HAS_DISPATCHER 1 /* of threads and semaphores alone: sem.S */

#define TAKT_ISR_NESTING 4 /* priorities are 2 bits */

#endif
