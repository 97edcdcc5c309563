/*
 * The Arduino API. What it adds: loop(id, C, T) (loops.h), and that delay(), pulseIn(), Serial and
 * all else that waits blocks the calling loop only.
 */
#ifndef Arduino_h
#define Arduino_h

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary.h"
#include "pgmspace.h"

#ifndef ARDUINO
#define ARDUINO 10819 /* the API is that of 1.8.19 */
#endif
#define ARDUINO_TAKT 1

#define LOW  0
#define HIGH 1

#define INPUT          0
#define OUTPUT         1
#define INPUT_PULLUP   2
#define INPUT_PULLDOWN 3

#define CHANGE  2 /* attachInterrupt(); LOW and HIGH too */
#define FALLING 3
#define RISING  4

#define NOT_AN_INTERRUPT (-1)
#define NOT_A_PIN        0
#define NOT_A_PORT       0
#define NOT_ON_TIMER     0

#define LSBFIRST 0
#define MSBFIRST 1

#define SERIAL  0 /* names that Arduino's cores have, without a use here */
#define DISPLAY 1

#define clockCyclesPerMicrosecond()   (F_CPU / 1000000L)
#define clockCyclesToMicroseconds(n)  ((n) / clockCyclesPerMicrosecond())
#define microsecondsToClockCycles(us) ((us)*clockCyclesPerMicrosecond())

#define PI         3.1415926535897932384626433832795
#define HALF_PI    1.5707963267948966192313216916398
#define TWO_PI     6.283185307179586476925286766559
#define DEG_TO_RAD 0.017453292519943295769236907684886
#define RAD_TO_DEG 57.295779513082320876798154814105
#define EULER      2.718281828459045235360287471352

#define radians(deg) ((deg)*DEG_TO_RAD)
#define degrees(rad) ((rad)*RAD_TO_DEG)

#define lowByte(w)               ((uint8_t)((w)&0xff))
#define highByte(w)              ((uint8_t)((w) >> 8))
#define bit(b)                   (1UL << (b))
#define bitRead(value, bit)      (((value) >> (bit)) & 0x01)
#define bitSet(value, bit)       ((value) |= (1UL << (bit)))
#define bitClear(value, bit)     ((value) &= ~(1UL << (bit)))
#define bitToggle(value, bit)    ((value) ^= (1UL << (bit)))
#define bitWrite(value, bit, on) ((on) ? bitSet(value, bit) : bitClear(value, bit))

typedef bool boolean;
typedef uint8_t byte;
typedef uint16_t word;
typedef uint8_t pin_size_t;

/* What LOW, INPUT and LSBFIRST are, which are macros, as on AVR boards, so that #if sees them. */
typedef uint8_t PinStatus;
typedef uint8_t PinMode;
typedef uint8_t BitOrder;

typedef void (*voidFuncPtr)(void);
typedef void (*voidFuncPtrParam)(void *);

#include <pins_arduino.h>

#ifndef DEFAULT
#define DEFAULT  0 /* analogReference() */
#define INTERNAL 1
#define EXTERNAL 2
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Time. All of these may be called before setup(), from constructors, where waits are busy waits.
 */

/* ms and us since start; they wrap after 49.7 days and 71.6 minutes. Either context. */
unsigned long millis(void);
unsigned long micros(void);

/* Waits at least `ms`, never less, blocking the calling loop only. In an interrupt, or while a
 * takt::Mutex is held, a busy wait. */
void delay(unsigned long ms);

/* Busy-waits at least `us`, by the clock; meant for microseconds: the loop's budget runs on. */
void delayMicroseconds(unsigned us);

/* Nothing: other loops run by themselves. */
#ifdef __cplusplus
}
void yield();
extern "C" {
#endif

/*
 * Pins. One that the board does not have is refused by the build where it is a constant
 * (known_pins.h); else it is ignored, and reads 0. Either context unless said otherwise.
 */
void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t level);
int digitalRead(uint8_t pin);

/* Pin A0.. or channel 0..3; 10 bits unless analogReadResolution() says otherwise. Thread. */
int analogRead(uint8_t pin);
void analogReadResolution(int bits); /* 1..16 */
/* 490 Hz, 0 (always low) .. 255 (always high). pico: shares its frequency with the other pins of
 * the PWM slice (docs of takt/pwm.h). */
void analogWrite(uint8_t pin, int value);
void analogWriteResolution(int bits); /* 1..16 */
/* AVR: DEFAULT (the supply), INTERNAL (1.1 V; atmega324p: INTERNAL2V56, too) or EXTERNAL, from the
 * next analogRead() on, which after a change reads wrong for some milliseconds. Other boards have
 * one reference: no effect. */
void analogReference(uint8_t mode);

/*
 * Interrupts, which are digitalPinToInterrupt(pin): the pin itself on most boards; on AVR boards
 * also Arduino's numbers 0 and 1, of the pins 2 and 3 of the uno. mode: RISING, FALLING, CHANGE, or
 * LOW and HIGH, which call the handler again and again while the level lasts. Handlers are called
 * by one thread for them all, `handlers`, with 500 us of CPU time in every 10 ms; an event that
 * comes while one for the same pin waits is merged with it. On AVR, where nothing in the program
 * has a budget, they are called in the interrupt, as by Arduino's core. interrupts.h has the way an
 * event takes, handlers with a budget of their own (attachInterruptVcpu), and those in the
 * interrupt (attachInterruptIsr). A pin or mode that does not exist, and no handler, is ignored.
 * Thread, or a constructor of a global object: then events count from just before setup() on.
 */
static inline void attachInterrupt(int interrupt, void (*handler)(void), int mode);
/* The same, with an argument for the handler. */
static inline void attachInterruptParam(int interrupt, voidFuncPtrParam handler, int mode,
                                        void *argument);
/* The handler is not called any more, not for an event on its way either; a call that has begun
 * ends. */
static inline void detachInterrupt(int interrupt);
/*
 * Nothing comes in between: interrupts are off, and so no other loop runs; what happens meanwhile
 * waits, one event a pin. noInterrupts() first waits until calls of handlers that have begun have
 * ended, so that what handlers write is whole; in a handler it waits for no other one, and ends
 * with it. Several are undone by one interrupts(). It is a section, for admission: the build finds
 * out how long it lasts, or the sketch says it (TAKT_SECTION_US(us) between the two,
 * TAKT_SECTION_IN("function", us) for a library's), and loops that could be late by it are
 * refused. takt::Critical (Locks.h) waits for no handler. Not with a Mutex locked, which is fatal
 * where pins have handlers. Thread; in an interrupt neither has an effect.
 */
void noInterrupts(void);
void interrupts(void);

#include "known_pins.h"

/* The build reads which pins there are where they are constants: fewer pins, better bounds. */
#define TAKT_TELL_PIN_(pin)                                                                        \
    __asm__ volatile(".pushsection .takt.pins, \"\", %%progbits\n.byte %c0\n.popsection"           \
                     : /* nothing */                                                               \
                     : "i"(__builtin_constant_p(pin) ? (pin) & 0xFF : 0xFF));                      \
    TAKT_KNOWN_PIN_(attachInterrupt, pin)

#ifndef TAKT_INTERRUPT_TO_PIN
#define TAKT_INTERRUPT_TO_PIN(n) (n)
#endif
__attribute__((always_inline)) static inline int takt_interrupt_pin(int interrupt)
{
    return TAKT_INTERRUPT_TO_PIN(interrupt);
}

void takt_attach_interrupt(int pin, void (*handler)(void), int mode);
/* The same without a thread, to which the build may make it (tools/takt/build/loops.py). */
void takt_attach_in_interrupt(int pin, void (*handler)(void), int mode);
void takt_attach_in_interrupt_param(int pin, voidFuncPtrParam handler, int mode, void *argument);
__attribute__((always_inline)) static inline void
attachInterrupt(int interrupt, void (*handler)(void), int mode)
{
    int pin = takt_interrupt_pin(interrupt);
    TAKT_TELL_PIN_(pin);
    takt_attach_interrupt(pin, handler, mode);
}

void takt_attach_interrupt_param(int pin, voidFuncPtrParam handler, int mode, void *argument);
__attribute__((always_inline)) static inline void
attachInterruptParam(int interrupt, voidFuncPtrParam handler, int mode, void *argument)
{
    int pin = takt_interrupt_pin(interrupt);
    TAKT_TELL_PIN_(pin);
    takt_attach_interrupt_param(pin, handler, mode, argument);
}

void takt_detach_interrupt(int pin);
__attribute__((always_inline)) static inline void detachInterrupt(int interrupt)
{
    takt_detach_interrupt(takt_interrupt_pin(interrupt));
}

void shiftOut(uint8_t data_pin, uint8_t clock_pin, uint8_t order, uint8_t value);
uint8_t shiftIn(uint8_t data_pin, uint8_t clock_pin, uint8_t order);

#ifdef __cplusplus
}

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "HardwareSerial.h"
#include "IPAddress.h"
#include "WCharacter.h"
#include "WMath.h"
#include "WString.h"
#include "interrupts.h"
#include "loops.h"

void setup();
void serialEvent();
void serialEvent1();
void serialEventRun() __attribute__((weak)); /* null: Takt calls these by itself */

/*
 * Length in us of the next pulse of the level (HIGH: from rising to falling edge); a pulse under
 * way does not count. 0 when none has begun and ended within `timeout` us. Blocks the calling loop
 * only. The edges are timed in the interrupt, to within 2 us however busy the loops are; with
 * interrupts off, or a Mutex locked, the pin is read again and again instead. Thread.
 */
unsigned long pulseIn(uint8_t pin, uint8_t level, unsigned long timeout = 1000000);
unsigned long pulseInLong(uint8_t pin, uint8_t level, unsigned long timeout = 1000000);

/*
 * A square wave of `frequency` Hz (8 and up), for `duration` ms or, with 0, until noTone(). Made by
 * PWM hardware; shares the slice's frequency as analogWrite() does. Any pins at the same time; the
 * end of a duration is timed by a small thread of its own, `tone`; on AVR boards where nothing else
 * has a budget by an interrupt, for up to four tones at a time. Thread.
 */
void tone(uint8_t pin, unsigned frequency, unsigned long duration = 0);
void noTone(uint8_t pin);

/* As delay(100), with a unit: delay(250_us) blocks the calling loop for 250 us. */
void delay(takt::Duration duration);

#endif

#endif
