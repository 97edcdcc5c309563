# A host process in virtual time; a program is a shared library (board/sim/machine.h).
set(TAKT_PORT sim)
set(TAKT_CPU_FLAGS -fPIC)
set(TAKT_DEFINITIONS TAKT_NULL_READS=1 TAKT_START_COST_US=0 TAKT_UART_FIFO=32
    TAKT_UART_OUT_APART_BITS=240 TAKT_UART_TOP_NS=2000 TAKT_UART_OUT_TOP_NS=20000)
# A call of board/sim/machine.c in every basic block: computing takes time.
set(TAKT_PROGRAM_FLAGS -O0 -fsanitize-coverage=trace-pc)
set(TAKT_DRIVERS clock/sim*.c gpio/sim*.c gpio/edges.c gpio/pin_events.c
    uart/serial.c uart/port1.c uart/pipe.c uart/sim*.c pwm/sim*.c adc/sim*.c
    console/sim*.c libc/sim*.c)
set(TAKT_LINK_SCRIPT sim.ld)
# -Bsymbolic: its main(), not that of whoever loads it.
set(TAKT_LINK_FLAGS -shared -Wl,-Bsymbolic -Wl,-z,defs -Wl,--no-warn-rwx-segments)
set(TAKT_LIBRARIES -lm -lc -lgcc -Wl,--end-group)
set(TAKT_TRACE_EVENTS 65536)
