/* The chip of this board, for the I2C driver. */
#include "../../../drivers/i2c/stm32f0_chip.h"
