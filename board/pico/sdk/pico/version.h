/* Of the pico's SDK: the one whose names Takt's are. */
#ifndef TAKT_PICO_VERSION_H
#define TAKT_PICO_VERSION_H

#define PICO_SDK_VERSION_MAJOR    2
#define PICO_SDK_VERSION_MINOR    0
#define PICO_SDK_VERSION_REVISION 0
#define PICO_SDK_VERSION_STRING   "2.0.0"

#endif
