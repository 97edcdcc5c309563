/*
 * What a board gives start.c.
 */
#ifndef TAKT_BOARD_START_H
#define TAKT_BOARD_START_H

/* Clocks, timers and what else must be as the drivers expect it. Memory is as C wants it; no
 * constructor has run. */
void board_start(void);

#endif
