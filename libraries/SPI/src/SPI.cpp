/*
 * SPI over the SPI driver.
 */
#include "SPI.h"

#include <takt/port.h>

SPIClass SPI(0, PIN_SPI_SCK, PIN_SPI_MOSI, PIN_SPI_MISO);
#ifdef PIN_SPI1_SCK
SPIClass SPI1(1, PIN_SPI1_SCK, PIN_SPI1_MOSI, PIN_SPI1_MISO);
#endif

#ifdef __AVR__ /* where handlers may run in the interrupt, which no lock keeps away */

extern "C" {
#pragma weak takt_handlers_off /* there if they do: arduino/handlers_off.cpp */
#pragma weak takt_handlers_on
port_irq_t takt_handlers_off();
void takt_handlers_on(port_irq_t before);
}

void SPIClass::usingInterrupt(int)
{
    keeps_off_ = takt_handlers_off != nullptr;
}

/* A handler is between two transactions of loop(), or sees that it is not by its transfers. */
void SPIClass::beginTransaction(SPISettings settings)
{
    bool acquired = transaction_.acquire(true);
    if (acquired && keeps_off_ && depth_++ == 0)
        before_ = takt_handlers_off();
    if (acquired || port_in_isr())
        settings_ = settings;
}

/* One that beginTransaction() could not begin has nothing to end. */
void SPIClass::endTransaction()
{
    if (!transaction_.held())
        return;
    if (depth_ > 0 && --depth_ == 0)
        takt_handlers_on(before_);
    transaction_.release();
}

#else

void SPIClass::usingInterrupt(int) {}

void SPIClass::beginTransaction(SPISettings settings)
{
    if (transaction_.acquire(true))
        settings_ = settings;
}

/* One that beginTransaction() could not begin has nothing to end. */
void SPIClass::endTransaction()
{
    if (transaction_.held())
        transaction_.release();
}

#endif

int SPIClass::transfer(const void *out, void *in, size_t n)
{
    return takt_spi_transfer(bus_, &settings_.of_bytes_, TAKT_SPI_NO_PIN, out, in, n);
}

int SPIClass::transfer16(const uint16_t *out, uint16_t *in, size_t n)
{
    struct takt_spi_settings settings = settings_.of_bytes_;
    settings.bits = 16;
    return takt_spi_transfer(bus_, &settings, TAKT_SPI_NO_PIN, out, in, n);
}

uint8_t SPIClass::transfer(uint8_t byte)
{
    int received = takt_spi_exchange(bus_, &settings_.of_bytes_, byte);
    return received > 0 ? static_cast<uint8_t>(received) : 0;
}

uint16_t SPIClass::transfer16(uint16_t word)
{
    uint16_t received = 0;
    (void)transfer16(&word, &received, 1);
    return received;
}

void SPIClass::transfer(void *buffer, size_t n)
{
    (void)transfer(buffer, buffer, n);
}

void SPIClass::setClockDivider(uint8_t divider)
{
    static const uint8_t shifts[] = {2, 4, 6, 7, 1, 3, 5};
    if (divider < sizeof shifts)
        settings_.of_bytes_.hz = 16000000u >> shifts[divider];
}
