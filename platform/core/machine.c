/* The public interface: creation, loading, registers, memory, and thin shells over the rest. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

static const struct chip *const chips[] = {&rp2040_chip, &stm32f051_chip};

static int allocate(struct takt_machine *m)
{
    m->ram = malloc(m->ram_size);
    m->flash = malloc(m->flash_size);
    if (m->ram == NULL || m->flash == NULL || code_allocate(m) != 0)
        return -1;
    memset(m->flash, 0xff, m->flash_size);
    ram_scramble(m->ram, m->ram_size);
    return m->chip->create(m);
}

static const struct chip *chip_named(const char *name)
{
    for (unsigned k = 0; k < sizeof chips / sizeof chips[0]; k++) {
        if (strcmp(chips[k]->name, name) == 0)
            return chips[k];
    }
    return NULL;
}

static void set_kind(struct takt_machine *m, const struct chip *chip, uint32_t core,
                     uint32_t wait_states)
{
    m->chip = chip;
    m->core = core == TAKT_CORE_CHIP ? chip->core : core;
    m->cost = cycles_of(m->core);
    m->wait_forced = wait_states != TAKT_WAIT_CHIP;
    m->wait_states = m->wait_forced ? wait_states : 0;
    m->ram_size = chip->ram_size;
    m->flash_base = chip->flash_base;
    m->flash_size = chip->flash_size;
}

struct takt_machine *takt_machine_new(const char *name, uint32_t core, uint32_t wait_states)
{
    const struct chip *chip = chip_named(name);
    struct takt_machine *m = NULL;
    if (chip != NULL && core <= TAKT_CORE_CHIP &&
        (wait_states <= 15 || wait_states == TAKT_WAIT_CHIP))
        m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    set_kind(m, chip, core, wait_states);
    if (allocate(m) != 0) {
        takt_machine_free(m);
        return NULL;
    }
    m->event_do[EV_EXTERNAL] = external_run;
    m->event_do[EV_WAVE] = wave_event;
    m->event_do[EV_SYSTICK] = systick_event;
    m->event_do[EV_ASKED] = exception_asked;
    m->event_do[EV_STRETCH0] = m->event_do[EV_STRETCH1] = i2c_stretch_event;
    m->event_do[EV_RTT] = rtt_event;
    takt_reset_to(m, chip->vectors);
    return m;
}

void takt_machine_free(struct takt_machine *m)
{
    if (m == NULL)
        return;
    m->chip->destroy(m);
    free(m->ram);
    free(m->flash);
    free(m->code);
    lists_free(m);
    free(m);
}

int takt_load(struct takt_machine *m, uint32_t address, const void *data, uint32_t size)
{
    uint8_t *memory = bus_memory(m, address, size);
    if (memory == NULL)
        return -1;
    memcpy(memory, data, size);
    code_forget(m, address, size);
    return 0;
}

int takt_write(struct takt_machine *m, uint32_t address, const void *data, uint32_t size)
{
    return takt_load(m, address, data, size);
}

static void power_on(struct takt_machine *m)
{
    m->now = m->base = m->instructions = m->sleep_cycles = 0;
    m->stopped = m->dead = false;
    m->fed = TAKT_NEVER;
    m->fault_text[0] = 0;
    memset(m->r, 0, sizeof m->r);
    m->other_sp = 0;
    flags_set(m, 0);
    m->queue_count = m->queue_irqs = m->waves = 0;
    for (uint32_t bank = 0; bank < PIN_BANKS; bank++)
        m->pins[bank].waves = 0;
    serial_reset(m);
    event_clear_all(m);
    exception_reset(m);
    mpu_reset(m);
    systick_reset(m);
    m->chip->reset(m);
    m->by_watchdog = false;
    m->masked.on = false;
    delivered_reset(m);
    i2c_bus_reset(m, 0);
    i2c_bus_reset(m, 1);
    if (m->rtt.address != 0)
        event_set(m, EV_RTT, 1000);
}

int takt_reset(struct takt_machine *m)
{
    power_on(m);
    return m->chip->boot(m);
}

void takt_reset_to(struct takt_machine *m, uint32_t vectors)
{
    uint32_t words[2];
    power_on(m);
    takt_read(m, vectors, words, 8);
    m->exc.vtor = vectors;
    m->r[13] = words[0] & ~3u;
    code_jump(m, words[1] & ~1u);
}

void takt_read(struct takt_machine *m, uint32_t address, void *data, uint32_t size)
{
    const uint8_t *memory = bus_memory(m, address, size);
    if (memory != NULL)
        memcpy(data, memory, size);
    else
        memset(data, 0, size);
}

uint32_t takt_bus_read(struct takt_machine *m, uint32_t address)
{
    return bus_read(m, address & ~3u, 4);
}

void takt_bus_write(struct takt_machine *m, uint32_t address, uint32_t value)
{
    bus_write(m, address & ~3u, value, 4);
}

uint32_t takt_register(struct takt_machine *m, uint32_t number)
{
    if (number == 15)
        return code_address(m, m->at);
    if (number < 16)
        return m->r[number];
    if (number == 17 || number == 18)
        return (number == 18) == m->psp_active ? m->r[13] : m->other_sp;
    return number == 16 ? xpsr_get(m) : number == 19 ? m->exc.primask : m->control;
}

void takt_set_register(struct takt_machine *m, uint32_t number, uint32_t value)
{
    if (number == 15) {
        code_jump(m, value & ~1u);
    } else if (number < 16) {
        m->r[number] = number == 13 ? value & ~3u : value;
    } else if (number == 16) {
        flags_set(m, value);
    } else if (number == 17 || number == 18) {
        uint32_t *sp = (number == 18) == m->psp_active ? &m->r[13] : &m->other_sp;
        *sp = value & ~3u;
    } else if (number == 19) {
        m->exc.primask = (value & 1) != 0;
    } else {
        m->control = value & 3;
        stack_select(m, (value & 2) != 0);
    }
}

#define LOOKED 16u /* words of a stack */

bool called_from(struct takt_machine *m, uint32_t sp, uint32_t end, uint32_t low, uint32_t high)
{
    for (uint32_t k = 0; k < LOOKED && sp + 4 * k < end; k++) {
        uint32_t pc = 0, call = 0;
        takt_read(m, sp + 4 * k, &pc, 4);
        if ((pc & 1) == 0 || pc - low >= high - low)
            continue;
        takt_read(m, pc - 5, &call, 4);
        if ((call & 0xd000f800) == 0xd000f000) /* BL */
            return true;
    }
    return false;
}

void deliver_yields(struct takt_machine *m)
{
    (void)m;
}

int takt_deliver_calls(struct takt_machine *m, uint32_t function)
{
    (void)m;
    (void)function;
    return -1;
}

void takt_rtt_attach(struct takt_machine *m, uint32_t address)
{
    m->rtt.address = address;
    event_set(m, EV_RTT, address != 0 ? m->now + 1 : TAKT_NEVER);
}
