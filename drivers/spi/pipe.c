/*
 * SPI devices as endpoints of pipes (include/takt/spi_pipe.h).
 */
#include <takt/create.h>
#include <takt/flash.h>
#include <takt/gpio.h>
#include <takt/spi_pipe.h>
#include <takt/time.h>

static int open_in(struct takt_endpoint *end, uint8_t channel, struct takt_pipe *pipe)
{
    (void)channel;
    return end->pipes == pipe && !pipe->next ? TAKT_OK : TAKT_EOWNER;
}

const struct takt_endpoint_ops takt_spi_in_ops = {open_in, NULL};

static void ask(const struct takt_spi_source *s, struct takt_pipe *pipe)
{
    takt_time_t at = takt_now();
    int n = takt_spi_transfer(s->bus, &s->settings, s->select, s->ask, s->answer, s->end->packet);
    if (n == (int)s->end->packet)
        (void)takt_pipe_put(pipe, s->answer, at);
    else
        takt_pipe_lost(pipe, 1);
}

void takt_spi_source_thread(void *source)
{
    const struct takt_spi_source *s = source;
    const struct takt_vcpu *vcpu = TAKT_FLASH_POINTER(&takt_thread_self()->vcpu);
    uint32_t period = vcpu->period;
    (void)takt_gpio_write(s->select, true);
    (void)takt_gpio_mode(s->select, TAKT_GPIO_OUTPUT);
    (void)takt_spi_open(s->bus, s->sck, s->mosi, s->miso);
    for (takt_time_t next = takt_now();;) {
        struct takt_pipe *pipe = takt_endpoint_pipe(s->end, 0);
        next += period;
        (void)takt_sleep_until(next);
        if (pipe)
            ask(s, pipe);
    }
}
