/*
 * The ordinary void loop(): one thread with 80 ms in every 100 ms (Qduino, listing 4). Linked when
 * the sketch has no loop(id, C, T), because then only this file defines takt_sketch_has_loops.
 */
#define takt_sketch_has_loops takt_sketch_has_loops_elsewhere
#include "loops.h"
#undef takt_sketch_has_loops
#undef loop

extern "C" char takt_stack_loop[], takt_stack_loop_end[];
extern const char takt_sketch_has_loops;
const char takt_sketch_has_loops = 0;

void loop();

TAKT_LOOP_THREAD_(loop, "loop", loop, 80000, 100000, takt_stack_loop_end)
