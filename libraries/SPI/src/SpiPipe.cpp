#include "SpiPipe.h"

#include <takt/periodic.h>

extern "C" void takt_arduino_spi_source(void *source)
{
    takt_before_jobs();
    takt_spi_source_thread(source);
}
