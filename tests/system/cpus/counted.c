/*
 * A plugin of QEMU: how many instructions each CPU executes between two passes of an address. Arguments:
 * at=ADDRESS, to=FILE, into which each pass writes "CPU INSTRUCTIONS", counted from the start.
 *
 * Of QEMU's interface only what is used is declared here, so that a stock installation, which has no
 * header of it, suffices (its manual, "TCG Plugins").
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_info;
struct qemu_plugin_tb;
typedef uint64_t plugin_id;

enum { NO_REGISTERS = 0, CPUS = 64 };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*cb)(plugin_id id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
                                          void (*cb)(unsigned cpu, void *data), int flags,
                                          void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*cb)(plugin_id id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t counts[CPUS], at;
static FILE *to;

static void count(unsigned cpu, void *instructions)
{
    counts[cpu % CPUS] += (uintptr_t)instructions;
}

static void pass(unsigned cpu, void *data)
{
    (void)data;
    fprintf(to, "%u %llu\n", cpu, (unsigned long long)counts[cpu % CPUS]);
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
    (void)id;
    if (qemu_plugin_tb_vaddr(tb) == at)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, pass, NO_REGISTERS, NULL);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, count, NO_REGISTERS,
                                         (void *)(uintptr_t)qemu_plugin_tb_n_insns(tb));
}

static void finish(plugin_id id, void *data)
{
    (void)id, (void)data;
    fclose(to);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id,
                                                                const struct qemu_info *info,
                                                                int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "at=", 3) == 0)
            at = strtoull(argv[i] + 3, NULL, 0);
        if (strncmp(argv[i], "to=", 3) == 0)
            to = fopen(argv[i] + 3, "w");
    }
    if (!to)
        return -1;
    setvbuf(to, NULL, _IOLBF, 0);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
