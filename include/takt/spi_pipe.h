/*
 * SPI devices as endpoints of pipes: a thread with a budget asks the device once in every period,
 * and what it answers is a packet. So the thread moves the data itself, and nothing waits in the
 * device.
 */
#ifndef TAKT_SPI_PIPE_H
#define TAKT_SPI_PIPE_H

#include <takt/pipe.h>
#include <takt/spi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A device that is asked; const. */
struct takt_spi_source {
    struct takt_endpoint *end;
    struct takt_spi_settings settings; /* frames of 8 bits */
    uint8_t bus, sck, mosi, miso;      /* as takt_spi_open() */
    uint8_t select;                    /* chip select: becomes an output, high */
    const void *ask;                   /* bytes sent each time, */
    void *answer;                      /* and room for as many */
};

extern const struct takt_endpoint_ops takt_spi_in_ops;

/* Entry of the thread; its argument is the source. An answer that does not come, as the bus is not
 * open, is a packet lost. Never returns. */
void takt_spi_source_thread(void *source);

/* ns that `bytes` take on the bus, chip select and the driver included. */
#ifndef TAKT_SPI_CALL_NS
#define TAKT_SPI_CALL_NS 100000u
#endif
#define TAKT_SPI_MOVE_NS_(bytes, hz)                                                               \
    (TAKT_SPI_CALL_NS + (uint32_t)(8000000000ull * (bytes) / (hz)))

/* Initialiser of struct takt_endpoint_attrs: `bytes` at hz every t_us. */
#define TAKT_SPI_IN_ATTRS(bytes, hz, t_us)                                                         \
    {1, 8u * (bytes), (uint32_t)(t_us) * 1000u, 0, 0, (bytes), (bytes), TAKT_SAMPLED, 0,           \
     TAKT_SPI_MOVE_NS_(bytes, hz), 0, 0, 0, TAKT_SPI_MOVE_NS_(bytes, hz), 0,                       \
     (uint32_t)(t_us) + TAKT_SPI_MOVE_NS_(bytes, hz) / 1000u, (t_us), (t_us), 0}

#ifdef __cplusplus
}
#endif

#endif
