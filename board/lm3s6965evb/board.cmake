# What the build needs to know of the board; the rest is in board.toml.
set(TAKT_PORT armv7m)
set(TAKT_CPU_FLAGS -mcpu=cortex-m3 -mthumb)
set(TAKT_BASE cortex-m)
set(TAKT_DRIVERS clock/lm3s*.c gpio/lm3s.c uart/serial.c uart/port1.c uart/pipe.c uart/lm3s*.c console/lm3s.c
    libc/newlib.c)
set(TAKT_LINK_SCRIPT lm3s6965evb.ld)
set(TAKT_TRACE_EVENTS 512)
# Two switches and two alarms, see [costs] in board.toml; for bottom halves as well.
# UARTs: 16 bytes either way; told of 2, or after 32 bits of silence behind one; told when 2 are left.
set(TAKT_DEFINITIONS TAKT_BUDGET_MARGIN_US=60 TAKT_START_COST_US=170 TAKT_IO_START_COST_US=170
    TAKT_PRIORITIES=8 # the chip has three bits of them
    TAKT_UART_FIFO=16 TAKT_UART_HOLD_BITS=42 TAKT_UART_APART_BITS=18 TAKT_UART_OUT_APART_BITS=120
    TAKT_UART_TOP_NS=50000 TAKT_UART_OUT_TOP_NS=100000)
