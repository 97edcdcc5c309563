/*
 * SPI: requests and their turns.
 *
 * A transfer is served by the interrupt, or it is `polled`: served by its own thread, and by every
 * other thread that wants the bus, each in short pieces with interrupts off. So it goes on as long
 * as any thread that wants the bus may run. When the bus changes hands that happens in the
 * interrupt, which a thread makes pending for it; only a transfer that finds the bus idle and
 * leaves it idle does without. What cannot wait for its turn, an interrupt or a thread with
 * interrupts off, needs the bus idle and serves its transfer to the end.
 */
#include <limits.h>

#include <gpio/chip_gpio.h>
#include <takt/job.h>
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/thread.h>

#include "bus.h"

#define POLL_EVERY_NS 100000u /* more frequent interrupts would take too much from all threads */

static struct spi_bus buses[TAKT_SPI_BUSES] = {
    {.chip = SPI_CHIP_BUS0},
#ifdef SPI_CHIP_BUS1
    {.chip = SPI_CHIP_BUS1},
#endif
};

static void select_chip(const struct spi_transfer *t, bool high)
{
    if (t->chip_select != TAKT_SPI_NO_PIN)
        (void)chip_gpio_write(t->chip_select, high);
}

static bool is_short(size_t n, uint32_t frame_ns)
{
    return SPI_CHIP_FRAMES * frame_ns < POLL_EVERY_NS ||
           (n < 64u && n * frame_ns <= SPI_CHIP_POLL_TOTAL_NS);
}

/* Starts the current transfer. */
static void begin_locked(struct spi_bus *bus)
{
    struct spi_transfer *t = spi_current(bus);
    spi_fifo_set(bus);
    select_chip(t, false);
    (void)spi_fifo_move(bus); /* nothing can have come yet */
    spi_fifo_tell(bus, !t->polled);
}

/* Wakes the threads that are to serve the current transfer. Interrupt context. */
static void wake_all_isr(struct spi_bus *bus)
{
    (void)takt_sem_signal_isr(&bus->queue.current->wake);
    for (struct bus_request *r = bus->queue.waiting; r != NULL; r = r->next)
        (void)takt_sem_signal_isr(&r->wake);
}

static void end(struct spi_bus *bus)
{
    spi_fifo_tell(bus, false);
    select_chip(spi_current(bus), true);
}

static void hand_over(struct spi_bus *bus)
{
    end(bus);
    bus_leave_isr(&bus->queue, (int)spi_current(bus)->n);
    if (bus->queue.current == NULL)
        return;
    begin_locked(bus);
    if (spi_current(bus)->polled)
        wake_all_isr(bus);
}

void spi_serve(uint8_t n, uint8_t irq)
{
    struct spi_bus *bus = &buses[n];
    takt_isr_enter();
    if (bus->queue.current != NULL && spi_fifo_move(bus))
        hand_over(bus);
    takt_isr_exit(irq);
}

/* A piece of work on a transfer that is polled; it may be another thread's. */
static void help_locked(struct spi_bus *bus)
{
    struct spi_transfer *t = spi_current(bus);
    if (!spi_fifo_move(bus))
        return;
    if (takt_self() == t->request.place && bus->queue.waiting == NULL) {
        end(bus);
        bus->queue.current = NULL;
        t->request.result = (int)t->n;
        t->request.over = true;
    } else {
        spi_chip_pend(&bus->chip);
    }
}

static int enter(struct spi_bus *bus, struct spi_transfer *t)
{
    int result = TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    if (bus->open) {
        if (bus_enter_locked(&bus->queue, &t->request))
            begin_locked(bus);
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}

/* Until the transfer is over, by serving what is polled and waiting for what is not. */
static void see_through(struct spi_bus *bus, struct spi_transfer *t)
{
    while (!t->request.over) {
        port_irq_t irq = port_irq_save();
        bool wait = !t->request.over && !spi_current(bus)->polled;
        if (!t->request.over && !wait)
            help_locked(bus);
        port_irq_restore(irq);
        if (wait)
            (void)takt_sem_wait(&t->request.wake);
    }
}

/* To the end, in one go, if the bus is idle. */
static int move_alone(struct spi_bus *bus, struct spi_transfer *t)
{
    port_irq_t irq = port_irq_save();
    bool is_free = bus->queue.current == NULL;
    if (is_free)
        bus->queue.current = &t->request;
    port_irq_restore(irq);
    if (!is_free)
        return TAKT_EAGAIN;
    t->polled = true;
    begin_locked(bus);
    while (!spi_fifo_move(bus)) {
    }
    end(bus);
    bus->queue.current = NULL;
    return (int)t->n;
}

static bool interrupts_are_off(void)
{
    port_irq_t irq = port_irq_save();
    port_irq_restore(irq);
    return irq;
}

int takt_spi_transfer(uint8_t n, const struct takt_spi_settings *settings, uint8_t chip_select,
                      const void *out, void *in, size_t frames)
{
    struct spi_transfer t = {
        .settings = *settings, .out = out, .in = in, .n = frames, .chip_select = chip_select};
    bool pin = spi_chip_has_pin(chip_select) || chip_select == TAKT_SPI_NO_PIN;
    if (n >= TAKT_SPI_BUSES || !buses[n].open || !pin || !spi_fifo_possible(settings) ||
        frames > INT_MAX)
        return TAKT_EINVAL;
    bool interrupt = SPI_CHIP_POLLED && port_in_isr();
    if (!interrupt && !bus_may_wait())
        return TAKT_ECONTEXT;
    if (frames == 0)
        return 0;
    uint32_t frame_ns = spi_fifo_plan(&t);
    if (interrupt || interrupts_are_off())
        return move_alone(&buses[n], &t);
    t.polled = SPI_CHIP_POLLED || is_short(t.n, frame_ns);
    takt_begin_whole_call(); /* the bus knows `t` */
    int entered = enter(&buses[n], &t);
    if (entered == TAKT_OK)
        see_through(&buses[n], &t);
    takt_end_whole_call();
    return entered == TAKT_OK ? t.request.result : entered;
}

int takt_spi_exchange(uint8_t n, const struct takt_spi_settings *settings, uint8_t byte)
{
    uint8_t received = 0;
    int result = takt_spi_transfer(n, settings, TAKT_SPI_NO_PIN, &byte, &received, 1);
    return result == 1 ? received : result;
}

static bool pin_fits(uint8_t n, uint8_t pin, enum spi_role role, bool optional)
{
    return pin == TAKT_SPI_NO_PIN ? optional : spi_chip_pin_fits(n, pin, role);
}

static void pin_start(uint8_t pin, bool on)
{
    if (pin == TAKT_SPI_NO_PIN)
        return;
    (void)chip_gpio_mode(pin, TAKT_GPIO_INPUT);
    if (on)
        spi_chip_pin_start(pin);
}

static void pins_start(const struct spi_bus *bus, bool on)
{
    pin_start(bus->sck, on);
    pin_start(bus->mosi, on);
    pin_start(bus->miso, on);
}

static void start_locked(struct spi_bus *bus, uint8_t sck, uint8_t mosi, uint8_t miso)
{
    if (bus->open)
        pins_start(bus, false);
    bus->sck = sck;
    bus->mosi = mosi;
    bus->miso = miso;
    spi_fifo_reset(bus);
    pins_start(bus, true);
    spi_chip_irq_start(&bus->chip);
    bus->open = true;
}

int takt_spi_open(uint8_t n, uint8_t sck, uint8_t mosi, uint8_t miso)
{
    if (n >= TAKT_SPI_BUSES || !pin_fits(n, sck, SPI_SCK, false) ||
        !pin_fits(n, mosi, SPI_MOSI, true) || !pin_fits(n, miso, SPI_MISO, true))
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    struct spi_bus *bus = &buses[n];
    int result = TAKT_OK;
    port_irq_t irq = port_irq_save();
    bool same = bus->open && bus->sck == sck && bus->mosi == mosi && bus->miso == miso;
    if (!same && bus->queue.current != NULL)
        result = TAKT_EAGAIN;
    else if (!same)
        start_locked(bus, sck, mosi, miso);
    port_irq_restore(irq);
    return result;
}

int takt_spi_close(uint8_t n)
{
    if (n >= TAKT_SPI_BUSES || !buses[n].open)
        return TAKT_EINVAL;
    if (port_in_isr())
        return TAKT_ECONTEXT;

    struct spi_bus *bus = &buses[n];
    int result = TAKT_EAGAIN;
    port_irq_t irq = port_irq_save();
    if (bus->queue.current == NULL) {
        spi_chip_stop(&bus->chip);
        pins_start(bus, false);
        bus->open = false;
        result = TAKT_OK;
    }
    port_irq_restore(irq);
    return result;
}
