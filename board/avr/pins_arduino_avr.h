/*
 * For a board's pins_arduino.h, which says where its pins are: digitalPinToPort() and
 * TAKT_PIN_BIT(); and which is the chip's INT0, TAKT_PIN_INT0, before INT1.
 */
#ifndef TAKT_PINS_ARDUINO_AVR_H
#define TAKT_PINS_ARDUINO_AVR_H

/* The registers themselves, for libraries that write to them: what is no single instruction may
 * disturb another loop whose pins are on the same port. Ports are 1 for A, 2 for B, ... */
#define digitalPinToBitMask(p) ((uint8_t)(1u << TAKT_PIN_BIT(p)))
#define portInputRegister(n)   ((volatile uint8_t *)(uintptr_t)(0x1Du + 3u * (n)))
#define portModeRegister(n)    (portInputRegister(n) + 1)
#define portOutputRegister(n)  (portInputRegister(n) + 2)

/* Of analogReference(), as the register counts them; the board has INTERNAL. */
#define DEFAULT  1 /* the supply */
#define EXTERNAL 0 /* at AREF */

/* Modes of pinMode(): all pins are fast. */
#define INPUT_FAST  INPUT
#define OUTPUT_FAST OUTPUT

/*
 * Interrupts are numbered as pins, but for those that Arduino numbers 0 and 1, and for the pins 0
 * and 1, which come behind the last. So any pin may interrupt, by its digitalPinToInterrupt(), and
 * what is written for Arduino's numbers finds these. The numbers of INT0 and INT1 as pins do, too.
 */
#define digitalPinToInterrupt(p)                                                                   \
    ((p) == TAKT_PIN_INT0 || (p) == TAKT_PIN_INT0 + 1 ? (p)-TAKT_PIN_INT0                          \
     : (p) == 0 || (p) == 1                           ? (p) + NUM_DIGITAL_PINS                     \
     : (p) < NUM_DIGITAL_PINS                         ? (p)                                        \
                                                      : NOT_AN_INTERRUPT)
#define TAKT_INTERRUPT_TO_PIN(n)                                                                   \
    ((n) == 0 || (n) == 1                                     ? (n) + TAKT_PIN_INT0                \
     : (n) == NUM_DIGITAL_PINS || (n) == NUM_DIGITAL_PINS + 1 ? (n)-NUM_DIGITAL_PINS               \
                                                              : (n))
#define analogInputToDigitalPin(n) ((n) < NUM_ANALOG_INPUTS ? (n) + PIN_A0 : -1)

#endif
