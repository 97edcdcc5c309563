/*
 * Refusals of tpipe() as text, for consoles. What is longer than there is room for is cut.
 */
#include <takt/tpipe.h>

/* {value} and {limit} stand for the figures. */
static const char *const TEXTS[] = {
    [TAKT_PIPE_FITS] = "it fits",
    [TAKT_PIPE_NO_CHANNEL] = "channel number {value} of {limit}",
    [TAKT_PIPE_NO_LATENCY] = "a latency of {value} ns; at most {limit}",
    [TAKT_PIPE_NO_RATE] = "a throughput of {value} bits; at most {limit}",
    [TAKT_PIPE_NO_PACKET] = "a buffer of {value} bytes for packets of {limit} bytes",
    [TAKT_PIPE_NO_TIME] = "handling a full buffer takes more than {value} ns",
    [TAKT_PIPE_TOO_MUCH] = "all pipes ask for {value} bit/s, the device has {limit}",
    [TAKT_PIPE_TOO_SOON] = "a latency of {value} ns; the device has {limit} between two packets",
    [TAKT_PIPE_TOO_LONG] =
        "handling a full buffer takes {value} us; a period of {limit} us follows",
    [TAKT_PIPE_LOSES] =
        "the device would lose packets: {value} may wait in it, which holds {limit}",
    [TAKT_PIPE_SLOW] = "the endpoint's thread may need {value} us in a period, and has {limit}",
    [TAKT_PIPE_OVERFLOWS] = "{value} packets may come between two reads, the buffer holds {limit}",
    [TAKT_PIPE_LATE] = "a packet may take {value} us, {limit} are asked for",
    [TAKT_PIPE_NOT_ADMITTED] = "threads would not get their budgets",
    [TAKT_PIPE_WAITS] = "{value} packets would wait to be acknowledged, {limit} may",
    [TAKT_PIPE_SHORT] = "a pipe's thread needs a budget of {value} us, and would have {limit}",
};

struct text {
    char *at, *end; /* one past the last character, where the zero goes */
};

static void add(struct text *t, char c)
{
    if (t->at < t->end)
        *t->at++ = c;
}

static void add_number(struct text *t, uint64_t number)
{
    char digits[20];
    unsigned n = 0;
    do
        digits[n++] = (char)('0' + number % 10u);
    while ((number /= 10u) > 0);
    while (n > 0)
        add(t, digits[--n]);
}

char *takt_tpipe_why(char *text, size_t n)
{
    const struct takt_pipe_refusal *why = takt_tpipe_refusal();
    struct text t = {text, text + n - 1};
    if (n == 0)
        return text;
    for (const char *c = TEXTS[why->reason]; *c; c++) {
        if (*c != '{') {
            add(&t, *c);
            continue;
        }
        add_number(&t, c[1] == 'v' ? why->value : why->limit);
        while (*c != '}')
            c++;
    }
    *t.at = 0;
    return text;
}
