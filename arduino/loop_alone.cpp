/*
 * The ordinary void loop() where nothing else of the program has a budget, runs as a job or as a
 * task: one thread, which needs none either, nor a start that others would wait for (start.cpp).
 * The build refers to takt_thread_loop_alone then, and to takt_thread_loop (plain_loop.cpp) in
 * other programs.
 */
#include <takt/mutex.h>
#include <takt/vcpu.h>

#include "start.h"
#undef loop

extern "C" char takt_stack_loop[], takt_stack_loop_end[];
__asm__(".globl takt_sketch_has_threads\n.set takt_sketch_has_threads, 0");

void loop();

#ifndef __AVR__ /* as in start.cpp */
TAKT_TELLS_FATAL;
#endif

#if TAKT_DYNAMIC
TAKT_NEEDS_(BUDGETS); /* threads that are created may have some: then it has one, too */
#endif

extern "C" void takt_arduino_alone(void *body)
{
    TAKT_FACT("entry loop");
    setup();
    takt_require_unlocked();
    takt_vcpu_restart_all(); /* for the trace */
    for (;;) {
        reinterpret_cast<void (*)()>(body)();
        takt_require_unlocked();
        takt_serial_events();
    }
}

TAKT_NAME_(loop_alone, "loop");
TAKT_DESCRIPTOR_(loop_alone) = {takt_arduino_alone,
                                reinterpret_cast<void *>(loop),
                                takt_stack_loop,
                                takt_stack_loop_end,
                                nullptr,
                                takt_name_loop_alone};
TAKT_REGISTER_(loop_alone, TAKT_ORDER_PRIORITY_(0), __COUNTER__)
