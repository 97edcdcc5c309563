# What the build needs to know of the board; the rest is in board.toml.
include(${CMAKE_CURRENT_LIST_DIR}/../avr/chip.cmake)
set(TAKT_CPU_FLAGS -mmcu=atmega328p -DF_CPU=16000000UL -mrelax)
set(TAKT_LINK_SCRIPT uno.ld)
set(TAKT_DEFINITIONS TAKT_REPLENISHMENTS=4 TAKT_NULL_READS=1 TAKT_EDGE_PINS=20
    TAKT_UART_TX_SIZE=32 TAKT_UART_RX_SIZE=32)
