/*
 * Pipes from SPI devices:
 *
 *     const byte ask[] = {0x01, 0x80, 0x00};
 *     spiSource(adc, 1000000, SPI_MODE0, 17, ask, 300_us, 1_ms);  // Hz, mode, select; C, T
 *
 *     void pipe(values, spiIn(adc), qos(1000, 64, 500_us)) {
 *       byte answer[3];
 *       while (values.read(answer)) ...
 *     }
 *
 * A thread with the budget sends the bytes once in every period and hands on what comes back, on
 * the pins of SPI, which it opens.
 */
#ifndef TAKT_SPI_PIPE_LIBRARY_H
#define TAKT_SPI_PIPE_LIBRARY_H

#include <Takt.h>
#include <takt/spi_pipe.h>

#include "SPI.h"

extern "C" {
/* Entry of a source's thread: after setup(), takt_spi_source_thread(). */
void takt_arduino_spi_source(void *source);
}

#define spiSource(id, hz, mode, select, ask, c, t)                                                 \
    constexpr int64_t takt_spi_c_##id = takt::duration_us(c);                                      \
    constexpr int64_t takt_spi_t_##id = takt::duration_us(t);                                      \
    static_assert(takt_spi_c_##id > 0 && takt_spi_c_##id <= takt_spi_t_##id,                       \
                  "spiSource " #id ": 0 < C <= T");                                                \
    extern "C" {                                                                                   \
    extern const struct takt_thread takt_thread_spi_##id;                                          \
    extern char takt_stack_spi_##id[], takt_stack_spi_##id##_end[];                                \
    }                                                                                              \
    constexpr struct takt_endpoint_attrs takt_spi_attrs_##id =                                     \
        TAKT_SPI_IN_ATTRS(sizeof(ask), (hz), takt_spi_t_##id);                                     \
    struct takt_endpoint takt_spi_end_##id = {&takt_spi_attrs_##id, &takt_spi_in_ops,              \
                                              nullptr,              &takt_thread_spi_##id,         \
                                              #id,                  nullptr,                       \
                                              sizeof(ask),          TAKT_IN,                       \
                                              nullptr};                                            \
    static char takt_spi_answer_##id[sizeof(ask)];                                                 \
    static const struct takt_spi_source takt_spi_source_##id = {                                   \
        &takt_spi_end_##id, {(hz), ((mode) >> 2) & 3, 8, false},                                   \
        0,                  PIN_SPI_SCK,                                                           \
        PIN_SPI_MOSI,       PIN_SPI_MISO,                                                          \
        (select),           (ask),                                                                 \
        takt_spi_answer_##id};                                                                     \
    TAKT_MARK_THREADS_;                                                                            \
    TAKT_SKETCH_THREAD_(spi_##id, "spi " #id, takt_arduino_spi_source,                             \
                        const_cast<struct takt_spi_source *>(&takt_spi_source_##id),               \
                        takt_spi_c_##id, takt_spi_t_##id, takt_stack_spi_##id##_end)               \
    constexpr takt::End takt_spi_in_##id()                                                         \
    {                                                                                              \
        return {takt_spi_attrs_##id, &takt_spi_end_##id, &takt_spi_in_ops, {nullptr, 0, 0},        \
                #id, sizeof(ask), TAKT_IN, 0};                                                     \
    }

#define spiIn(id) takt_spi_in_##id()

#endif
