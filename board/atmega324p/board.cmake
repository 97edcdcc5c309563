# What the build needs to know of the board; the rest is in board.toml.
include(${CMAKE_CURRENT_LIST_DIR}/../avr/chip.cmake)
list(PREPEND TAKT_LIBRARIES -latmega324p) # <avr/eeprom.h>
set(TAKT_CPU_FLAGS -mmcu=atmega324p -DF_CPU=8000000UL -mrelax -mstrict-X)
list(APPEND TAKT_DRIVERS uart/port1.c uart/avr_port1.c)
list(APPEND TAKT_ALONE drivers/uart/port1.c drivers/uart/avr_port1.c)
set(TAKT_LINK_SCRIPT atmega324p.ld)
# Two switches and two alarms, see [costs] in board.toml; for bottom halves as well.
set(TAKT_DEFINITIONS TAKT_PULSE_IRQ_US=550 TAKT_START_COST_US=1630 TAKT_IO_START_COST_US=1630
    TAKT_BUDGET_MARGIN_US=280 TAKT_REPLENISHMENTS=4 TAKT_NULL_READS=1 TAKT_LOOP_US=70000
    TAKT_EDGE_PINS=32
    TAKT_I2C_BUSES=1 TAKT_SPI_BUSES=1
    TAKT_SPI_HZ_MIN=125000ul BUFFER_LENGTH=32 WIRE_LOOPS=2 TAKT_UART_WAKE_LEAST=16 TAKT_UART_TX_SIZE=32 TAKT_UART_RX_SIZE=32
    TAKT_WATCHDOG_FEED_US=500 TAKT_WATCHDOG_MOST_US=3686400)
