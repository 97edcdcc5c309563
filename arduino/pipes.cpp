/*
 * The threads of pipes (Pipe.h).
 */
#include "Pipe.h"

#include <takt/mutex.h>
#include <takt/periodic.h>

#include "start.h"

extern "C" void takt_arduino_pipe(void *body)
{
    TAKT_FACT("entry pipe");
    struct takt_pipe *pipe = takt_pipe_self();
    takt_before_jobs();
    takt_pipe_begin(pipe);
    for (;;) {
        takt_pipe_wait(pipe);
        reinterpret_cast<void (*)()>(body)();
        takt_require_unlocked();
    }
}
