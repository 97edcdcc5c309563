/*
 * What the parts of pin interrupts know of one another: edges.c shares each pin's edges among those
 * that want them; <chip>_edge.c latches, enables and takes the interrupt. Private to drivers/.
 */
#ifndef TAKT_DRIVERS_EDGES_H
#define TAKT_DRIVERS_EDGES_H

#include <takt/gpio.h>

#define EDGES_LATCHED ((unsigned)(TAKT_EDGE_FALL | TAKT_EDGE_RISE))
#define EDGES_ALL     15u

/* The chip's. All with interrupts off or in its handler; the pin exists. */
bool edge_chip_has(uint8_t pin);
int edge_chip_claim(uint8_t pin); /* TAKT_EAGAIN: what its edges need belongs to another pin */
void edge_chip_enable(uint8_t pin, unsigned edges); /* exactly these interrupt */
unsigned edge_chip_latched(uint8_t pin); /* edges come and not forgotten, enabled or not */
void edge_chip_forget(uint8_t pin, unsigned edges);
void edge_chip_pend(void); /* the handler is to run, although no pin asks for it */

/* For chips that latch only what they are told to, and that share between pins: edges that may
 * be asked for, masked or not; are the pin's edges wanted, be it later? */
unsigned edges_of_interest(uint8_t pin);
bool edges_in_use(uint8_t pin);

/* For the chip's handler: enabled events of a pin, which this forgets; an interrupt that was for
 * none, because of the pin; at its end before takt_isr_exit(): what edge_chip_pend() was for; and
 * instead of takt_isr_exit(). */
void edges_seen_isr(uint8_t pin, unsigned edges, takt_time_t at);
void edges_vain_isr(uint8_t pin);
void edges_again_isr(takt_time_t at);
void edges_exit_isr(uint8_t source);

#endif
