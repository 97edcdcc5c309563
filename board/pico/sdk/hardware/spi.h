/*
 * SPI, by the names of the pico's SDK. On a bus that SPI.begin() or SPI1.begin() has opened,
 * spi_write_blocking() and such go through that, as its last beginTransaction() says; they give an
 * error where its transfer() does nothing. Or a program has the bus to itself: it calls spi_init(),
 * and its words go by the data register, which DMA can write.
 */
#ifndef TAKT_SDK_HARDWARE_SPI_H
#define TAKT_SDK_HARDWARE_SPI_H

#include <hardware/clocks.h>
#include <hardware/regs/dreq.h>
#include <hardware/resets.h>
#include <takt/types.h>

typedef struct {
    io_rw_32 cr0, cr1, dr, sr, cpsr, imsc, ris, mis, icr, dmacr;
} spi_hw_t;

typedef struct spi_inst spi_inst_t;

#define spi0 ((spi_inst_t *)0x4003C000u)
#define spi1 ((spi_inst_t *)0x40040000u)

enum { SPI_SSPCR0_DSS_LSB = 0, SPI_SSPCR0_DSS_BITS = 15 };

#define SPI_SSPCR0_SPO_BITS    0x0040u
#define SPI_SSPCR0_SPH_BITS    0x0080u
#define SPI_SSPCR0_SCR_LSB     8
#define SPI_SSPCR1_SSE_BITS    0x0002u
#define SPI_SSPSR_RNE_BITS     0x0004u
#define SPI_SSPSR_BSY_BITS     0x0010u
#define SPI_SSPDMACR_BOTH_BITS 0x0003u

typedef enum { SPI_CPHA_0 = 0, SPI_CPHA_1 = 1 } spi_cpha_t;
typedef enum { SPI_CPOL_0 = 0, SPI_CPOL_1 = 1 } spi_cpol_t;
typedef enum { SPI_LSB_FIRST = 0, SPI_MSB_FIRST = 1 } spi_order_t; /* the latter is what there is */

/* What is written there lasts until the next transfer, which sets all of it. */
static inline spi_hw_t *spi_get_hw(spi_inst_t *spi)
{
    return (spi_hw_t *)spi;
}

/* By the library: as many, or an error; TAKT_EINVAL: it has not opened the bus. */
#if defined(__cplusplus) && __has_include(<SPI.h>)
#include <SPI.h>

static inline int takt_spi_bytes_(spi_inst_t *spi, const uint8_t *from, uint8_t *to, size_t n)
{
    return (spi == spi0 ? SPI : SPI1).transfer(from, to, n);
}

static inline int takt_spi_words_(spi_inst_t *spi, const uint16_t *from, size_t n)
{
    return (spi == spi0 ? SPI : SPI1).transfer16(from, nullptr, n);
}

#else

static inline int takt_spi_bytes_(spi_inst_t *spi, const uint8_t *from, uint8_t *to, size_t n)
{
    (void)spi, (void)from, (void)to, (void)n;
    return TAKT_EINVAL;
}

static inline int takt_spi_words_(spi_inst_t *spi, const uint16_t *from, size_t n)
{
    (void)spi, (void)from, (void)n;
    return TAKT_EINVAL;
}

#endif

/* On a bus of the program's own: words of up to 16 bits, one after the other; nothing is kept where
 * there is nowhere to. */
static inline uint16_t takt_spi_word_(spi_inst_t *spi, uint16_t word)
{
    spi_get_hw(spi)->dr = word;
    while ((spi_get_hw(spi)->sr & SPI_SSPSR_RNE_BITS) == 0) {
    }
    return (uint16_t)spi_get_hw(spi)->dr;
}

static inline int spi_write_read_blocking(spi_inst_t *spi, const uint8_t *from, uint8_t *to,
                                          size_t n)
{
    int moved = takt_spi_bytes_(spi, from, to, n);
    if (moved != TAKT_EINVAL)
        return moved;
    for (size_t k = 0; k < n; k++)
        to[k] = (uint8_t)takt_spi_word_(spi, from[k]);
    return (int)n;
}

static inline int spi_write_blocking(spi_inst_t *spi, const uint8_t *from, size_t n)
{
    int moved = takt_spi_bytes_(spi, from, NULL, n);
    if (moved != TAKT_EINVAL)
        return moved;
    for (size_t k = 0; k < n; k++)
        (void)takt_spi_word_(spi, from[k]);
    return (int)n;
}

static inline int spi_write16_blocking(spi_inst_t *spi, const uint16_t *from, size_t n)
{
    int moved = takt_spi_words_(spi, from, n);
    if (moved != TAKT_EINVAL)
        return moved;
    for (size_t k = 0; k < n; k++)
        (void)takt_spi_word_(spi, from[k]);
    return (int)n;
}

/* A bus of the program's own. */

static inline uint spi_get_index(spi_inst_t *spi)
{
    return spi == spi1;
}

static inline uint spi_get_dreq(spi_inst_t *spi, bool is_tx)
{
    return (spi == spi0 ? DREQ_SPI0_TX : DREQ_SPI1_TX) + (is_tx ? 0u : 1u);
}

static inline uint spi_get_baudrate(spi_inst_t *spi)
{
    uint32_t rate = spi_get_hw(spi)->cr0 >> SPI_SSPCR0_SCR_LSB;
    return clock_get_hz(clk_peri) / (spi_get_hw(spi)->cpsr * (rate + 1u));
}

/* By an even number up to 254 and then by up to 256: the next that is not faster. What there is. */
static inline uint spi_set_baudrate(spi_inst_t *spi, uint baudrate)
{
    uint32_t total = (clock_get_hz(clk_peri) + baudrate - 1u) / baudrate, even = 2;
    while (even < 254u && even * 256u < total)
        even += 2;
    uint32_t rate = (total + even - 1u) / even;
    rate = rate < 1u ? 1u : rate > 256u ? 256u : rate;
    spi_get_hw(spi)->cpsr = even;
    hw_write_masked(&spi_get_hw(spi)->cr0, (rate - 1u) << SPI_SSPCR0_SCR_LSB, 0xFF00u);
    return spi_get_baudrate(spi);
}

static inline void spi_set_format(spi_inst_t *spi, uint bits, spi_cpol_t cpol, spi_cpha_t cpha,
                                  spi_order_t order)
{
    (void)order;
    hw_clear_bits(&spi_get_hw(spi)->cr1, SPI_SSPCR1_SSE_BITS);
    hw_write_masked(&spi_get_hw(spi)->cr0,
                    (bits - 1u) | (cpol == SPI_CPOL_1 ? SPI_SSPCR0_SPO_BITS : 0u) |
                        (cpha == SPI_CPHA_1 ? SPI_SSPCR0_SPH_BITS : 0u),
                    SPI_SSPCR0_DSS_BITS | SPI_SSPCR0_SPO_BITS | SPI_SSPCR0_SPH_BITS);
    hw_set_bits(&spi_get_hw(spi)->cr1, SPI_SSPCR1_SSE_BITS);
}

static inline uint32_t takt_spi_reset_(spi_inst_t *spi)
{
    return spi == spi0 ? RESETS_RESET_SPI0_BITS : RESETS_RESET_SPI1_BITS;
}

/* Mode 0, eight bits, on, and it asks for DMA. */
static inline uint spi_init(spi_inst_t *spi, uint baudrate)
{
    reset_block(takt_spi_reset_(spi));
    unreset_block_wait(takt_spi_reset_(spi));
    spi_get_hw(spi)->cr0 = 8u - 1u; /* bits */
    uint found = spi_set_baudrate(spi, baudrate);
    spi_set_format(spi, 8, SPI_CPOL_0, SPI_CPHA_0, SPI_MSB_FIRST);
    spi_get_hw(spi)->dmacr = SPI_SSPDMACR_BOTH_BITS;
    return found;
}

static inline void spi_deinit(spi_inst_t *spi)
{
    reset_block(takt_spi_reset_(spi));
}

static inline bool spi_is_busy(spi_inst_t *spi)
{
    return (spi_get_hw(spi)->sr & SPI_SSPSR_BSY_BITS) != 0;
}

#endif
