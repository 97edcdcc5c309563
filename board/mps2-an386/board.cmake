# What the build needs to know of the board; the rest is in board.toml.
set(TAKT_PORT armv7m)
set(TAKT_CPU_FLAGS -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard)
set(TAKT_KERNEL_FLAGS -mgeneral-regs-only) # else threads that compute nothing would have FPU state
set(TAKT_BASE cortex-m)
set(TAKT_DRIVERS clock/cmsdk*.c gpio/cmsdk.c uart/serial.c uart/port1.c uart/pipe.c uart/cmsdk*.c console/cmsdk.c
    libc/newlib.c)
set(TAKT_LINK_SCRIPT mps2-an386.ld)
set(TAKT_TRACE_EVENTS 512)
# Two switches and two alarms, see [costs] in board.toml; for bottom halves as well.
set(TAKT_DEFINITIONS TAKT_BUDGET_MARGIN_US=115 TAKT_START_COST_US=336 TAKT_IO_START_COST_US=336)
