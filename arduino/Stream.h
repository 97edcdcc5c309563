/*
 * Stream: reading text and numbers from anything that delivers bytes, with a timeout.
 *
 * Waiting blocks the calling loop only. A call that reads several bytes is one piece: on a serial
 * port another loop's parseInt() or readString() waits until this one is over.
 */
#ifndef Stream_h
#define Stream_h

#include "Print.h"
#include "WString.h"

/* What parseInt() and parseFloat() pass over in search of a number. */
enum LookaheadMode {
    SKIP_ALL,       /* everything that cannot start a number */
    SKIP_NONE,      /* nothing: the next byte must start it */
    SKIP_WHITESPACE /* blanks, tabs and ends of line */
};

#define NO_IGNORE_CHAR '\x01' /* a character that no number holds */

class Stream : public Print
{
  public:
    constexpr Stream() = default;

    virtual int available() = 0;
    virtual int read() = 0; /* -1: nothing there */
    virtual int peek() = 0;

    /* How long the calls below wait for each next byte. */
    void setTimeout(unsigned long ms) { timeout_ = ms; }
    unsigned long getTimeout() const { return timeout_; }

    /* Reads until the target has passed: true; or nothing more comes: false. */
    bool find(const char *target) { return find(target, strlen(target)); }
    bool find(const uint8_t *target) { return find(reinterpret_cast<const char *>(target)); }
    bool find(const char *target, size_t length) { return findUntil(target, length, nullptr, 0); }
    bool find(const uint8_t *target, size_t length)
    {
        return find(reinterpret_cast<const char *>(target), length);
    }
    bool find(char target) { return find(&target, 1); }

    /* As find(), but false as soon as the terminator has passed. */
    bool findUntil(const char *target, const char *terminator)
    {
        return findUntil(target, strlen(target), terminator, strlen(terminator));
    }
    bool findUntil(const uint8_t *target, const char *terminator)
    {
        return findUntil(reinterpret_cast<const char *>(target), terminator);
    }
    bool findUntil(const char *target, size_t length, const char *terminator, size_t size);

    /* The next number; 0 when none comes in time. Characters equal to `ignore` inside it are
     * passed over, as in 32,767. */
    long parseInt(LookaheadMode lookahead = SKIP_ALL, char ignore = NO_IGNORE_CHAR);
    float parseFloat(LookaheadMode lookahead = SKIP_ALL, char ignore = NO_IGNORE_CHAR);

    /* Up to `length` bytes, or until the terminator, which is taken and left out. Returns how many
     * are in the buffer; nothing is terminated. */
    size_t readBytes(char *buffer, size_t length);
    size_t readBytes(uint8_t *buffer, size_t length)
    {
        return readBytes(reinterpret_cast<char *>(buffer), length);
    }
    size_t readBytesUntil(char terminator, char *buffer, size_t length);
    size_t readBytesUntil(char terminator, uint8_t *buffer, size_t length)
    {
        return readBytesUntil(terminator, reinterpret_cast<char *>(buffer), length);
    }

    String readString();
    String readStringUntil(char terminator);

  protected:
    constexpr explicit Stream(takt::SerialGate *gate) : Print(gate) {}

    /* The next byte, waiting for it; -1: timeout. */
    int timedRead();
    int timedPeek();
    /* Passes over what `lookahead` says: the first byte after it, not taken; -1: timeout, or
     * SKIP_NONE and it starts no number. */
    int peekNextDigit(LookaheadMode lookahead, bool detectDecimal);

    long parseInt(char ignore) { return parseInt(SKIP_ALL, ignore); }
    float parseFloat(char ignore) { return parseFloat(SKIP_ALL, ignore); }

    struct MultiTarget {
        const char *str;
        size_t len;
        size_t index; /* characters matched so far */
    };
    /* Reads until one of the targets has passed: its number; -1: timeout. */
    int findMulti(MultiTarget *targets, int count);

    unsigned long timeout_ = 1000; /* ms */

  private:
    bool wait_more(uint32_t since);
};

namespace arduino
{
using ::Stream;
} // namespace arduino

#endif
