/*
 * What libraries take from Arduino's private header: bits of registers, names of interrupts.
 */
#ifndef TAKT_WIRING_PRIVATE_H
#define TAKT_WIRING_PRIVATE_H

#include "Arduino.h"

#include <stdarg.h>
#include <stdio.h>
#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#endif

#ifndef sbi
#define sbi(reg, bit) ((reg) |= 1 << (bit))
#endif
#ifndef cbi
#define cbi(reg, bit) ((reg) &= ~(1 << (bit)))
#endif

#define EXTERNAL_INT_0 0
#define EXTERNAL_INT_1 1

#endif
