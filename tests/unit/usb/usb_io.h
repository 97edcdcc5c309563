/*
 * How the driver under test reaches the model: instead of <usb/io.h>'s own. The bus has addresses
 * of its own, so that one that has not been translated is found out.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MODEL_BUS 0x0000100000000000ull

uint32_t model_get(uintptr_t address);
void model_set(uintptr_t address, uint32_t value);

static inline uint32_t usb_io_get(uintptr_t address)
{
    return model_get(address);
}

static inline void usb_io_set(uintptr_t address, uint32_t value)
{
    model_set(address, value);
}

static inline uint64_t usb_dma_address(const volatile void *memory)
{
    return (uint64_t)(uintptr_t)memory + MODEL_BUS;
}

#ifdef __cplusplus
}
#endif
