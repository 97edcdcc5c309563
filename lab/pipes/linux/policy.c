/* Who runs under SCHED_DEADLINE. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab.h"

#define SCHED_DEADLINE 6
#define IRQ_THREAD     "irq/" /* irq/NUMBER-NAME */
#define CONTROLLER     "xhci_hcd"

/* As the kernel has it; C libraries do not know it. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

void deadline_of(int thread, long runtime_us, long period_us)
{
    struct attributes wanted = {
        .size = sizeof wanted,
        .policy = SCHED_DEADLINE,
        .runtime = (uint64_t)runtime_us * 1000,
        .deadline = (uint64_t)period_us * 1000,
        .period = (uint64_t)period_us * 1000,
    };
    if (syscall(SYS_sched_setattr, thread, &wanted, 0) != 0)
        fail("sched_setattr");
}

void deadline(long runtime_us, long period_us)
{
    deadline_of(0, runtime_us, period_us);
}

/* Number of the interrupt of the controller's that a process is the thread of; 0: of none. */
static int serves(const char *process)
{
    char path[300], name[64] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/%s/comm", process);
    file = fopen(path, "re");
    if (!file)
        return 0;
    if (!fgets(name, sizeof name, file))
        name[0] = 0;
    fclose(file);
    if (strncmp(name, IRQ_THREAD, strlen(IRQ_THREAD)) != 0 || !strstr(name, CONTROLLER))
        return 0;
    return atoi(name + strlen(IRQ_THREAD));
}

void set_irq_thread(void)
{
    DIR *processes = opendir("/proc");
    int first = 0, thread = 0; /* the driver has events in its first interrupt only */

    if (!processes)
        fail("/proc");
    for (struct dirent *one = readdir(processes); one; one = readdir(processes)) {
        int number = atoi(one->d_name) > 0 ? serves(one->d_name) : 0;
        if (number > 0 && (first == 0 || number < first)) {
            first = number;
            thread = atoi(one->d_name);
        }
    }
    closedir(processes);
    errno = 0;
    if (thread == 0)
        fail("no interrupt thread of the host controller");
    deadline_of(thread, settings.irq_budget_us, settings.irq_period_us);
}
