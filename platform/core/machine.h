/*
 * The machine: one CPU core, its exceptions, an event queue and the chip around them.
 *
 * The interpreter counts cycles relative to `base` (the start of a slice) and runs until
 * `bound`; whoever needs the CPU's attention earlier lowers the bound.
 */
#ifndef TAKT_MACHINE_H
#define TAKT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "outside.h"
#include "takt_platform.h"

#define RAM_BASE 0x20000000u
#define RAM_MAX  0x00042000u /* of all chips */

/* Pins are numbered through; masks hold 32 of them, a bank. */
#define PIN_BANKS 3u
#define PIN_MAX   (32 * PIN_BANKS)

/* One predecoded halfword; all zero = not decoded yet. */
struct insn {
    uint8_t op;
    uint8_t cycles;
    uint8_t a;
    uint8_t b;
    uint32_t imm;
};

/* Exception numbers (ARMv6-M B1.5.2); 16 + n is interrupt n. */
enum { EXC_NMI = 2, EXC_HARDFAULT = 3, EXC_SVCALL = 11, EXC_PENDSV = 14, EXC_SYSTICK = 15 };
#define EXC_IRQ0  16
#define EXC_COUNT 48

enum fault_kind {
    FAULT_NONE,
    FAULT_UNDEFINED,
    FAULT_UNALIGNED,
    FAULT_BUS,
    FAULT_MPU,
    FAULT_FETCH,
    FAULT_STATE, /* Thumb bit clear */
    FAULT_SVC,
    FAULT_RETURN,
};

/* Cycle costs that depend on the core (see core/cycles.c). */
struct cycle_table {
    uint8_t branch, bl, bx, pop_pc, move_special, barrier, port;
    uint8_t entry, exit, tail_chain;
};

enum event_id {
    EV_EXTERNAL, /* first: what the world does at a cycle is there before the chip looks */
    EV_WAVE,
    EV_SYSTICK,
    EV_ASKED, /* what a store has made pending is seen */
    EV_CHIP, /* the chip's own, see its header */
    EV_CHIP_LAST = EV_CHIP + 29,
    EV_STRETCH0, /* a device lets SCL of an I2C bus go */
    EV_STRETCH1,
    EV_RTT, /* last: sees everything of its cycle */
    EV_COUNT,
};

typedef void event_fn(struct takt_machine *m, unsigned id, uint64_t when);

struct exceptions {
    uint64_t pending, active, enabled;
    uint64_t asked; /* of those pending: by a store, not yet seen */
    uint32_t lines;              /* interrupt inputs as the devices hold them */
    int16_t priority[EXC_COUNT]; /* -2, -1, or 0, 64, 128, 192 */
    uint32_t vtor, scr;
    bool primask, event; /* event: the WFE register */
};

struct mpu_region {
    uint32_t base, rasr;
};

#define MPU_REGIONS 8u

struct mpu {
    uint32_t control, number;
    struct mpu_region region[MPU_REGIONS];
};

struct systick {
    uint32_t control, reload, stopped_at;
    uint64_t expires;
    bool counted;
};

struct external {
    uint64_t at, order;
    uint32_t kind, index;
    int64_t value;
};

/* A bank. */
struct pins {
    uint32_t driven, out; /* by the chip */
    uint32_t held, level; /* from outside */
    uint32_t pull_up, pull_down;
    uint32_t up;          /* a resistor outside */
    uint32_t low, bus_up; /* buses outside: pulled low by a device, with a pull-up */
    uint32_t wire;        /* resulting levels */
    uint32_t watch, log, log_outside;
    uint32_t bus, select; /* wires of the I2C buses; chip selects of SPI devices */
    uint32_t waves;
};

#define SWITCHES 64u

/* Between two pins, outside. */
struct pin_switch {
    uint32_t a, b;
    bool closed;
};

/* Edges from outside, made when needed; caught up with to somewhere before `next`. */
struct wave {
    uint64_t shortest, longest; /* between edges, cycles << 16 */
    uint64_t next, fraction;    /* cycle of the next edge; what was rounded off, below 1 << 16 */
    uint64_t stop, count, random;
    bool level;
};

struct rtt {
    uint32_t address;
    struct record_list up[2];
};

/* Interrupts off, and since when. */
struct masked {
    bool log, on;
    uint32_t from;
    uint64_t since, slept;
    struct record_list stretches;
};

/* Since when interrupts are pending, by number (0: never been), and those that waited for long. */
struct waits {
    uint32_t least;
    uint64_t since[EXC_COUNT];
    struct record_list list;
};

/* A thread's stack; `frame`: delivered.c. */
struct own_stack {
    uint32_t low, high, frame;
    bool yielded;
};

#define DELIVERED_MAX 64u
#define WAITING_MAX   (DELIVERED_MAX + 2)
#define CALLS_MAX     32u

/* A call of a function: `sp`: where its return address is; `frame`: delivered.c, or CALLS: another. */
struct own_call {
    uint32_t function, sp, frame;
};

/* Who is delivered cycles; numbers of stacks, or ~0: none. */
struct delivered {
    struct own_stack stack[DELIVERED_MAX];
    uint32_t count;
    uint32_t self; /* on whose stack the CPU was last */
    uint32_t to;   /* to whom it delivers now, since when */
    uint64_t since;
    uint64_t slept_from, slept_to; /* sleep not yet recorded */
    bool away; /* the CPU is on a stack of no thread */
    bool idle; /* it has slept there */
    bool back; /* and has just come back from there */
    uint32_t yields_low, yields_high; /* the code of a function that may let another thread go on */
    bool yields; /* `self` has left its stack in a call from there: not yet known which goes on */
    uint32_t kept; /* pieces from before that */
    uint32_t function[CALLS_MAX], functions;
    struct own_call call[CALLS_MAX]; /* those that have not returned */
    uint32_t calls;
    struct record_list pieces;
    struct takt_flash_waits waiting[WAITING_MAX];
};

struct report {
    uint32_t address, write, count;
    char text[112];
};

struct takt_machine {
    /* core state; the flags are only valid here between slices */
    uint32_t r[16];
    uint32_t bound;       /* relative to base */
    uint32_t addr;        /* operand of a slow path */
    uint32_t carry, over; /* carry: 0 or 1; over: sign bit */
    int64_t nz;           /* negative: N; low half zero: Z */
    uint8_t *ram, *flash;
    struct insn *code; /* flash halfwords, 2 guards, RAM halfwords, 2 guards */
    uint32_t ram_size, flash_base, flash_size;
    uint8_t granule[RAM_MAX / 64]; /* why a store to these 64 bytes is special */
    const struct insn *at;
    uint32_t fetch; /* where `at` is a guard: the address wanted */
    uint64_t base, now, instructions, sleep_cycles;
    struct cycle_table cost;
    uint32_t wait_states, core;
    bool prefetch, wait_forced; /* forced: whatever the chip's registers say */
    bool flash_cached;          /* what flash takes depends on what the chip's cache holds */

    uint32_t ipsr, control, other_sp; /* other_sp: the banked one not in r[13] */
    bool psp_active, sleeping, waiting_event;
    enum fault_kind fault;
    uint32_t fault_address;

    bool bus_fault;
    int32_t bus_extra;           /* cycles beyond the plain access; negative for the I/O port */
    uint32_t bus_size, bus_lane; /* of the access, for registers where that matters */

    struct exceptions exc;
    struct mpu mpu;
    struct systick tick;
    uint64_t event_at[EV_COUNT], next_event;
    uint64_t serves; /* the time of the event being served; TAKT_NEVER: none is */
    event_fn *event_do[EV_COUNT];
    struct external *queue;
    uint32_t queue_count, queue_room, queue_irqs;
    uint64_t queue_order;

    struct pins pins[PIN_BANKS];
    struct pin_switch switches[SWITCHES];
    uint32_t switch_count, switches_closed;
    struct record_list edges;
    struct wave wave[PIN_MAX];
    uint32_t waves; /* how many */
    struct serial serial[UARTS];
    struct i2c_bus i2c_bus[2];
    struct spi_device spi_device[SPI_DEVICES];
    uint32_t spi_device_count;
    struct rtt rtt;
    const struct chip *chip;
    union {
        struct rp2040 *soc;
        struct stm32f0 *f0;
        struct mega *mega;
    };

    bool stopped, dead; /* dead: only a reset helps */
    bool by_watchdog;   /* which is then its, and not that of power-on */
    uint64_t fed;       /* the watchdog, last, or started; TAKT_NEVER: it is off */
    struct takt_stop stop;
    char fault_text[160];
    struct report *reports;
    uint32_t report_count;
    uint32_t breaks[32], break_count;
    const struct insn *reported; /* the break address the last run stopped at */
    uint32_t watches[16], watch_count, write_logs[16], write_log_count;
    struct record_list stores;
    struct masked masked;
    struct delivered delivered;
    struct waits waits;
};

#define GRANULE_CODE  1u
#define GRANULE_WATCH 2u
#define GRANULE_MPU   4u

/* code.c: predecoded code */
int code_allocate(struct takt_machine *m);
uint32_t code_address(const struct takt_machine *m, const struct insn *i);
void code_jump(struct takt_machine *m, uint32_t address); /* sets `at` (and `fetch`) */
void code_forget(struct takt_machine *m, uint32_t address, uint32_t size);
uint16_t code_halfword(const struct takt_machine *m, const struct insn *i);
/* decode.c */
void decode(struct takt_machine *m, struct insn *i);
/* cycles.c */
struct cycle_table cycles_of(uint32_t core);
uint32_t cycles_fetch_wait(const struct takt_machine *m, uint32_t address);
uint32_t cycles_load_wait(struct takt_machine *m, uint32_t address);
uint32_t cycles_jump_wait(const struct takt_machine *m, uint32_t target);
void cycles_set_wait(struct takt_machine *m, uint32_t wait_states, bool prefetch);

/* facts.c */
void ram_scramble(uint8_t *ram, uint32_t size);
void lists_free(struct takt_machine *m);

/* execute.c: runs from `at` until the bound */
void execute(struct takt_machine *m);

/* bus.c */
uint32_t bus_read(struct takt_machine *m, uint32_t address, uint32_t size);
void bus_write(struct takt_machine *m, uint32_t address, uint32_t value, uint32_t size);
uint8_t *bus_memory(struct takt_machine *m, uint32_t address, uint32_t size);
void bus_attention(struct takt_machine *m); /* ends the slice after this instruction */
void store_seen(struct takt_machine *m, uint32_t address, uint32_t value, uint32_t size);

/* report.c */
void report_access(struct takt_machine *m, const char *device, uint32_t address, uint32_t offset,
                   bool write, uint32_t value);
void report_note(struct takt_machine *m, const char *text);
void machine_stop(struct takt_machine *m, uint32_t reason, uint64_t cycle, uint32_t detail);

/* Until a cycle, or until it has been stopped; each core its own. */
void machine_run(struct takt_machine *m, uint64_t until);
void machine_fail(struct takt_machine *m, uint32_t reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The watchdog resets the chip: that ends the run. */
void machine_watchdog(struct takt_machine *m);
void record_add(struct record_list *list, const void *record, uint32_t size);
uint32_t record_take(struct record_list *list, void *out, uint32_t room);

/* event.c */
void event_set(struct takt_machine *m, unsigned id, uint64_t at);
void event_run(struct takt_machine *m, uint64_t upto);
void event_clear_all(struct takt_machine *m);
/* What happens now: an event, which may be served some cycles late, or the CPU's store. */
uint64_t event_time(const struct takt_machine *m);
enum external_kind { EXTERNAL_PIN, EXTERNAL_UART, EXTERNAL_ADC, EXTERNAL_IRQ };
void external_add(struct takt_machine *m, uint64_t at, uint32_t kind, uint32_t index,
                  int64_t value);
void external_run(struct takt_machine *m, unsigned id, uint64_t when);

/* exception.c */
void exception_reset(struct takt_machine *m);
bool exception_poll(struct takt_machine *m); /* takes the best one, if it may run now */
bool exception_wakes(const struct takt_machine *m);
void exception_fault(struct takt_machine *m);
void exception_return(struct takt_machine *m, uint32_t value);
void exception_pend(struct takt_machine *m, unsigned number);
void exception_ask(struct takt_machine *m, unsigned number); /* the same, by a store */
void exception_asked(struct takt_machine *m, unsigned id, uint64_t when);
void irq_line(struct takt_machine *m, unsigned irq, bool high);
int exception_level(const struct takt_machine *m);
void stack_select(struct takt_machine *m, bool psp);
bool privileged(const struct takt_machine *m);
uint32_t xpsr_get(const struct takt_machine *m);
void flags_set(struct takt_machine *m, uint32_t xpsr);

/* scs.c: NVIC, system control block, SysTick */
uint32_t scs_read(struct takt_machine *m, uint32_t offset);
void scs_write(struct takt_machine *m, uint32_t offset, uint32_t value);
void systick_event(struct takt_machine *m, unsigned id, uint64_t when);
void systick_reset(struct takt_machine *m);
bool systick_interrupts(const struct takt_machine *m); /* it may just count */

/* mpu.c: a program's access; registers, by their offsets in the SCS */
#define MPU_TYPE 0xd90u
void mpu_reset(struct takt_machine *m);
bool mpu_denies(const struct takt_machine *m, uint32_t address, bool store);
uint32_t mpu_read(const struct takt_machine *m, uint32_t offset);
void mpu_write(struct takt_machine *m, uint32_t offset, uint32_t value);

/* pins.c */
bool pin_exists(const struct takt_machine *m, uint32_t pin);
void pins_output(struct takt_machine *m, uint32_t bank, uint32_t driven, uint32_t out,
                 uint64_t when);
void pins_pulls(struct takt_machine *m, uint32_t bank, uint32_t up, uint32_t down, uint64_t when);
void pins_bus(struct takt_machine *m, uint32_t bank, uint32_t pins, uint32_t low, uint32_t up,
              uint64_t when);
void pins_outside(struct takt_machine *m, uint32_t pin, int64_t level, uint64_t when);
void pins_pull_up(struct takt_machine *m, uint32_t pin, bool on);
void pins_rejoined(struct takt_machine *m, uint64_t when);

/* switches.c */
void switches_join(struct takt_machine *m, uint32_t wire[PIN_BANKS]);

/* wave.c */
void wave_sync(struct takt_machine *m, uint64_t when);
void wave_arm(struct takt_machine *m);
void wave_end(struct takt_machine *m, uint32_t pin, uint64_t when);
void wave_event(struct takt_machine *m, unsigned id, uint64_t when);

bool interrupts_masked(const struct takt_machine *m);
/* What executes has waited for a word of flash. */
void delivered_waited(struct takt_machine *m, uint32_t cycles);
/* Is there, close above a stack pointer, where a call in this code returns to? */
bool called_from(struct takt_machine *m, uint32_t sp, uint32_t end, uint32_t low, uint32_t high);
void deliver_yields(struct takt_machine *m);
/* masked.c: something that may turn interrupts off or on was done at an address and ended at a cycle */
void masked_look(struct takt_machine *m, uint64_t cycle, uint32_t address);

/* delivered.c. In thread mode: an exception comes, its state is in the frame; it has returned to one, or
 * to another; the stack pointer has moved to anywhere; the CPU has slept. */
void delivered_enter(struct takt_machine *m, uint64_t cycle, uint32_t frame);
void delivered_return(struct takt_machine *m, uint64_t cycle, uint32_t frame, uint32_t sp);
void delivered_stack(struct takt_machine *m, uint64_t cycle, uint32_t from, uint32_t to);
void delivered_unmasked(struct takt_machine *m, uint64_t cycle);
void delivered_sleep(struct takt_machine *m, uint64_t from, uint64_t to);
void delivered_reset(struct takt_machine *m);
/* In programs without threads: a call, which leaves its return address there; the stack has got shorter. */
void delivered_call(struct takt_machine *m, uint64_t cycle, uint32_t function, uint32_t sp);
void delivered_shorter(struct takt_machine *m, uint64_t cycle, uint32_t sp);

static inline bool delivered_wanted(const struct takt_machine *m)
{
    return m->delivered.count != 0 || m->delivered.functions != 0;
}

/* waits.c: an interrupt is pending from a cycle on; its handler begins */
void wait_begin(struct takt_machine *m, unsigned irq, uint64_t cycle);
void wait_end(struct takt_machine *m, unsigned irq, uint64_t cycle);

/* rtt.c */
void rtt_event(struct takt_machine *m, unsigned id, uint64_t when);
void rtt_drain(struct takt_machine *m);

#include "chip.h"

#endif
