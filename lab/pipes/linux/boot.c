/* What comes before measuring: file systems, modules, the scheduler's features. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab.h"

#define MODULES       "/modules" /* files in the order of loading, one a line */
#define KERNEL_DRIVER "kvaser_usb.ko"

bool put(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool done = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

    if (file >= 0)
        close(file);
    return done;
}

static void mounted(const char *type, const char *where)
{
    mkdir(where, 0755);
    if (mount(type, where, type, 0, NULL) != 0 && errno != EBUSY)
        fail(where);
}

static void load(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || syscall(SYS_finit_module, file, "", 0) != 0)
        fail(path);
    close(file);
}

/* All modules, but the driver that the vendor's way takes the place of. */
static void load_all(void)
{
    char path[256];
    FILE *list = fopen(MODULES, "re");

    if (!list)
        fail(MODULES);
    while (fgets(path, sizeof path, list)) {
        path[strcspn(path, "\n")] = 0;
        if (!settings.vendor || !strstr(path, KERNEL_DRIVER))
            load(path);
    }
    fclose(list);
}

void boot(void)
{
    mounted("proc", "/proc");
    mounted("sysfs", "/sys");
    mounted("devtmpfs", "/dev");
    mounted("debugfs", "/sys/kernel/debug");
    if (!put("/sys/kernel/debug/sched/features",
             settings.hrtick ? "HRTICK_DL" : "NO_HRTICK_DL"))
        fail("scheduler feature HRTICK_DL");
    load_all();
    errno = 0;
}
