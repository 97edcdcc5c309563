# What the boards with an ATmega share; board.cmake includes it.
set(TAKT_PORT avr)
set(TAKT_BASE avr)
set(TAKT_CXX_STANDARD gnu++1z)
set(TAKT_PROGRAM_CXX_FLAGS -mcall-prologues) # some 6 % less flash of libraries with classes
set(TAKT_DEBUG_FLAGS -gdwarf-2) # of which addr2line reads lines
set(TAKT_INCLUDES arduino/std)
set(TAKT_ARDUINO_LESS stdlib_text.cpp) # avr-libc has it
set(TAKT_LINK_FLAGS -nostartfiles -nodefaultlibs -specs=${CMAKE_SOURCE_DIR}/board/avr/link.specs
    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free) # libc/wrapped.c
set(TAKT_DRIVERS clock/avr*.c console/avr.c avr/*.c gpio/avr*.c gpio/edges.c gpio/pin_events.c
    adc/avr.c pwm/avr*.c uart/serial.c uart/pipe.c uart/soft.c uart/avr.c
    bus/queue.c i2c/transfer.c i2c/serve.c i2c/lines.c i2c/avr_fifo.c
    spi/transfer.c spi/pipe.c spi/avr_fifo.c watchdog/feed.c watchdog/avr.c libc/avr.c libc/wrapped.c)
# Once more for programs of one thread: what waits for another thread then, or locks it out, is not
# there.
set(TAKT_ALONE arduino/HardwareSerial.cpp arduino/Print.cpp arduino/Stream.cpp
    arduino/serial_gate.cpp drivers/adc/avr.c drivers/libc/wrapped.c drivers/uart/serial.c
    drivers/uart/avr.c drivers/spi/avr_polled.c drivers/i2c/avr_polled.c)
# Once more for programs that count a task's ticks in 8 bits (#define TAKT_TASK_BITS 8).
set(TAKT_TASK_8 kernel/job/task_event.c port/avr/task.c port/avr/task_every.c port/avr/task_look.c
    port/avr/task_sparse.c port/avr/task_spread.c port/avr/task_turn.c)
set(TAKT_TRACE_EVENTS 1) # a register takes them: kernel/core/trace.c
set(TAKT_LIBRARIES -lc -lm -lgcc -Wl,--end-group)
