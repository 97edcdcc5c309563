/*
 * Where the table of tasks begins and ends: sections without bytes whose names sort before and
 * behind those of all tasks (include/takt/task.h). Linked with what runs tasks, and only then.
 */
#include "task.h"

#if __SIZEOF_POINTER__ == 8
#define ALIGN ".balign 8\n"
#elif __SIZEOF_POINTER__ == 4
#define ALIGN ".balign 4\n"
#else
#define ALIGN ""
#endif

#define EDGE(section, symbol)                                                                      \
    __asm__(".pushsection .takt.task." section ",\"aw\",%progbits\n\t" ALIGN ".globl " symbol      \
            "\n" symbol ":\n\t.popsection")

EDGE("0", "takt_tasks");
EDGE("9", "takt_tasks_end");
