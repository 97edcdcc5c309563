# What the build needs to know of the board; the rest is in board.toml.
set(TAKT_PORT armv6m)
set(TAKT_CPU_FLAGS -mcpu=cortex-m0plus -mthumb)
set(TAKT_DRIVERS clock/rp2040*.c gpio/rp2040*.c gpio/edges.c gpio/pin_events.c
    uart/serial.c uart/port1.c uart/pipe.c uart/soft.c uart/pl011*.c pwm/rp2040*.c adc/rp2040*.c
    irq/rp2040*.c rp2040/claims.c watchdog/feed.c watchdog/rp2040.c
    bus/queue.c i2c/transfer.c i2c/serve.c i2c/lines.c i2c/rp2040*.c spi/transfer.c spi/pipe.c
    spi/rp2040*.c flash/rp2040.c console/pl011.c libc/newlib.c)
set(TAKT_INCLUDES board/pico/sdk) # names of the pico's SDK (hardware/, pico/)
set(TAKT_LINK_SCRIPT pico.ld)
set(TAKT_TRACE_EVENTS 512)
# Two switches and two alarms, see [costs] in board.toml; for bottom halves as well. UARTs: 32 bytes
# either way; told of 4, or after 32 bits of silence, which may come behind each of 3 bytes.
set(TAKT_DEFINITIONS PORT_GUARD_BYTES=256 PORT_FINE=125 PORT_ENTRY=78 PORT_EXIT=81 PORT_BACK=17 PORT_HELD_UP=173
    TAKT_BUDGET_MARGIN_US=12 TAKT_THREADS_BELOW=1 TAKT_NULL_READS=1 TAKT_START_COST_US=51 TAKT_IO_START_COST_US=51
    TAKT_UART_FIFO=32 TAKT_UART_HOLD_BITS=128 TAKT_UART_APART_BITS=30 TAKT_UART_OUT_APART_BITS=240
    TAKT_UART_TOP_NS=25000 TAKT_UART_OUT_TOP_NS=70000
    TAKT_WATCHDOG_FEED_US=20 TAKT_WATCHDOG_MOST_US=4194302)
