/*
 * What the build knows of a program's sections, for admission at run time: how long each thread may be
 * held up. Zeros here, in a file of its own, so that the compiler does not take them for granted; the
 * build fills them into the image (tools/takt/locks.py).
 */
#include "admission.h"

#include <takt/flash.h>

const uint32_t takt_held_us[TAKT_PLACES] TAKT_FLASH = {0};
