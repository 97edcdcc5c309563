/*
 * Messages from adapters that mean harm: random ones, true ones that are broken, cut and joined, to
 * both protocols' parsers. Every frame that comes out must be one; all that is counted must add up.
 * Under AddressSanitizer where the build says so: each read lies at the end of its own memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <can/hydra.h>
#include <takt/admit_pipe.h>

static uint64_t seed = 1;
static uint32_t frames;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

/* What the parsers need of the kernel and the host. */
takt_time_t takt_now(void) { return 0; }
takt_time_t port_now(void) { return 0; }
int takt_sleep(uint32_t us) { (void)us; return TAKT_OK; }
port_irq_t port_irq_save(void) { return 0; }
void port_irq_restore(port_irq_t irq) { (void)irq; }
bool port_in_isr(void) { return false; }
uint8_t takt_self(void) { return 0; }
const struct takt_thread *takt_thread_at(uint8_t place) { (void)place; return NULL; }
int takt_sem_wait(struct takt_sem *sem) { (void)sem; return TAKT_OK; }
int takt_sem_wait_for(struct takt_sem *sem, uint32_t us) { (void)sem, (void)us; return TAKT_OK; }
int takt_sem_try(struct takt_sem *sem) { (void)sem; return TAKT_OK; }
int takt_sem_signal(struct takt_sem *sem) { (void)sem; return TAKT_OK; }
int takt_pace_rest(struct takt_pace *pace, uint32_t us) { (void)pace, (void)us; return TAKT_OK; }
void takt_pace_begin(struct takt_pace *pace) { (void)pace; }
int takt_pace_wait(struct takt_pace *pace, struct takt_sem *wake, uint32_t us)
{
    (void)pace, (void)wake, (void)us;
    return TAKT_OK;
}
void takt_endpoint_ready(struct takt_endpoint *end) { (void)end; }
void takt_endpoint_gone(struct takt_endpoint *end) { (void)end; }
void takt_pipe_lost(struct takt_pipe *pipe, uint32_t n) { (void)pipe, (void)n; }
void takt_pipe_sent(struct takt_pipe *pipe, uint32_t n) { (void)pipe, (void)n; }
int takt_pipe_take(struct takt_pipe *pipe, void *packet) { (void)pipe, (void)packet; return -2; }
struct takt_admit_rate takt_admit_rate(uint64_t packets, uint64_t ns)
{
    return (struct takt_admit_rate){packets, ns};
}
uint32_t takt_admit_echoes(const struct takt_endpoint_attrs *out,
                           const struct takt_endpoint_attrs *in, const struct takt_admit_rate *rate)
{
    (void)out, (void)in, (void)rate;
    return 0;
}
int usb_submit(struct usb_transfer *transfer) { (void)transfer; return TAKT_EGONE; }
int usb_cancel(struct usb_transfer *transfer) { (void)transfer; return TAKT_OK; }
int usb_wait(struct usb_transfer *t, uint32_t us) { (void)t, (void)us; return TAKT_EGONE; }
int usb_control(struct usb_device *d, const struct usb_setup *s, void *data, uint32_t us)
{
    (void)d, (void)s, (void)data, (void)us;
    return TAKT_EGONE;
}
int usb_clear_halt(struct usb_endpoint *endpoint) { (void)endpoint; return TAKT_OK; }
struct usb_endpoint *usb_endpoint_of(struct usb_device *d, uint8_t i, enum usb_type t, uint8_t dir)
{
    (void)d, (void)i, (void)t, (void)dir;
    return NULL;
}
void usb_release(struct usb_device *device) { (void)device; }

static void check(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

int takt_pipe_put(struct takt_pipe *pipe, const void *packet, takt_time_t at)
{
    const struct takt_can_frame *f = packet;
    (void)pipe, (void)at;
    check(f->channel < TAKT_CAN_CHANNELS, "a channel that is none");
    check(f->length <= 8, "a length above 8");
    check(f->id <= 0x1FFFFFFF, "an identifier beyond 29 bits");
    check((f->flags & ~3) == 0, "unknown flags");
    frames++;
    return TAKT_OK;
}

static struct takt_can_adapter adapter;
static struct can_state state;
static struct takt_pipe pipe;

static void reset(const struct can_kind *kind)
{
    memset(&state, 0, sizeof state);
    adapter.state = &state;
    state.adapter = &adapter;
    state.kind = kind;
    state.channel_count = (uint8_t)(1 + random32() % TAKT_CAN_CHANNELS);
    state.ticks_per_us = 80;
    state.window = CAN_WINDOW;
    state.abilities = random32();
    for (uint32_t i = 0; i < TAKT_CAN_CHANNELS; i++) {
        state.addresses[i] = (uint8_t)(2 + i);
        state.channels[i].in = &pipe;
        state.channels[i].state = TAKT_CAN_ACTIVE;
        state.channels[i].ring.slots = TAKT_CAN_FRAMES + 1;
    }
}

static uint8_t some_number(void)
{
    static const uint8_t numbers[] = {18, 20, 27, 29,  31,  35,  39, 45,
                                      50, 66, 85, 106, 201, 203, 255};
    return random32() % 8 == 0 ? (uint8_t)random32() : numbers[random32() % sizeof numbers];
}

/* A message much like a true one; its bytes. */
static uint32_t hydra_message(uint8_t *at)
{
    uint32_t length = HYDRA_BYTES;
    for (uint32_t i = 0; i < HYDRA_LONGEST; i++)
        at[i] = (uint8_t)random32();
    at[0] = some_number();
    uint32_t from = 2 + random32() % 6;
    at[1] = (uint8_t)((from & 0x30) << 2);
    at[3] = (uint8_t)(from << 4);
    if (at[0] == HYDRA_EXTENDED) {
        length = random32() % 4 == 0 ? random32() % 200 : 32 + random32() % 97;
        can_put16(at + 4, length);
        at[6] = (uint8_t)(224 + random32() % 4);
        length = length < 8 ? 8 : length < HYDRA_LONGEST ? length : HYDRA_LONGEST;
    }
    return length;
}

static uint32_t hydra_read(uint8_t *data)
{
    uint32_t bytes = 0, messages = random32() % 6;
    for (uint32_t i = 0; i < messages; i++)
        bytes += hydra_message(data + bytes);
    if (random32() % 4 == 0)
        memset(data + bytes, 0, 32);
    return random32() % 3 == 0 && bytes > 0 ? random32() % bytes : bytes; /* cut */
}

static uint32_t gs_read(uint8_t *data)
{
    for (uint32_t i = 0; i < 64; i++)
        data[i] = (uint8_t)random32();
    if (random32() % 2 == 0)
        memset(data, 0xFF, 4);
    data[8] = random32() % 4 == 0 ? data[8] : data[8] % 9;
    data[9] = random32() % 4 == 0 ? data[9] : data[9] % 6;
    uint32_t some[] = {0, 20, 24, 12, 8, random32() % 65};
    return some[random32() % 6];
}

/* In memory of exactly its size. */
static void parse(const struct can_kind *kind, const uint8_t *data, uint32_t bytes)
{
    uint8_t *own = malloc(bytes > 0 ? bytes : 1);
    check(own != NULL, "no memory");
    memcpy(own, data, bytes);
    kind->parse(&state, own, bytes);
    free(own);
    check(state.part_bytes <= sizeof state.part, "too much kept");
}

int main(int argc, char **argv)
{
    static uint8_t data[8 * HYDRA_LONGEST];
    uint32_t cases = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    for (uint32_t i = 0; i < cases; i++) {
        const struct can_kind *kind = i / 64 % 2 == 0 ? &can_hydra : &can_gs;
        if (i % 64 == 0)
            reset(kind);
        state.question.open = random32() % 2 == 0;
        state.question.number = some_number();
        state.clock.waits = random32() % 2 == 0;
        parse(kind, data, kind == &can_hydra ? hydra_read(data) : gs_read(data));
        for (uint32_t c = 0; c < TAKT_CAN_CHANNELS; c++)
            check(state.channels[c].queued == 0, "frames acknowledged that were not sent");
    }
    check(frames > cases / 50, "hardly any frame came through");
    printf("%u reads, %u frames, %u malformed, %u strange\n", cases, frames,
           state.counters.malformed, state.counters.strange);
    return 0;
}
