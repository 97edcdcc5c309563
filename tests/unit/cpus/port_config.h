/* CPUs that are threads of the host (port.c). */
#ifndef TAKT_TEST_PORT_CONFIG_H
#define TAKT_TEST_PORT_CONFIG_H

#define TAKT_DYNAMIC 1
#define PORT_CPUS    4

#endif
