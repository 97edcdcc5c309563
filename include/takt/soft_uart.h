/*
 * Serial ports of 8N1 on any two pins, in software: an interrupt for each bit. Boards with alarms
 * for drivers: pico, up to 19200 baud; uno, up to 9600 where nothing has a budget and one way at a
 * time, 2400 both ways at once, 1200 beside budgets, whose dispatcher keeps interrupts off for up
 * to a quarter of a millisecond; atmega324p half of that. From 600 baud.
 *
 * Receiving awaits the edge of a start bit and then looks at the middle of each data bit; sending
 * changes the pin at dates that do not drift. An interrupt that is half a bit late makes a wrong
 * byte: so long, at most, may interrupts be off, and other handlers last.
 */
#ifndef TAKT_SOFT_UART_H
#define TAKT_SOFT_UART_H

#include <takt/gpio.h>
#include <takt/types.h>

#include <soft_alarm.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_SOFT_UART_SLOWEST 600 /* baud: 1.5 bits are in 16 bits */
#define TAKT_SOFT_UART_ROOM 64u /* received bytes that are kept; a power of two */

struct takt_soft_uart {
    struct takt_edge_watch start; /* first; of a start bit */
    struct soft_alarm bit_in, bit_out;
    uint16_t bit;                  /* us * 16; 0: not begun */
    uint8_t in_part, out_part;     /* of the next alarms: 16ths of a us */
    uint8_t rx, tx;
    bool inverted;
    volatile bool listens;
    uint8_t in_bits, in_count;
    uint16_t out_bits;
    volatile uint8_t out_count; /* bits of a frame that are still to be put on the wire; 0: idle */
    volatile bool lost;
    volatile uint8_t head, tail;
    uint8_t ring[TAKT_SOFT_UART_ROOM];
};

/* Sets the pins up and listens. The record, zero before the first time, is the driver's until
 * takt_soft_uart_end(); begun again it ends first. Thread or main. TAKT_EINVAL: no such pins, one
 * pin, or more than SOFT_UART_BAUD baud; then it is not begun. */
int takt_soft_uart_begin(struct takt_soft_uart *port, uint8_t rx, uint8_t tx, bool inverted,
                         uint32_t baud);
void takt_soft_uart_end(struct takt_soft_uart *port);

/* Receives from now on, or not; a byte under way is dropped. Thread. */
void takt_soft_uart_listen(struct takt_soft_uart *port, bool on);

/* Sends a byte as soon as the one before is out, for which the thread sleeps. TAKT_ECONTEXT: it may
 * not, and would have to. */
int takt_soft_uart_write(struct takt_soft_uart *port, uint8_t byte);

/* Until all is out. The same. */
int takt_soft_uart_flush(struct takt_soft_uart *port);

/* Bytes received; the next of them, or -1, to be taken or not. Either context, one reader. */
int takt_soft_uart_available(const struct takt_soft_uart *port);
int takt_soft_uart_read(struct takt_soft_uart *port);
int takt_soft_uart_peek(const struct takt_soft_uart *port);

/* Have bytes been lost for lack of room since this was last asked? */
bool takt_soft_uart_lost(struct takt_soft_uart *port);

#ifdef __cplusplus
}
#endif

#endif
