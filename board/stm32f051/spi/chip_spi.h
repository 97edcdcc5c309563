/* The chip of this board, for the SPI driver. */
#include "../../../drivers/spi/stm32f0_chip.h"
