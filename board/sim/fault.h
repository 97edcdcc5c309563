/*
 * Mistakes that the host notices by a signal (a wild or null pointer, an instruction there is not,
 * a division by zero) are fatal errors of the program, as on a chip, and not the end of the host. A
 * loop with nothing in it takes time.
 */
#ifndef TAKT_SIM_FAULT_H
#define TAKT_SIM_FAULT_H

/* From here on signals are the program's. Host context. */
void sim_faults_begin(void);

/* They are again whose they were. Host context. */
void sim_faults_end(void);

#endif
