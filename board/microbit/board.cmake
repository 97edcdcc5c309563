# What the build needs to know of the board; the rest is in board.toml.
set(TAKT_PORT armv6m)
set(TAKT_CPU_FLAGS -mcpu=cortex-m0 -mthumb)
set(TAKT_BASE cortex-m)
set(TAKT_DRIVERS clock/nrf51*.c gpio/nrf51.c uart/serial.c uart/pipe.c uart/nrf51*.c console/nrf51.c
    libc/newlib.c)
set(TAKT_LINK_SCRIPT microbit.ld)
set(TAKT_TRACE_EVENTS 256)
# Two switches and two alarms, see [costs] in board.toml; for bottom halves as well.
set(TAKT_DEFINITIONS TAKT_NULL_READS=1 TAKT_BUDGET_MARGIN_US=135 TAKT_START_COST_US=440 TAKT_IO_START_COST_US=440
    TAKT_UART_PORTS=1 TAKT_UART_BAUD_MOST=1000000)
