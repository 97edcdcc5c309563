/* Written by boot2_crc.py from boot2.S. */
#ifndef BOOT2_CRC
#define BOOT2_CRC 0x26AE7F55
#endif
