# The pico, with pins behind an expander and a converter.
include(${CMAKE_CURRENT_LIST_DIR}/../pico/board.cmake)
set(TAKT_BASE pico)
list(REMOVE_ITEM TAKT_DRIVERS adc/rp2040*.c)
list(APPEND TAKT_DRIVERS gpio/galileo*.c pwm/galileo.c adc/galileo.c expander/*.c ad7298/*.c)
