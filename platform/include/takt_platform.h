/*
 * Takt platform: cycle-accurate virtual microcontrollers as a C library.
 *
 * Time is counted in CPU clock cycles since reset (64 bit) and nothing else: no wall clock is
 * ever read, so two runs with the same inputs are identical. Everything that happens outside
 * the chip (pins driven, bytes sent, voltages) is queued for a cycle and happens at that cycle.
 */
#ifndef TAKT_PLATFORM_H
#define TAKT_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

struct takt_machine;

#pragma GCC visibility push(default)

#define TAKT_NEVER UINT64_MAX

enum takt_core_kind { TAKT_CORE_M0P = 0, TAKT_CORE_M0 = 1, TAKT_CORE_CHIP = 2 /* the chip's */ };
#define TAKT_WAIT_CHIP UINT32_MAX /* as the chip's registers say */

enum takt_stop_reason {
    TAKT_STOP_TIME = 0,  /* `until` is reached */
    TAKT_STOP_PIN = 1,   /* a watched pin's output changed; detail: pin | level << 8 */
    TAKT_STOP_UART = 2,  /* a watched UART sent a byte; detail: byte | port << 8 */
    TAKT_STOP_HALT = 3,  /* BKPT, or asleep with nothing that could wake it; see takt_fault() */
    TAKT_STOP_FAULT = 4, /* lockup, boot failure, watchdog reset, no clock; see takt_fault() */
    TAKT_STOP_BREAK = 5, /* about to execute a break address; detail: address */
    TAKT_STOP_WRITE = 6, /* a watched address was written; detail: address */
};

struct takt_stop {
    uint32_t reason;
    uint32_t detail;
    uint64_t cycle; /* when it happened; takt_now() may be a few cycles later */
};

struct takt_edge {
    uint64_t cycle;
    uint32_t pin;
    uint32_t level;
};

struct takt_byte {
    uint64_t cycle; /* end of the last stop bit */
    uint32_t byte;
    uint32_t reserved;
};

struct takt_store {
    uint64_t cycle;
    uint32_t address;
    uint32_t value;
};

/* An interrupt whose handler began at `cycle` had been pending so long. */
struct takt_wait {
    uint64_t cycle;
    uint32_t cycles;
    uint32_t irq; /* AVR: the vector */
};

/* A stretch with interrupts off: from the end of the instruction at `from` to the end of that at
 * `to`. */
struct takt_stretch {
    uint64_t cycle;
    uint32_t cycles;
    uint32_t from;
    uint32_t to;
    uint32_t reserved;
};

/* What a thread was delivered, or sleep; why it ended. */
#define TAKT_PIECE_ASLEEP 0xffff
#define TAKT_PIECE_CALL   0x8000 /* and more: of a function's calls */
enum takt_piece_end {
    TAKT_PIECE_GOES_ON = 0, /* an exception came; or so far */
    TAKT_PIECE_LEFT = 1,    /* another thread runs, or none, because this one has called the kernel;
                               the function has returned */
};

struct takt_piece {
    uint64_t cycle;
    uint32_t cycles;
    uint16_t thread; /* in the order of takt_deliver(); TAKT_PIECE_ASLEEP, TAKT_PIECE_CALL + n */
    uint16_t end;    /* enum takt_piece_end */
};

/* What code and loads have waited for words of flash that the cache did not hold, and the cycles of
 * that. */
struct takt_flash_waits {
    uint64_t words, cycles;
};
#define TAKT_WAITS_HANDLERS 64 /* exceptions; below: threads, in the order of takt_deliver() */
#define TAKT_WAITS_OTHERS   65

/* NULL when the chip is unknown or memory is short. Chips: "rp2040", "stm32f051"; of the library
 * for AVR "atmega328p@HZ", "atmega324p@HZ", with the frequency of the oscillator. Wait states:
 * those of flash, whatever the program sets, or TAKT_WAIT_CHIP. AVR: addresses below 0x800000 are
 * flash, from there on the data space. */
struct takt_machine *takt_machine_new(const char *chip, uint32_t core, uint32_t wait_states);
void takt_machine_free(struct takt_machine *m);

/* RP2040: the flash on the board has two data lines, not four. */
void takt_flash_two_lines(struct takt_machine *m);

/* Copies into flash or RAM. Returns 0, or -1 when the range is not memory. */
int takt_load(struct takt_machine *m, uint32_t address, const void *data, uint32_t size);
/* Power-on reset, or after a stop that was a watchdog's the one that it makes; then the boot ROM:
 * 0, or -1 with the reason in takt_fault(). RAM is kept. */
int takt_reset(struct takt_machine *m);
/* Reset without the boot ROM: stack and entry from the vector table at `vectors`. */
void takt_reset_to(struct takt_machine *m, uint32_t vectors);

uint64_t takt_now(const struct takt_machine *m);
uint64_t takt_instructions(const struct takt_machine *m);
uint64_t takt_sleep_cycles(const struct takt_machine *m);
uint32_t takt_clock_hz(const struct takt_machine *m);
/* When the watchdog was fed last, or started; TAKT_NEVER: it is off. */
uint64_t takt_watchdog_fed(const struct takt_machine *m);
/* The microsecond timer (rp2040: TIMER, stm32f051: TIM2, AVR: Timer1 without overflows), with its
 * fraction. */
double takt_clock_us(const struct takt_machine *m);

/* Runs until `until` or the first stop, whichever is earlier. */
void takt_run(struct takt_machine *m, uint64_t until, struct takt_stop *stop);
/* For a device outside, while takt_run() works: that comes back now, as if `until` were here. */
void takt_pause(struct takt_machine *m);
/* Executes one instruction or takes one exception (no stops, no sleeping skipped). */
void takt_step(struct takt_machine *m);

/* Memory: reads have no side effects (registers read as their last plain value or 0). */
void takt_read(struct takt_machine *m, uint32_t address, void *data, uint32_t size);
int takt_write(struct takt_machine *m, uint32_t address, const void *data, uint32_t size);
/* A bus access as the CPU would make it, side effects included. */
uint32_t takt_bus_read(struct takt_machine *m, uint32_t address);
void takt_bus_write(struct takt_machine *m, uint32_t address, uint32_t value);

/* Pends an interrupt (or, as CMSIS numbers them, -14 NMI, -2 PendSV, -1 SysTick; AVR: a vector) at
 * a cycle, as a pulse on its line would. The next reset forgets what is to come. -1: no such
 * interrupt. */
int takt_pend_irq(struct takt_machine *m, int32_t irq, uint64_t at);

/* Registers: 0-15, 16 xPSR, 17 MSP, 18 PSP, 19 PRIMASK, 20 CONTROL. AVR: 0-31, 32 SREG, 33 SP, 34
 * PC (bytes). */
uint32_t takt_register(struct takt_machine *m, uint32_t number);
void takt_set_register(struct takt_machine *m, uint32_t number, uint32_t value);

/* Pins (stm32f051: port * 16 + bit; AVR: port * 8 + bit). level: 0, 1, or -1 to release. */
void takt_pin_drive(struct takt_machine *m, uint32_t pin, int32_t level, uint64_t at);
int32_t takt_pin_level(struct takt_machine *m, uint32_t pin);
int32_t takt_pin_driven(struct takt_machine *m, uint32_t pin); /* output enabled by the chip */
void takt_pin_pull_up(struct takt_machine *m, uint32_t pin, int32_t on); /* a resistor outside */
/* A switch between two pins, from now on closed (they are one wire) or open; until the first call
 * there is none. -1: no such pins, or too many switches. */
int takt_pin_switch(struct takt_machine *m, uint32_t a, uint32_t b, int32_t closed);
void takt_pin_watch(struct takt_machine *m, uint32_t pin, int32_t on);
/* A wave from outside: low from now on, edges from `start` (a rise) until before `stop`, their
 * distances equal (rounded, without drift) or, between `shortest` and `longest`, drawn from `seed`;
 * both in cycles << 16. Ends when the pin is driven otherwise. Costs next to nothing while the
 * program does not listen. -1: no such pin, distances below 1 cycle or of 2^32 and more. */
int takt_pin_wave(struct takt_machine *m, uint32_t pin, uint64_t shortest, uint64_t longest,
                  uint64_t start, uint64_t stop, uint64_t seed);
uint64_t takt_pin_wave_edges(struct takt_machine *m, uint32_t pin); /* so far */
/* on: 1 records changes made by the chip, 2 those made from outside as well. */
void takt_pin_log(struct takt_machine *m, uint32_t pin, int32_t on);
uint32_t takt_pin_edges(struct takt_machine *m, struct takt_edge *out, uint32_t room);
/* 1 and fills frequency (Hz) and duty (0..1) when a running PWM drives the pin, else 0. */
int32_t takt_pin_pwm(struct takt_machine *m, uint32_t pin, double *frequency, double *duty);

/* UART (stm32f051: 0 is USART1). Bytes take their time at the programmed baud rate, in both
 * directions. */
void takt_uart_send(struct takt_machine *m, uint32_t port, const uint8_t *data, uint32_t size,
                    uint64_t at);
uint32_t takt_uart_take(struct takt_machine *m, uint32_t port, struct takt_byte *out,
                        uint32_t room);
void takt_uart_watch(struct takt_machine *m, uint32_t port, int32_t on);

/*
 * I2C devices: called as the bus goes, in the cycle in which it matters. start: addressed, 1
 * acknowledges; write: a byte came, 1 acknowledges; read: the byte to send (last: it is known
 * that the master will refuse more); stop: STOP, or another device is addressed. stretch, when
 * not NULL: cycles SCL is held low before the coming byte, TAKT_NEVER: for ever.
 */
struct takt_i2c_device {
    void *context;
    int32_t (*start)(void *context, int32_t read);
    int32_t (*write)(void *context, uint32_t byte);
    uint32_t (*read)(void *context, int32_t last);
    void (*stop)(void *context);
    uint64_t (*stretch)(void *context);
};

/* Buses of stm32f051: 0 is I2C1, SPI1. Devices stay for good. -1: no such bus, address taken, or
 * too many devices. */
int takt_i2c_attach(struct takt_machine *m, uint32_t bus, uint32_t address,
                    const struct takt_i2c_device *device);
/* A fault from now on: 1 holds a line low, 0 lets it go, -1 leaves it. SDA is let go at the
 * falling edge of SCL number `clocks` (0: never), whoever makes the clock. */
void takt_i2c_hold(struct takt_machine *m, uint32_t bus, int32_t sda, int32_t scl, uint32_t clocks);

/*
 * SPI devices. select, deselect: the chip select, low-active, has moved, by the controller or as
 * a plain pin; transfer: a word of so many bits was sent, right-aligned; the result goes back.
 */
struct takt_spi_device {
    void *context;
    void (*select)(void *context);
    uint32_t (*transfer)(void *context, uint32_t word, uint32_t bits);
    void (*deselect)(void *context);
};

/* Devices stay for good; the chip select has a pull-up. -1: no such bus or pin, or too many. */
int takt_spi_attach(struct takt_machine *m, uint32_t bus, uint32_t pin,
                    const struct takt_spi_device *device);
/* What a bus is set to: Hz (0: no clock), mode 0-3 (polarity, phase), bits a word. */
uint32_t takt_spi_settings(struct takt_machine *m, uint32_t bus, uint32_t *mode, uint32_t *bits);

/* ADC inputs. rp2040: 0-3 (GP26-29), 4 = temperature sensor; stm32f051: 0-15, 16 = temperature
 * sensor, 17 = internal reference, 18 = half the battery. */
void takt_adc_set(struct takt_machine *m, uint32_t channel, double volts, uint64_t at);

/* RTT: the control block at `address` is drained every 100 us of virtual time. AVR: channel 1 is
 * what the program has written to GPIOR1. */
void takt_rtt_attach(struct takt_machine *m, uint32_t address);
uint32_t takt_rtt_take(struct takt_machine *m, uint32_t channel, uint8_t *out, uint32_t room);

/* Stops and logs. AVR: by bytes; of a register the value is that written | the bits written << 8. */
int takt_break_at(struct takt_machine *m, uint32_t address, int32_t on);
int takt_stop_on_write(struct takt_machine *m, uint32_t address, int32_t on);
int takt_log_write(struct takt_machine *m, uint32_t address, int32_t on);
uint32_t takt_stores(struct takt_machine *m, struct takt_store *out, uint32_t room);

/* Records stretches in which no interrupt can come: PRIMASK is 1 or the SVCall handler, which
 * nobody's priority is above, runs. Cycles asleep do not count, for an interrupt would end them: so
 * a stretch is as long as an interrupt waits that comes at its beginning. */
void takt_masked_log(struct takt_machine *m, int32_t on);
uint32_t takt_masked(struct takt_machine *m, struct takt_stretch *out, uint32_t room);

/* Records interrupts that had to wait for at least so many cycles (0: none); AVR: those of pins. */
void takt_waits_log(struct takt_machine *m, uint32_t least);
uint32_t takt_waits(struct takt_machine *m, struct takt_wait *out, uint32_t room);

/* What threads are delivered is recorded of each whose stack is told: from `low` to below `high`;
 * 64 at most, else -1. core/delivered.c says what counts. */
int takt_deliver(struct takt_machine *m, uint32_t low, uint32_t high);
/* AVR, programs without threads: the same of calls of a function, from the first instruction to the
 * end of the return, without interrupts that come meanwhile and what they call. -1: not here, or
 * 32. */
int takt_deliver_calls(struct takt_machine *m, uint32_t function);
/* The code of a function, from `low` to below `high`: in a call of it, a thread may go on that was
 * told earlier than the caller. That is a preemption of the caller, from where its stack is left
 * until interrupts are on again. */
void takt_deliver_yields(struct takt_machine *m, uint32_t low, uint32_t high);
uint32_t takt_delivered(struct takt_machine *m, struct takt_piece *out, uint32_t room);
/* Of whom: since the machine was made. -1: no such. */
int takt_flash_waits(const struct takt_machine *m, uint32_t whose, struct takt_flash_waits *out);

/* Register accesses nobody models, and other doubtful deeds: line `index`, or NULL. */
const char *takt_unimplemented(struct takt_machine *m, uint32_t index);
/* Why it stopped, or the latest HardFault; NULL when all is well. */
const char *takt_fault(struct takt_machine *m);

#pragma GCC visibility pop

#endif
