/*
 * What the build knows of a program, for admission at run time. Here it is nothing, in a file of
 * its own, so that the compiler does not take it for granted; the build fills it into the image
 * (tools/takt/admit/known.py).
 */
#include "admission.h"

#include <takt/flash.h>

const uint32_t takt_held_us[TAKT_PLACES] TAKT_FLASH = {0};
const struct takt_admit_irq takt_own_irqs[TAKT_OWN_IRQS] TAKT_FLASH = {
    {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
const uint32_t takt_io_overhead_us TAKT_FLASH = 0;
