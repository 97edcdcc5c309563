/*
 * The board's console: where fatal errors are reported when nothing else can be relied upon.
 */
#ifndef TAKT_CONSOLE_H
#define TAKT_CONSOLE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sends one character by polling, opening the port at 115200 8N1 if it is closed, after whatever
 * the serial driver still holds. Any context, interrupts on or off. Blocks for at most the time
 * of the characters held (256 + 32 characters) and, at a newline, until the line has left the
 * wire, so that a CPU stopped next has said all of it.
 */
void board_console_put(char c);

#ifdef __cplusplus
}
#endif

#endif
