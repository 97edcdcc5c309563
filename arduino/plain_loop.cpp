/*
 * The ordinary void loop(): one thread with 80 ms in every 100 ms (Qduino, listing 4), or what the
 * board says; the build makes it less where less fits beside the rest of the program. Linked when
 * the sketch has no threads of its own, because then only this file defines
 * takt_sketch_has_threads; beside jobs and tasks, which it may have or not, because the build
 * refers to takt_thread_loop where there is a loop().
 */
#include "loops.h"
#undef loop

#ifndef TAKT_LOOP_US
#define TAKT_LOOP_US 80000
#endif

extern "C" char takt_stack_loop[], takt_stack_loop_end[];
__asm__(".globl takt_sketch_has_threads\n.set takt_sketch_has_threads, 0");

void loop();

TAKT_SKETCH_THREAD_(loop, "loop", takt_arduino_thread, reinterpret_cast<void *>(loop),
                    TAKT_LOOP_US, 100000, takt_stack_loop_end)
