/* What the pico's SDK says of the compiler and of fatal errors. */
#ifndef TAKT_PICO_PLATFORM_H
#define TAKT_PICO_PLATFORM_H

#include <assert.h>
#include <pgmspace.h> /* __not_in_flash_func() */
#include <pico/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stops the program; the text is told as it stands, its arguments are not. */
void panic(const char *text, ...) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#define __isr
#define __force_inline              __attribute__((always_inline)) inline
#define __compiler_memory_barrier() __asm__ volatile("" ::: "memory")

/* Programs run on one. */
static inline uint get_core_num(void)
{
    return 0;
}

static inline void tight_loop_contents(void)
{
}

#endif
