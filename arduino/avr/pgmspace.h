/* Where there is an AVR, its library's; elsewhere the same names. */
#ifdef __AVR__
#include_next <avr/pgmspace.h>
#else
#include "../pgmspace.h"
#endif
