/*
 * For a board's pins_arduino.h, which says where its pins are: digitalPinToPort() and TAKT_PIN_BIT().
 */
#ifndef TAKT_PINS_ARDUINO_AVR_H
#define TAKT_PINS_ARDUINO_AVR_H

/* The registers themselves, for libraries that write to them: what is no single instruction may
 * disturb another loop whose pins are on the same port. Ports are 1 for A, 2 for B, ... */
#define digitalPinToBitMask(p) ((uint8_t)(1u << TAKT_PIN_BIT(p)))
#define portInputRegister(n)   ((volatile uint8_t *)(uintptr_t)(0x1Du + 3u * (n)))
#define portModeRegister(n)    (portInputRegister(n) + 1)
#define portOutputRegister(n)  (portInputRegister(n) + 2)

/* Modes of pinMode(): all pins are fast. */
#define INPUT_FAST  INPUT
#define OUTPUT_FAST OUTPUT

#define digitalPinToInterrupt(p)   ((p) < NUM_DIGITAL_PINS ? (p) : NOT_AN_INTERRUPT)
#define analogInputToDigitalPin(n) ((n) < NUM_ANALOG_INPUTS ? (n) + PIN_A0 : -1)

#endif
