/*
 * The local APIC of the CPU that runs this. For the port; drivers have irq.h.
 */
#ifndef TAKT_X86_64_APIC_H
#define TAKT_X86_64_APIC_H

#include <takt/types.h>

/* Switches it on, everything but what comes by message masked. Interrupts off. */
void apic_start(void);

/* Its number, by which messages find it. */
uint32_t apic_id(void);

/* A handler is done. */
void apic_done(void);

/* Sends the other CPU's APIC an interrupt: its low word as the manual has it (vector, kind). */
void apic_send(uint32_t id, uint32_t command);

/* The timer, once, after so many of its ticks, at least 1; and how many are left. */
void apic_count(uint32_t ticks);
uint32_t apic_left(void);

/* Where the CPU can: the timer rings when the time stamp counter reaches what is written to
 * MSR_TSC_DEADLINE. Says whether it can. */
bool apic_deadline(void);

#define APIC_FIXED    0x4000u /* interrupt commands: level asserted, with a vector */
#define APIC_NMI      0x4400u
#define APIC_INIT     0x4500u
#define APIC_START_UP 0x4600u
#define APIC_SELF     0x40000u /* whatever the id */

#endif
