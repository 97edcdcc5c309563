/*
 * What ARMv7-M says first (include/takt/config.h).
 */
#ifndef TAKT_PORT_CONFIG_H
#define TAKT_PORT_CONFIG_H

#define PORT_GUARD_BYTES 32 /* switch.S; also where there is no MPU */

#endif
