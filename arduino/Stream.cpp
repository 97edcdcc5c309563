/*
 * Stream: see Stream.h.
 */
#include "Stream.h"

#include <takt/time.h>
#include <takt/uart.h>

#include "number_text.h"

namespace
{

using takt::Hold;

/* How often a stream that is no serial port, and so cannot wake anyone, is looked at: us. */
constexpr uint32_t POLL = 1000;
constexpr uint32_t LONGEST_WAIT = 1000000;

takt::OwnerLock *receiving(takt::SerialGate *gate)
{
    return gate ? &gate->receiving : nullptr;
}

bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Waits once for news from a port, or `us` where there is none; at most as long as named. */
void pause(const takt::SerialGate *gate, uint32_t us)
{
    if (gate && takt_uart_wait(gate->port, us) != TAKT_EINVAL)
        return;
    takt_sleep(us < POLL ? us : POLL);
}

/* Follows one target by one character. On a mismatch the match goes on with the longest start of
 * the target that the characters seen so far end in. */
bool matches(const char *target, size_t length, size_t &index, char c)
{
    while (index && target[index] != c) {
        size_t shorter = index;
        do
            shorter--;
        while (shorter && memcmp(target, target + index - shorter, shorter) != 0);
        index = shorter;
    }
    if (target[index] == c)
        index++;
    return index >= length;
}

} // namespace

/* Pauses, unless timeout_ is over since then: false. More than the clock's 71 minutes is for ever.
 */
bool Stream::wait_more(uint32_t since)
{
    uint32_t passed = takt_now() - since, left = LONGEST_WAIT;
    if (timeout_ < UINT32_MAX / 1000) {
        uint32_t limit = static_cast<uint32_t>(timeout_) * 1000;
        if (passed >= limit)
            return false;
        left = limit - passed;
    }
    pause(gate_, left < LONGEST_WAIT ? left : LONGEST_WAIT);
    return true;
}

int Stream::timedPeek()
{
    uint32_t start = takt_now();
    for (;;) {
        int c = peek();
        if (c >= 0 || !wait_more(start))
            return c;
    }
}

int Stream::timedRead()
{
    uint32_t start = takt_now();
    for (;;) {
        int c = read();
        if (c >= 0 || !wait_more(start))
            return c;
    }
}

int Stream::peekNextDigit(LookaheadMode lookahead, bool detectDecimal)
{
    for (;;) {
        int c = timedPeek();
        if (c < 0 || c == '-' || is_digit(c) || (detectDecimal && c == '.'))
            return c;
        if (lookahead == SKIP_NONE || (lookahead == SKIP_WHITESPACE && !is_blank(c)))
            return -1;
        read();
    }
}

/* A minus sign counts only in front: 5-3 are two numbers. */
long Stream::parseInt(LookaheadMode lookahead, char ignore)
{
    Hold hold(receiving(gate_));
    int c = peekNextDigit(lookahead, false);
    if (c < 0)
        return 0;
    bool minus = c == '-';
    unsigned long value = 0; /* overflow wraps */
    do {
        if (is_digit(c))
            value = value * 10 + static_cast<unsigned long>(c - '0');
        read();
        c = timedPeek();
    } while (is_digit(c) || (c >= 0 && c == ignore));
    return static_cast<long>(minus ? 0 - value : value);
}

float Stream::parseFloat(LookaheadMode lookahead, char ignore)
{
    Hold hold(receiving(gate_));
    int c = peekNextDigit(lookahead, true);
    if (c < 0)
        return 0;
    takt::Decimal number;
    if (c == '-')
        number.negate();
    bool point = false;
    do {
        if (is_digit(c))
            number.digit(static_cast<unsigned>(c - '0'));
        if (c == '.') {
            point = true;
            number.point();
        }
        read();
        c = timedPeek();
    } while (is_digit(c) || (c == '.' && !point) || (c >= 0 && c == ignore));
    return static_cast<float>(number.value());
}

bool Stream::findUntil(const char *target, size_t length, const char *terminator, size_t size)
{
    if (length == 0)
        return true;
    Hold hold(receiving(gate_));
    size_t matched = 0, ended = 0;
    for (int c = timedRead(); c >= 0; c = timedRead()) {
        if (matches(target, length, matched, static_cast<char>(c)))
            return true;
        if (size && matches(terminator, size, ended, static_cast<char>(c)))
            return false;
    }
    return false;
}

int Stream::findMulti(MultiTarget *targets, int count)
{
    for (int i = 0; i < count; i++)
        if (targets[i].len == 0)
            return i;
    Hold hold(receiving(gate_));
    for (int c = timedRead(); c >= 0; c = timedRead())
        for (int i = 0; i < count; i++)
            if (matches(targets[i].str, targets[i].len, targets[i].index, static_cast<char>(c)))
                return i;
    return -1;
}

size_t Stream::readBytes(char *buffer, size_t length)
{
    Hold hold(receiving(gate_));
    size_t n = 0;
    for (int c; n < length && (c = timedRead()) >= 0;)
        buffer[n++] = static_cast<char>(c);
    return n;
}

size_t Stream::readBytesUntil(char terminator, char *buffer, size_t length)
{
    Hold hold(receiving(gate_));
    size_t n = 0;
    for (int c; n < length && (c = timedRead()) >= 0 && c != static_cast<uint8_t>(terminator);)
        buffer[n++] = static_cast<char>(c);
    return n;
}

String Stream::readString()
{
    Hold hold(receiving(gate_));
    String text;
    for (int c; (c = timedRead()) >= 0;)
        text += static_cast<char>(c);
    return text;
}

String Stream::readStringUntil(char terminator)
{
    Hold hold(receiving(gate_));
    String text;
    for (int c; (c = timedRead()) >= 0 && c != static_cast<uint8_t>(terminator);)
        text += static_cast<char>(c);
    return text;
}
