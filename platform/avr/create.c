/* Creation and reset of a machine. */
#include <stdlib.h>
#include <string.h>

#include "avr.h"

#define DATA_SIZE 0x10000u

static const struct mega_chip *const chips[] = {&atmega328p, &atmega324p};

static void hush(avr_t *cpu, const int level, const char *format, va_list rest)
{
    (void)rest;
    if (cpu == NULL || level > LOG_ERROR || strstr(format, "Invalid Opcode") == NULL)
        return;
    struct takt_machine *m = cpu->custom.data;
    machine_fail(m, TAKT_STOP_FAULT, "no such instruction: 0x%04x at pc=0x%04x",
                 flash_word(m, cpu->pc), (unsigned)cpu->pc);
    cpu->state = cpu_Stopped;
}

/* simavr writes to addresses beyond its memories before it says so: they get as large as addresses
 * are. */
static int enlarge(avr_t *cpu)
{
    uint8_t *data = calloc(1, DATA_SIZE), *flash = malloc(FLASH_ROOM + 4);
    free(cpu->data);
    free(cpu->flash);
    cpu->data = data;
    cpu->flash = flash;
    if (data == NULL || flash == NULL)
        return -1;
    memset(flash, 0xff, FLASH_ROOM + 4);
    ram_scramble(data + IO_END, cpu->ramend + 1 - IO_END);
    return 0;
}

static int create(struct takt_machine *m)
{
    struct mega *mega = m->mega = calloc(1, sizeof *mega);
    if (mega == NULL)
        return -1;
    mega->chip = (const struct mega_chip *)m->chip;
    avr_global_logger_set(hush);
    mega->cpu = avr_make_mcu_by_name(mega->chip->part);
    if (mega->cpu == NULL)
        return -1;
    mega->cpu->custom.data = m;
    avr_init(mega->cpu);
    if (enlarge(mega->cpu) != 0)
        return -1;
    mega->d = m->ram = mega->cpu->data;
    mega->skip_break = UINT32_MAX;
    io_attach(m);
    interrupt_attach(m);
    port_define(m);
    external_define(m);
    timer_define(m);
    usart_define(m);
    adc_define(m);
    spi_define(m);
    twi_define(m);
    watchdog_define(m);
    eeprom_define(m);
    small_define(m);
    return 0;
}

static void events_assign(struct takt_machine *m)
{
    m->event_do[EV_EXTERNAL] = external_run;
    m->event_do[EV_WAVE] = wave_event;
    m->event_do[EV_STRETCH0] = m->event_do[EV_STRETCH1] = i2c_stretch_event;
    m->event_do[EV_ADC] = adc_event;
    m->event_do[EV_SPI] = spi_event;
    m->event_do[EV_TWI] = twi_event;
    m->event_do[EV_WATCHDOG] = watchdog_event;
    m->event_do[EV_EEPROM] = eeprom_event;
    for (unsigned n = 0; n < TIMERS; n++)
        m->event_do[EV_TIMER + n] = timer_event;
    for (unsigned port = 0; port < UARTS; port++) {
        m->event_do[EV_USART_TX + port] = usart_tx_event;
        m->event_do[EV_USART_RX + port] = usart_rx_event;
    }
}

/* "atmega328p@16000000": the chip and its oscillator. */
static const struct mega_chip *chip_named(const char *name, uint32_t *hz)
{
    for (unsigned k = 0; k < sizeof chips / sizeof chips[0]; k++) {
        size_t length = strlen(chips[k]->chip.name);
        if (strncmp(chips[k]->chip.name, name, length) == 0 && name[length] == '@') {
            *hz = (uint32_t)strtoul(name + length + 1, NULL, 10);
            return chips[k];
        }
    }
    return NULL;
}

struct takt_machine *takt_machine_new(const char *name, uint32_t core, uint32_t wait_states)
{
    uint32_t hz = 0;
    const struct mega_chip *chip = chip_named(name, &hz);
    if (chip == NULL || hz == 0 || core != TAKT_CORE_CHIP || wait_states != TAKT_WAIT_CHIP)
        return NULL;
    struct takt_machine *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->chip = &chip->chip;
    m->flash_size = chip->chip.flash_size;
    m->ram_size = chip->chip.ram_size;
    if (create(m) != 0) {
        takt_machine_free(m);
        return NULL;
    }
    m->mega->hz = hz;
    events_assign(m);
    takt_reset(m);
    return m;
}

void takt_machine_free(struct takt_machine *m)
{
    if (m == NULL)
        return;
    if (m->mega != NULL && m->mega->cpu != NULL) {
        avr_terminate(m->mega->cpu);
        free(m->mega->cpu);
    }
    free(m->mega);
    lists_free(m);
    free(m);
}

enum { MCUSR_POWER = 1, MCUSR_WATCHDOG = 8 }; /* what has reset the chip */

static void cpu_power_on(struct mega *mega, bool by_watchdog)
{
    avr_t *cpu = mega->cpu;
    uint8_t flags = by_watchdog ? mega->d[R_MCUSR] | MCUSR_WATCHDOG : MCUSR_POWER;
    memset(mega->d + IO_FIRST, 0, IO_END - IO_FIRST);
    memset(cpu->sreg, 0, sizeof cpu->sreg);
    cpu->pc = 0;
    cpu->cycle = 0;
    cpu->state = cpu_Running;
    cpu->interrupt_state = 0;
    _avr_sp_set(cpu, (uint16_t)cpu->ramend);
    mega->forced = 0;
    mega->delay = mega->hit = false;
    mega->wire_changed = mega->slept_since = TAKT_NEVER;
    mega->watchdog_open = 0;
    mega->eeprom_open = 0;
    mega->spi = (struct spi){0};
    mega->d[R_MCUSR] = flags;
}

int takt_reset(struct takt_machine *m)
{
    m->now = m->sleep_cycles = 0;
    m->stopped = m->dead = m->sleeping = false;
    m->fed = TAKT_NEVER;
    m->fault_text[0] = 0;
    m->queue_count = m->queue_irqs = m->waves = 0;
    m->pins[0].waves = 0;
    serial_reset(m);
    event_clear_all(m);
    cpu_power_on(m->mega, m->by_watchdog);
    timer_reset(m);
    usart_reset(m);
    adc_reset(m);
    twi_reset(m);
    m->masked.on = false;
    delivered_reset(m);
    i2c_bus_reset(m, 0);
    i2c_bus_reset(m, 1);
    port_refresh(m, 0);
    if (m->by_watchdog)
        watchdog_goes_on(m);
    m->by_watchdog = false;
    return 0;
}

void takt_reset_to(struct takt_machine *m, uint32_t vectors)
{
    takt_reset(m);
    m->mega->cpu->pc = vectors;
}
