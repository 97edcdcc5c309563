/*
 * Pins of the pico; and what libraries take for granted that Arduino's core for the RP2040 has in
 * Arduino.h of the pico's SDK.
 */
#include "../../arduino/pins_arduino.h" /* which has a guard */

#include <hardware/clocks.h>
#include <hardware/pio.h>
#include <pico/stdlib.h>
