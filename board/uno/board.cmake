# What the build needs to know of the board; the rest is in board.toml.
set(TAKT_PORT avr)
set(TAKT_BASE avr)
set(TAKT_CPU_FLAGS -mmcu=atmega328p -DF_CPU=16000000UL -mrelax)
set(TAKT_CXX_STANDARD gnu++1z)
set(TAKT_LINK_FLAGS -nostartfiles -nodefaultlibs -specs=${CMAKE_SOURCE_DIR}/board/avr/link.specs)
set(TAKT_DRIVERS clock/avr*.c console/avr.c)
set(TAKT_LINK_SCRIPT uno.ld)
set(TAKT_TRACE_EVENTS 1) # a register takes them: kernel/trace.c
set(TAKT_DEFINITIONS TAKT_REPLENISHMENTS=4 TAKT_NULL_READS=1)
