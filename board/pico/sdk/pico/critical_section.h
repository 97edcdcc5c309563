/* Critical sections: as takt::Critical, interrupts and the scheduler off (hardware/sync.h). */
#ifndef TAKT_PICO_CRITICAL_SECTION_H
#define TAKT_PICO_CRITICAL_SECTION_H

#include <hardware/sync.h>

typedef struct {
    uint32_t before;
    bool ready;
} critical_section_t;

static inline void critical_section_init(critical_section_t *section)
{
    section->ready = true;
}

static inline void critical_section_init_with_lock_num(critical_section_t *section, uint number)
{
    (void)number;
    critical_section_init(section);
}

static inline bool critical_section_is_initialized(critical_section_t *section)
{
    return section->ready;
}

static inline void critical_section_deinit(critical_section_t *section)
{
    section->ready = false;
}

static inline __attribute__((always_inline)) void
critical_section_enter_blocking(critical_section_t *section)
{
    section->before = save_and_disable_interrupts();
}

static inline __attribute__((always_inline)) void
critical_section_exit(critical_section_t *section)
{
    restore_interrupts(section->before);
}

#endif
