# What the build needs to know of the board; the rest is in board.toml.
set(TAKT_PORT x86_64)
set(TAKT_DEBUG_FLAGS -gdwarf-4) # of which addr2line reads the files of sketches
set(TAKT_CPU_FLAGS -m64 -march=x86-64 -mno-red-zone -mcmodel=small -fno-pic -fno-pie -no-pie
    -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables
    -U_FORTIFY_SOURCE -fstack-clash-protection)
set(TAKT_KERNEL_FLAGS -mgeneral-regs-only) # a voluntary switch saves no SSE registers
set(TAKT_DRIVERS clock/pc*.c console/pc.c uart/serial.c uart/port1.c uart/pipe.c uart/pc*.c
    gpio/pc.c gpio/pc_edge.c gpio/edges.c gpio/pin_events.c pci/*.c
    libc/musl.c libc/wrapped.c libc/no_exceptions.c libc/isoc23.S
    bus/*.c usb/*.c usb/xhci/*.c can/*.c)
# By how much the end of a budget may be noticed late, and what a start costs: see [costs].
# COM ports: 16 bytes either way; told of 4, or after 4 characters of silence (44 bits, with some
# chips), which may come between any two of them: 3 x 44 bits. Some 1 us for each access on a PC.
set(TAKT_DEFINITIONS TAKT_BUDGET_MARGIN_US=2 TAKT_START_COST_US=8
    TAKT_UART_FIFO=16 TAKT_UART_HOLD_BITS=132 TAKT_UART_APART_BITS=39 TAKT_UART_OUT_APART_BITS=156
    TAKT_UART_TOP_NS=40000 TAKT_UART_OUT_TOP_NS=40000 TAKT_UART_BAUD_MOST=115200)
set(TAKT_LINK_SCRIPT pc.ld)
# The header the loader looks for must be in the first 8 KB of the file.
set(TAKT_LINK_FLAGS -nostdlib -static -Wl,-z,max-page-size=4096 -Wl,--build-id=none
    -Wl,--no-warn-rwx-segments,-z,noexecstack -L/usr/lib/x86_64-linux-musl
    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free) # libc/wrapped.c
set(TAKT_LIBRARIES -lstdc++ -lc -lgcc -Wl,--end-group)
set(TAKT_TRACE_EVENTS 65536)
