/*
 * PIO: two blocks of four state machines (datasheet chapter 3).
 *
 * A state machine's instruction is executed at the end of its cycle, at which its outputs, its
 * FIFOs and the flags change; it uses what there was before. A pin is seen through two flip-flops:
 *
 *   cycle      k          k+1        k+2        k+3
 *   executes   set pins   .          .          first that can see the new level
 *   event at            k+1        k+2        k+3        k+4
 *   wire                new level
 */
#ifndef TAKT_RP2040_PIO_H
#define TAKT_RP2040_PIO_H

#include <stdbool.h>
#include <stdint.h>

/* EXECCTRL, SHIFTCTRL */
#define EXEC_STALLED      (1u << 31)
#define EXEC_SIDE_EN      (1u << 30)
#define EXEC_SIDE_PINDIR  (1u << 29)
#define EXEC_INLINE_OUT   (1u << 18)
#define EXEC_OUT_STICKY   (1u << 17)
#define EXEC_STATUS_RX    (1u << 4)
#define SHIFT_JOIN_RX     (1u << 31)
#define SHIFT_JOIN_TX     (1u << 30)
#define SHIFT_OUT_RIGHT   (1u << 19)
#define SHIFT_IN_RIGHT    (1u << 18)
#define SHIFT_AUTOPULL    (1u << 17)
#define SHIFT_AUTOPUSH    (1u << 16)

/* FDEBUG and FSTAT: a bit for each machine from here on. */
enum { DEBUG_RXSTALL = 0, DEBUG_RXUNDER = 8, DEBUG_TXOVER = 16, DEBUG_TXSTALL = 24 };

#define PIO_BLOCKS   2u
#define PIO_MACHINES 4u
#define PIO_FIFO     4u
#define PIO_SEEN     8u /* changes of inputs that are kept: more than the synchronisers hold */

enum { PIO_LEVELS, PIO_DIRECTIONS, PIO_PAD_SIDES };

struct pio_fifo {
    uint32_t word[2 * PIO_FIFO], head, count, depth;
};

/* What a state machine waits for; REFILL: a cycle, after which its OSR is full. */
enum pio_wait { PIO_GOES, PIO_REFILL, PIO_TX, PIO_RX, PIO_PIN, PIO_IRQ };

/* A write to some of the 32 pins. */
struct pio_write {
    uint32_t mask, value;
};

/* Times with a fraction are in 1/256 cycles. A tick is a cycle in which the clock divider enables
 * the state machine, named by its end. */
struct pio_sm {
    uint32_t clkdiv, execctrl, shiftctrl, pinctrl;
    uint32_t x, y, isr, osr, isr_count, osr_count, pc;
    struct pio_fifo tx, rx;
    bool enabled;
    uint64_t anchor; /* a tick, with its fraction */
    uint64_t ready;  /* the tick that ends a delay */
    uint64_t delay;  /* ticks left of it while not enabled */
    uint64_t next;   /* the event at which there is something to do */
    enum pio_wait waits;
    uint32_t pin;                 /* waited for */
    uint32_t written, latched;    /* instructions beside the memory's: by SMx_INSTR, by EXEC */
    bool has_written, has_latched;
    bool forced;                  /* what is latched was written */
    bool begun;                   /* the present instruction has side-set its pins */
    bool told;                    /* and set the flag that it waits for */
    bool jumped;
    struct pio_write out[PIO_PAD_SIDES], side[PIO_PAD_SIDES]; /* of this cycle */
    struct pio_write sticky[PIO_PAD_SIDES];
};

struct pio {
    uint16_t memory[32];
    struct pio_sm sm[PIO_MACHINES];
    uint32_t irq, fdebug, bypass, inte[2], intf[2];
    uint32_t pad[PIO_PAD_SIDES]; /* levels, output enables */
    bool looks;                  /* it may read pins */
    /* the cycle being executed */
    uint64_t when;
    uint32_t set, cleared; /* flags */
    bool wrote;            /* pins */
};

/* Levels of all pins from a cycle on. */
struct pio_seen {
    uint64_t when;
    uint32_t levels;
};

struct pio_inputs {
    struct pio_seen seen[PIO_SEEN]; /* a ring */
    uint32_t last; /* the newest */
};

struct device;
struct takt_machine;

extern const struct device pio0_device, pio1_device;

/* pio.c: registers, interrupts */
void pio_update_irqs(struct takt_machine *m, struct pio *p);
/* pio_machine.c: registers of a machine */
void pio_sm_reset(const struct takt_machine *m, struct pio_sm *s);
void pio_write_ctrl(struct takt_machine *m, struct pio *p, uint32_t value);
uint32_t pio_read_fifo(struct takt_machine *m, struct pio *p, unsigned k);
void pio_write_fifo(struct takt_machine *m, struct pio *p, unsigned k, uint32_t value);
uint32_t pio_sm_read(const struct pio *p, unsigned k, uint32_t offset);
void pio_sm_write(struct takt_machine *m, struct pio *p, unsigned k, uint32_t offset,
                  uint32_t value);
/* pio_time.c: which cycles there is something to do in */
void pio_event(struct takt_machine *m, unsigned id, uint64_t when);
void pio_arm(struct takt_machine *m, struct pio *p);
uint64_t pio_divisor(const struct pio_sm *s);
void pio_wake(struct takt_machine *m, struct pio_sm *s);
void pio_wake_pin(struct takt_machine *m, struct pio *p, struct pio_sm *s, uint64_t when);
void pio_wake_waiting(struct takt_machine *m, struct pio *p, enum pio_wait what);
uint64_t pio_hold(const struct takt_machine *m, const struct pio_sm *s);
void pio_go_on(struct takt_machine *m, struct pio_sm *s, uint64_t delay);
void pio_divider_set(struct takt_machine *m, struct pio_sm *s, uint32_t clkdiv);
/* pio_execute.c: a state machine's cycle; `tick`: in which its divider enables it, else 0 */
void pio_execute(struct takt_machine *m, struct pio *p, struct pio_sm *s, uint64_t tick);
/* pio_shift.c; refill: autopull beside whatever the machine does */
bool pio_osr_empty(const struct pio_sm *s);
void pio_refill(struct pio_sm *s);
enum pio_wait pio_in(struct pio *p, struct pio_sm *s, uint32_t source, uint32_t bits);
enum pio_wait pio_shift_out(struct pio *p, struct pio_sm *s, uint32_t bits, uint32_t *data);
enum pio_wait pio_push_isr(struct pio *p, struct pio_sm *s, bool if_full, bool block);
enum pio_wait pio_pull_osr(struct pio *p, struct pio_sm *s, bool if_empty, bool block);
/* pio_pins.c */
void pio_inputs_changed(struct takt_machine *m, uint64_t when);
uint32_t pio_inputs(const struct takt_machine *m, const struct pio *p);
uint64_t pio_input_next(const struct takt_machine *m, const struct pio *p, uint64_t after);
void pio_write_pins(struct pio *p, struct pio_sm *s, unsigned side, uint32_t base, uint32_t count,
                    uint32_t value);
uint32_t pio_side_set(struct pio *p, struct pio_sm *s, uint32_t instruction); /* its delay */
void pio_outputs(struct takt_machine *m, struct pio *p);
void pio_look(struct takt_machine *m, struct pio *p);
bool pio_looks(const struct takt_machine *m);
bool pio_can_interrupt(const struct takt_machine *m);

static inline uint32_t pio_field(uint32_t reg, unsigned low, unsigned width)
{
    return reg >> low & ((1u << width) - 1);
}

/* Thresholds: 0 stands for 32. */
static inline uint32_t pio_count(uint32_t field)
{
    return field != 0 ? field : 32;
}

static inline uint32_t pio_mask(uint32_t bits)
{
    return bits >= 32 ? ~0u : (1u << bits) - 1;
}

static inline uint32_t pio_rotate(uint32_t value, uint32_t left)
{
    return left != 0 ? value << left | value >> (32 - left) : value;
}

static inline void pio_push(struct pio_fifo *f, uint32_t word)
{
    f->word[(f->head + f->count++) % (2 * PIO_FIFO)] = word;
}

static inline uint32_t pio_pull(struct pio_fifo *f)
{
    uint32_t word = f->word[f->head];
    f->head = (f->head + 1) % (2 * PIO_FIFO);
    f->count--;
    return word;
}

#endif
