"""On which boards the tests here run: all of BOARDS, but for what LESS names, with the reason.

Entries are folders, files or functions below tests/system; boards/test_everywhere.py compares.
"""

from __future__ import annotations

OURS = ("pico", "stm32f051")  # on the virtual platform
QEMU = ("microbit", "lm3s6965evb", "mps2-an386")
ARMV6M = (*OURS, "microbit")
ARMV7M = ("lm3s6965evb", "mps2-an386")
SIM = "sim"  # a host process
AVR = ("uno", "atmega324p")  # on simavr
PC = "pc"  # in QEMU, with pins in memory
BOARDS = (*OURS, *QEMU, "uno", "sim", PC)

CYCLES = "QEMU counts instructions, and stops a Cortex-M at no cycle; sim has no cycles"
DEVICES = "the boards in QEMU have no ADC and no buses, and nothing moves a Cortex-M's pins"
EDGES = "Cortex-Ms in QEMU have no driver of pins' interrupts; a PC's pins: pc/test_machine.py"
WIRE = "the boards in QEMU and sim have no drivers of I2C and SPI, nor what one could connect"
PORT = "QEMU sends a byte as soon as it is written; the uno and two of its boards have one port"
WORLD = "parts and worlds of the pico; examples/test_boards.py runs what needs no more than pins"
TOOL = "of the tool and what it writes, whatever the board"
GUARDED = "without an MPU, or pages that are not there"
ARM7 = "of ARMv7-M: the MPU, interrupts above the kernel's lock, more than four priorities"
PICO = "their pins, PWM and ADC are the pico's; the others run those that need a serial port"
ARM6 = "of ARMv6-M: the switch in assembly, which optimising at link time can inline"
ROOM = f"{EDGES}; the uno has no room for five threads"
FREE = f"{ROOM}; on sim a top half costs nothing: test_on_sim.py"
DEEP = "more than the stack that the uno has for interrupts"
NO_FAULT = "an AVR has no faults: what is wrong there is seen by the kernel or not at all"
NO_COSTS = "what the kernel does takes no time on sim; a PC that computes is slow to emulate"
NO_STACK = "handlers have no stack of their own on sim; a PC's have no sentinel but a guard"
WHOLE = (
    "the port and the board of sim are linked whole; a PC may have several CPUs, so who runs where"
)
HOST = "a host gives sim as much stack as it asks for, a PC has plenty; their needs are not known"
ONE = "of one board, chip or emulator"

LESS = {
    "avr/": ONE,
    "arduino/test_loops.py::test_constructors_wait_as_long_as_they_say": CYCLES,
    "arduino/test_loops.py::test_pulses_are_timed_whatever_else_runs": EDGES,
    "arduino/test_periodic.py": "of the build and the report; qemu/periodic.c is for all boards",
    "arduino/test_plain_loop.py::test_beside_an_interrupt_and_serial": EDGES,
    "arduino/test_plain_loop.py::test_beside_jobs": "of the build; one of each kind",
    "arduino/test_plain_loop.py::test_alone_it_needs_no_budget": "threads of sim always have one",
    "arduino/test_plain_loop.py::test_w": TOOL,
    "arduino/test_registers.py": "other boards' pins follow no register with a bit for each",
    "arduino/test_printf.py": "of newlib, and its way to reals",
    "arduino/test_sizes.py": "of a table in arduino/README.md",
    "arduino/test_periodic_boards.py::test_primes": CYCLES,
    "arduino/test_periodic_boards.py::test_a_name_that_no_job_has": TOOL,
    "arduino_examples/test_libraries.py": PICO,
    "arduino_examples/test_sketches.py::test_every_sketch_is_listed": TOOL,
    "arduino_examples/test_sketches.py::test_runs": PICO,
    "arduino_examples/test_sketches.py::test_what_is_excluded": PICO,
    "buses/": f"{WIRE}; some need more loops on Wire, or more room, than the uno has",
    "cli/": TOOL,
    "cmake/": TOOL,
    "costs/": f"{CYCLES}; those of AVR in avr/, of a PC in galileo/",
    "cpus/": "of several CPUs, which only a PC has",
    "delivered/": f"what the machine saw in cycles ({CYCLES}); one of each kind",
    "docs/": TOOL,
    "drivers/test_boot2.py": ONE,
    "drivers/test_io.py": EDGES,
    "drivers/test_serial.py": PORT,
    "drivers/test_soft_serial.py": "SoftwareSerial is of the boards that have soft_alarm.h",
    "drivers/test_sketches_sim.py": ONE,
    "drivers/test_watchdog": "the boards in QEMU and sim have no driver of a watchdog",
    "drivers/test_stops.py::test_s": "at 1 Mbaud, and a PC's serial port has at most 115200",
    "drivers/test_stops.py::test_m": "qemu/mistakes.c is the same without pins' interrupts",
    "examples/test_buses.py": WIRE,
    "examples/test_displays.py": WORLD,
    "examples/test_each.py": WORLD,
    "examples/test_every.py": WORLD,
    "examples/test_interrupts.py": EDGES,
    "examples/test_isolation.py": CYCLES,
    "examples/test_parts.py": WORLD,
    "examples/test_stops.py": TOOL,
    "galileo/": ONE,
    "inject/": CYCLES,
    "interrupts/": FREE,
    "kernel/test_faults.py::test_hard_faults_are_named": NO_FAULT,
    "kernel/test_masked.py": ONE,
    "kernel/test_wake.py": NO_COSTS,
    "kernel/test_pay_for_use.py::test_t": WHOLE,
    "kernel/test_misuse.py::test_printing_in_a_handler": EDGES,
    "kernel/test_pay_for_use.py::test_the_lab_s_program": ONE,
    "kernel/test_preempt.py": "pins drive it; qemu/storm.c is the same with a timer",
    "lab/": "figures of the papers, each on its board",
    "pipes/test_mistakes.py": TOOL,
    "pipes/test_refused.py": TOOL,
    "pipes/test_spi.py": WIRE,
    "pipes/test_tpipe.py": "where threads are made at run time, the PC",
    "pipes/test_uart_held.py": "of chips with FIFOs, one of each kind",
    "pipes/test_uart.py": f"{PORT}; sim and the chips with a FIFO or an interrupt a byte, one each",
    "packages/": TOOL,
    "pc/": ONE,
    "pico/": ONE,
    "ports/": TOOL,
    "qemu/test_boards_deep_handler.py::test_a_deep_handler_is_named": NO_STACK,
    "qemu/test_boards_deep_handler.py::test_a_deep_handler_meets_the_guard": ARM7,
    "qemu/test_boards_deep_handler.py::test_a_deep_handler_of_a_pc_meets_the_guard": ONE,
    "qemu/test_boards_deep_handler.py::test_a_deep_dispatcher_is_named": NO_STACK,
    "qemu/test_boards_deep_handler.py::test_a_sketch_that_is_traced": f"{EDGES}; {NO_STACK}",
    "qemu/test_boards_deep_handler.py::test_what_fits_is_no_overflow": DEEP,
    "qemu/test_boards_kernel.py::test_the_kernel_called_above_its_lock": ARM7,
    "qemu/test_boards_kernel.py::test_urgent_interrupts": ARM7,
    "qemu/test_boards_lto.py": ARM6,
    "qemu/test_boards_kernel.py::test_what_is_not": "elsewhere reading address 0 is a fault",
    "qemu/test_boards_mistakes.py::test_overflow_is_seen_by_the_guard": GUARDED,
    "qemu/test_boards_mistakes.py::test_overflow_is_seen_by_the_kernel": "a PC's guard is first",
    "qemu/test_boards_mistakes.py::test_reading_at_a_null_pointer": GUARDED,
    "qemu/test_boards_mistakes.py::test_reading_at_a_null_pointer_of_a_pico": ONE,
    "qemu/test_boards_preempt.py": ARM7,
    "qemu/test_boards_sets.py::test_stacks_that_do_not_fit": HOST,
    "qemu/test_boards_sets.py::test_a_stack_below_what_an_interrupt_pushes": HOST,
    "qemu/test_boards_stacks.py::test_calls_through_pointers": HOST,
    "qemu/test_boards_sketches.py::test_a_driver_that_is_missing": TOOL,
    "qemu/test_boards_sketches.py::test_qemu_that_is_missing": TOOL,
    "qemu/test_boards_stacks.py::test_handlers_that_set": "a chip with 8 levels, one with 4",
    "rp2040js/": ONE,
    "sections/": "of how long code takes, which is read for cores with known cycles; three kinds",
    "stacks/": "of machine code, which of a host is not read; of each instruction set some",
    "stm32f051/": ONE,
    "terminated/": f"{DEVICES}; sim has no buses",
    "tutorial/": ONE,
    "usb/": "of USB, which only a PC has",
    "tasks/test_alone.py": "of AVR: tasks without threads",
    "tasks/test_bad_input.py": "of compilers, of which pico and uno have one each",
    "tasks/test_seen.py": "of AVR: tasks without threads",
    "tasks/test_beside_threads.py": f"times in microseconds ({CYCLES}); qemu/tasks.c is for all",
}
