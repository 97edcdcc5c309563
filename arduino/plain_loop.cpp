/*
 * The ordinary void loop(): one thread with 80 ms in every 100 ms (Qduino, listing 4). Linked when
 * the sketch has no loop(id, C, T), because then only this file defines takt_sketch_has_loops.
 */
#include "loops.h"
#undef loop

extern "C" char takt_stack_loop[], takt_stack_loop_end[];
__asm__(".globl takt_sketch_has_loops\n.set takt_sketch_has_loops, 0");

void loop();

TAKT_SKETCH_THREAD_(loop, "loop", takt_arduino_thread, reinterpret_cast<void *>(loop), 80000,
                    100000, takt_stack_loop_end)
