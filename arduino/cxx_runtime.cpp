/*
 * What C++ asks of a system, without exceptions and without an end of the program: new and delete
 * over malloc, and no list of destructors to run at exit.
 */
#include <stdlib.h>

#include <new>

#include <takt/thread.h>

void *operator new(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        takt_fatal(TAKT_FATAL_ASSERT, takt_self(), "out of memory (new)");
    return memory;
}

void *operator new[](size_t size)
{
    return operator new(size);
}

void *operator new(size_t size, const std::nothrow_t &) noexcept
{
    return malloc(size);
}

void *operator new[](size_t size, const std::nothrow_t &) noexcept
{
    return malloc(size);
}

void operator delete(void *memory) noexcept
{
    free(memory);
}

void operator delete[](void *memory) noexcept
{
    free(memory);
}

void operator delete(void *memory, size_t) noexcept
{
    free(memory);
}

void operator delete[](void *memory, size_t) noexcept
{
    free(memory);
}

extern "C" {

/* Destructors of static objects would run after main, which never returns. */
int atexit(void (*)(void))
{
    return 0;
}

int __aeabi_atexit(void *, void (*)(void *), void *)
{
    return 0;
}

[[noreturn]] void __cxa_pure_virtual()
{
    takt_fatal(TAKT_FATAL_ASSERT, takt_self(), "pure virtual function called");
}

[[noreturn]] void __cxa_deleted_virtual()
{
    takt_fatal(TAKT_FATAL_ASSERT, takt_self(), "deleted function called");
}

void *__dso_handle;
}
