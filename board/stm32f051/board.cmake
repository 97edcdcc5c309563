# What the build needs to know of the board; the rest is in board.toml.
set(TAKT_PORT armv6m)
set(TAKT_CPU_FLAGS -mcpu=cortex-m0 -mthumb)
set(TAKT_DRIVERS stm32f0/*.c clock/stm32f0*.c gpio/stm32f0*.c gpio/edges.c gpio/pin_events.c
    uart/serial.c uart/port1.c uart/pipe.c uart/stm32f0*.c pwm/stm32f0*.c adc/stm32f0*.c
    bus/queue.c i2c/transfer.c i2c/serve.c i2c/lines.c i2c/stm32f0*.c
    spi/transfer.c spi/pipe.c spi/stm32f0*.c watchdog/feed.c watchdog/stm32f0.c console/stm32f0.c libc/newlib.c)
set(TAKT_LINK_SCRIPT stm32f051.ld)
set(TAKT_TRACE_EVENTS 80)
# Two switches and two alarms, see [costs] in board.toml; for bottom halves as well.
set(TAKT_DEFINITIONS PORT_FINE=48 PORT_ENTRY=97 PORT_EXIT=99 PORT_BACK=22 PORT_HELD_UP=218
    TAKT_PULSE_IRQ_US=60 TAKT_START_COST_US=162 TAKT_IO_START_COST_US=162 TAKT_BUDGET_MARGIN_US=45
    TAKT_SPI_HZ_MIN=187500u TAKT_UART_TX_SIZE=128 TAKT_UART_RX_SIZE=64 TAKT_UART_TOP_NS=50000 TAKT_EDGE_PINS=22
    TAKT_WATCHDOG_FEED_US=60 TAKT_WATCHDOG_MOST_US=9900000)
