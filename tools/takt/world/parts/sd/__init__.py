"""An SD card: its protocol on SPI, its registers, what is on it."""
