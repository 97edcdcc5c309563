/*
 * What musl asks of a system: it is built for Linux, and its system calls come here
 * (x86_64/calls.S). Takt itself allocates nothing; malloc is here for code that uses it (String),
 * and safe between threads (wrapped.c).
 *
 * Served are memory, which malloc asks for in pages, text for stdout and stderr, which goes to the
 * console, and the end of the program. All else is refused as an old Linux would, which musl passes
 * on as an error.
 *
 *   pages   [x][x][x][ ][ ][x][ ][ ] ...   a bit each; taken where enough lie side by side
 */
#include "musl.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <takt/console.h>
#include <takt/create.h>
#include <takt/port.h>
#include <takt/thread.h>
#include <x86.h>

#define PAGE_BYTES 4096u
#define PAGES      (1u << 18) /* 1 GB at most */
#define WORD_BITS  64u

/* musl's own start. */
void __init_libc(char **environment, const char *name);

static uint64_t taken[PAGES / WORD_BITS];
static char *first_page;
static size_t pages;

/* As threads are interrupted anywhere, one of all would not do: above the kernel's word at the
 * lower end of a stack there is room. */
int *__errno_location(void)
{
    static int before_start;
    const struct takt_thread *thread = takt_thread_self();
    return thread ? (int *)(void *)thread->stack + 1 : &before_start;
}

/* musl's own name for it. */
int *___errno_location(void);
int *___errno_location(void)
{
    return __errno_location();
}

/* Of GNU's: libstdc++ counts references by atomic instructions if there are several threads. */
char __libc_single_threaded;

static bool is_taken(size_t page)
{
    return taken[page / WORD_BITS] >> page % WORD_BITS & 1u;
}

static void mark(size_t page, size_t count, bool on)
{
    for (; count > 0; page++, count--) {
        uint64_t bit = 1ull << page % WORD_BITS;
        uint64_t *word = &taken[page / WORD_BITS];
        *word = on ? *word | bit : *word & ~bit;
    }
}

/* The lowest run of `count` pages that are free; `pages` if there is none. */
static size_t find(size_t count)
{
    size_t run = 0;
    for (size_t page = 0; page < pages; page++) {
        run = is_taken(page) ? 0 : run + 1;
        if (run == count)
            return page + 1 - count;
    }
    return pages;
}

static size_t pages_of(size_t bytes)
{
    return bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
}

/* New memory is 0. */
static long map(size_t bytes)
{
    size_t count = pages_of(bytes), page = count ? find(count) : pages;
    if (page == pages)
        return -ENOMEM;
    mark(page, count, true);
    char *memory = first_page + page * PAGE_BYTES;
    memset(memory, 0, count * PAGE_BYTES);
    return (long)memory;
}

static long unmap(char *memory, size_t bytes)
{
    size_t page = (size_t)(memory - first_page) / PAGE_BYTES, count = pages_of(bytes);
    if (memory < first_page || page + count > pages)
        return -EINVAL;
    mark(page, count, false);
    return 0;
}

static void put(const char *text, size_t bytes)
{
    for (; bytes > 0; bytes--)
        board_console_put(*text++);
}

static long write_parts(long file, const struct iovec *parts, long count)
{
    size_t bytes = 0;
    if (file != 1 && file != 2)
        return -EBADF;
    for (; count > 0; parts++, count--) {
        put(parts->iov_base, parts->iov_len);
        bytes += parts->iov_len;
    }
    return (long)bytes;
}

static long write_text(long file, const char *text, size_t bytes)
{
    const struct iovec all = {(void *)(uintptr_t)text, bytes};
    return write_parts(file, &all, 1);
}

/* From calls.S, in the context and on the stack of the caller. */
long takt_system_call(long number, long a, long b, long c) __attribute__((used));
long takt_system_call(long number, long a, long b, long c)
{
    switch (number) {
    case SYS_mmap:
        return map((size_t)b);
    case SYS_munmap:
        return unmap((char *)a, (size_t)b);
    case SYS_mprotect:
    case SYS_madvise:
        return 0;
    case SYS_arch_prctl: /* of which it asks once, for fs */
        x86_write_msr(MSR_FS_BASE, (uint64_t)b);
        return 0;
    case SYS_brk: /* stays where it is: malloc goes on with mmap */
        return 0;
    case SYS_write:
        return write_text(a, (const char *)b, (size_t)c);
    case SYS_writev:
        return write_parts(a, (const struct iovec *)b, c);
    case SYS_ioctl: /* whether it is a terminal, to which lines go when they are whole */
        return a == 1 || a == 2 ? 0 : -ENOTTY;
    case SYS_exit:
    case SYS_exit_group:
        exit((int)a);
    default:
        return -ENOSYS;
    }
}

void musl_start(char *from, char *end)
{
    static uint64_t seed[2];
    /* What Linux leaves on the stack of a program: no variables, the end of them, and pairs. */
    static uint64_t environment[] = {0, AT_PAGESZ, PAGE_BYTES, AT_RANDOM, 0, AT_NULL, 0};
    first_page = (char *)(((uintptr_t)from + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1));
    pages = end > first_page ? (size_t)(end - first_page) / PAGE_BYTES : 0;
    if (pages > PAGES)
        pages = PAGES;
    seed[0] = x86_ticks();
    environment[4] = (uintptr_t)seed;
    __init_libc((char **)(void *)environment, "takt");
}

/* exit(), abort() and a failed assert() end here: there is nowhere to go back to. */
void exit(int status)
{
    (void)status;
    takt_fatal(TAKT_FATAL_EXIT, takt_self(), "the program called exit or abort");
}

void abort(void)
{
    exit(1);
}
