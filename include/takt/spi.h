/*
 * SPI as controller. A transfer blocks the calling thread only, or occupies it, whichever is
 * cheaper: the hardware holds eight frames and has to be served every four, so when that is more
 * often than every 100 us (8 bits above 320 kHz), or the whole transfer takes less than two
 * switches of threads would (40 us), the calling thread serves it itself, on its own budget. Else
 * an interrupt does and the thread waits.
 *
 * Several threads may use a bus; the most urgent one that waits is next. A transfer whose thread
 * has no budget left or is less urgent is not waited for: threads that wait for the bus go on with
 * it. So a thread waits for one transfer of less urgent threads at most. With interrupts off the
 * calling thread serves its transfer itself, if none is under way.
 *
 * stm32f051: bus 0 has SCK on pin 13, MISO on 12, MOSI on 11, bus 1 on 25, 24 and 26; clocks from
 * 187.5 kHz; as its hardware holds two frames, threads serve every transfer themselves.
 * uno: bus 0 has SCK on pin 13, MISO on 12, MOSI on 11, and there is no other; clocks from 125 kHz,
 * frames of 8 and 16 bits; pin 10 becomes an output; threads serve every transfer.
 * pico: bus 0 has MISO on GP0, 4, 16, 20, SCK on 2, 6, 18, 22, MOSI on 3, 7, 19, 23; bus 1 has
 * MISO on GP8, 12, 24, 28, SCK on 10, 14, 26, MOSI on 11, 15, 27.
 */
#ifndef TAKT_SPI_H
#define TAKT_SPI_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_SPI_NO_PIN 0xFFu

/* The board may have one only. */
#ifndef TAKT_SPI_BUSES
#define TAKT_SPI_BUSES 2u
#endif

/* The slowest clock, Hz. */
#ifndef TAKT_SPI_HZ_MIN
#define TAKT_SPI_HZ_MIN 100000u
#endif

struct takt_spi_settings {
    uint32_t hz;    /* TAKT_SPI_HZ_MIN and up; the next possible clock below is taken */
    uint8_t mode;   /* 0..3: polarity * 2 + phase */
    uint8_t bits;   /* of a frame: 4..16 */
    bool lsb_first; /* frames of 8 and of 16 bits only */
};

/*
 * Opens a bus on these pins; mosi or miso may be TAKT_SPI_NO_PIN. Thread or main.
 * TAKT_EINVAL: no such bus or pins. TAKT_EAGAIN: other pins while a transfer is under way.
 * TAKT_ECONTEXT: in an interrupt.
 */
int takt_spi_open(uint8_t bus, uint8_t sck, uint8_t mosi, uint8_t miso);

/* Gives the pins back as inputs. TAKT_EAGAIN while a thread uses the bus; else as open. */
int takt_spi_close(uint8_t bus);

/*
 * Sends n frames and receives as many, with the pin `chip_select` (an output that is high, or
 * TAKT_SPI_NO_PIN) low meanwhile. out NULL: zeros; in NULL: what comes is dropped; both may be the
 * same memory. Frames are bytes up to 8 bits and uint16_t above. Thread, may block.
 * Returns n, which is at most INT_MAX. TAKT_EINVAL: argument, or bus not open. TAKT_ECONTEXT: in an
 * interrupt, before takt_start() or while holding a mutex. TAKT_EAGAIN: with interrupts off, while
 * another transfer is under way. uno, atmega324p: may be called in an interrupt, too, as with
 * interrupts off. There, in a program of one thread as it is flashed, nothing waits, and a mutex is
 * no hindrance.
 */
int takt_spi_transfer(uint8_t bus, const struct takt_spi_settings *settings, uint8_t chip_select,
                      const void *out, void *in, size_t n);

/* The same with one frame of 8 bits and no chip select: returns what is received, or an error. */
int takt_spi_exchange(uint8_t bus, const struct takt_spi_settings *settings, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
