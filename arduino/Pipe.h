/*
 * pipe(id, endpoint, qos[, stack]): a tuned pipe, a thread that handles what a device sends or
 * wants, with a bound of delay and no loss (takt/pipe.h).
 *
 *     void pipe(gps, uartIn(1, 115200), qos(11520, 256, 500_us)) {
 *       int c;
 *       while ((c = gps.read()) >= 0) parse(c);
 *     }
 *
 * qos(rate, room, exec[, latency]): up to `rate` packets a second come, `room` of them fit into the
 * pipe's buffer, and handling so many takes `exec`; no packet is to take longer than `latency` from
 * the device to the body (1 s unless said). Times are as those of loop: plain numbers are
 * milliseconds. From that follow the thread's budget and the period
 * within which the body is called, once at most, when there is something to do. It reads until
 * there is no more. For output it writes until there is no room.
 *
 * Inside and outside the body, `gps` is a takt::Pipe that knows how large its packets are. pipe is
 * a macro that counts its arguments, as loop is: with any other number than three or four it
 * expands to itself.
 */
#ifndef TAKT_CXX_PIPE_H
#define TAKT_CXX_PIPE_H

#include <takt/pipe.h>
#include <takt/uart_pipe.h>

#include "loops.h"

extern "C" {
/* Entry of a pipe's thread; the argument is its body, a `void (*)()`. */
void takt_arduino_pipe(void *body);
}

namespace takt
{

/* A figure as a sketch writes it, a fraction rounded up; -1: it is below 0, too large, or no
 * number. */
struct Figure {
    int64_t value;

    template <typename N>
    constexpr Figure(N n)
        : value(static_cast<double>(n) >= 0 && static_cast<double>(n) < 4e18
                    ? static_cast<int64_t>(n) + (static_cast<N>(static_cast<int64_t>(n)) < n)
                    : -1)
    {
    }
};

/* A time; plain numbers are milliseconds. Below 0 where it is no number. */
struct Span {
    int64_t us;

    constexpr Span(Duration d) : us(d.us) {}
    template <typename N>
    constexpr Span(N ms)
        : us(static_cast<double>(ms) >= 0 && static_cast<double>(ms) < 1e12
                 ? static_cast<int64_t>(ms) * 1000 +
                       static_cast<int64_t>(
                           1000 *
                               static_cast<double>(ms - static_cast<N>(static_cast<int64_t>(ms))) +
                           0.5)
                 : -1)
    {
    }
};

/* What is asked of a pipe, in packets. Below 0: not a figure. */
struct Qos {
    int64_t rate; /* packets per second */
    int64_t room; /* packets */
    int64_t exec_us;
    int64_t latency_us;
};

/* An endpoint as drivers offer it to pipe(): a driver's own, `shared`, or for this pipe only. */
struct End {
    struct takt_endpoint_attrs attrs;
    struct takt_endpoint *shared;
    const struct takt_endpoint_ops *ops;
    struct takt_uart_line line;
    const char *name;
    uint16_t packet; /* bytes in RAM */
    uint8_t direction;
    uint8_t channel;
    bool no_port = false, no_speed = false; /* there is none such */
};

/* Of a device with at most 255. */
constexpr uint8_t end_channel(Figure channel)
{
    return static_cast<uint8_t>(channel.value < 0 || channel.value > 255 ? 255 : channel.value);
}

/* The driver's own endpoint, or that of this pipe only. */
constexpr struct takt_endpoint *end_of(const End &end, struct takt_endpoint *own)
{
    return end.shared ? end.shared : own;
}

class Pipe
{
  public:
    constexpr explicit Pipe(struct takt_pipe &pipe) : pipe_(pipe) {}
    Pipe(const Pipe &) = delete;

    /* Takes the next packet; false: there is none, or T is not as large. In the body only. */
    template <typename T> bool read(T &packet)
    {
        return sizeof packet == pipe_.buffer.size && takt_pipe_read(&pipe_, &packet) == TAKT_OK;
    }
    /* Takes the next byte, -1: there is none. For packets of one byte, as a serial port's are. */
    int read()
    {
        uint8_t byte;
        return read(byte) ? byte : -1;
    }
    /* Appends a packet; false: no room, the device is gone, or T is not as large as one. */
    template <typename T> bool write(const T &packet)
    {
        return sizeof packet == pipe_.buffer.size && takt_pipe_write(&pipe_, &packet) == TAKT_OK;
    }
    /* Packets that can be read, or written. */
    uint32_t available() const { return takt_pipe_available(&pipe_); }
    /* The device is not there. */
    bool gone() const { return pipe_.error == TAKT_EGONE; }
    /* Packets lost: those that found the buffer full, and those the endpoint knows of. */
    uint32_t lost() const { return pipe_.stats.overflow + pipe_.stats.lost; }
    const struct takt_pipe_stats &stats() const { return pipe_.stats; }
    struct takt_pipe *raw() { return &pipe_; }

  private:
    struct takt_pipe &pipe_;
};

/* A Pipe of packets of so many bytes: other ones do not compile. */
template <uint16_t bytes> class PipeOf : public Pipe
{
  public:
    using Pipe::Pipe;
    template <typename T> bool read(T &packet)
    {
        static_assert(sizeof packet == bytes, "pipe: read() takes a packet of another size");
        return Pipe::read(packet);
    }
    int read()
    {
        static_assert(bytes == 1, "pipe: read() without a packet is for bytes");
        return Pipe::read();
    }
    template <typename T> bool write(const T &packet)
    {
        static_assert(sizeof packet == bytes, "pipe: write() takes a packet of another size");
        return Pipe::write(packet);
    }
};

/* A driver for which it is one takes this type; see uart_pipe.h. */
constexpr End uart_end(int64_t port, uint32_t baud, bool no_speed,
                       const struct takt_endpoint_attrs &attrs,
                       const struct takt_endpoint_ops *ops, uint8_t direction)
{
    return {attrs,
            nullptr,
            ops,
            {port == 0 ? &takt_uart_port0 : TAKT_UART_PORT1_, baud, port != 0},
            port == 0 ? "Serial" : "Serial1",
            1,
            direction,
            0,
            port < 0 || port >= TAKT_UART_PORTS,
            no_speed};
}

constexpr bool uart_speed(Figure baud)
{
    return baud.value >= TAKT_UART_BAUD_LEAST && baud.value <= TAKT_UART_BAUD_MOST;
}
constexpr uint32_t uart_baud(Figure baud)
{
    return uart_speed(baud) ? static_cast<uint32_t>(baud.value) : 9600u;
}

/* Saturated where there are no such rates. */
constexpr uint64_t qos_bits(uint64_t bits, uint64_t rate, uint64_t latency_us)
{
    return rate == 0 || latency_us == 0                  ? 0
           : rate > UINT64_MAX / 2u / bits / latency_us ? UINT64_MAX
                                                        : (rate * latency_us * bits + 999999u) /
                                                              1000000u;
}

constexpr uint64_t qos_figure(int64_t value)
{
    return value < 0 ? 0 : static_cast<uint64_t>(value);
}

constexpr struct takt_qos qos_of(const End &end, const Qos &asked)
{
    return {qos_figure(asked.latency_us) * 1000u,
            qos_bits(static_cast<uint64_t>(end.attrs.max_pktsz) * 8u, qos_figure(asked.rate),
                     qos_figure(asked.latency_us)),
            (asked.room > 1048576 ? 1048577u : qos_figure(asked.room)) *
                static_cast<uint64_t>(end.attrs.max_pktsz),
            qos_figure(asked.exec_us) * 1000u};
}

/* What is no figure: 'r'ate, r'o'om, 'e'xec or 'l'atency. */
constexpr char qos_wrong(const Qos &asked)
{
    return asked.rate < 0          ? 'r'
           : asked.room < 0        ? 'o'
           : asked.exec_us <= 0    ? 'e'
           : asked.latency_us <= 0 ? 'l'
                                   : 0;
}
constexpr char qos_wrong(const struct takt_qos &asked)
{
    return asked.texec_time == 0 ? 'e' : asked.latency == 0 ? 'l' : 0;
}

/* What is asked as the paper has it. */
constexpr struct takt_qos qos_of(const End &, const struct takt_qos &asked)
{
    return asked;
}

/* 1 where nothing sensible follows: the build says why. */
constexpr uint32_t pipe_period_us(const End &end, const struct takt_qos &qos)
{
    return qos.tput == 0 || qos.IObufsz < static_cast<uint64_t>(end.attrs.max_pktsz)
               ? 1u
               : static_cast<uint32_t>(TAKT_PIPE_LEAST_(
                     TAKT_PIPE_MOST_(
                         TAKT_PIPE_PERIOD_US(
                             qos.IObufsz / static_cast<uint64_t>(end.attrs.max_pktsz),
                             static_cast<uint64_t>(end.attrs.max_pktsz) * 8u, qos.tput,
                             qos.latency, qos.texec_time, uint64_t{end.attrs.delay_us} * 1000u),
                         1u),
                     TAKT_PERIOD_MAX));
}

constexpr uint32_t pipe_budget_us(const End &end, const struct takt_qos &qos)
{
    return static_cast<uint32_t>(
        TAKT_PIPE_LEAST_(TAKT_PIPE_BUDGET_US(qos.texec_time), pipe_period_us(end, qos)));
}

} // namespace takt

/* The endpoints of serial ports: port 0 or 1, bits per second. */
constexpr takt::End uartIn(takt::Figure port, takt::Figure baud)
{
    return takt::uart_end(port.value, takt::uart_baud(baud), !takt::uart_speed(baud),
                          TAKT_UART_IN_ATTRS(takt::uart_baud(baud)), &takt_uart_in_ops, TAKT_IN);
}
constexpr takt::End uartOut(takt::Figure port, takt::Figure baud)
{
    return takt::uart_end(port.value, takt::uart_baud(baud), !takt::uart_speed(baud),
                          TAKT_UART_OUT_ATTRS(takt::uart_baud(baud)), &takt_uart_out_ops, TAKT_OUT);
}

constexpr takt::Qos qos(takt::Figure rate, takt::Figure room, takt::Span exec,
                        takt::Span latency = takt::Duration{1000000})
{
    return {rate.value, room.value, exec.us, latency.us};
}

#define pipe(...) TAKT_JOIN_(TAKT_PIPE_, TAKT_LOOP_ARGUMENTS_(__VA_ARGS__))(__VA_ARGS__)

#define TAKT_PIPE_SELF_(...) pipe(__VA_ARGS__)

#define TAKT_PIPE_3_(id, end, qos)                                                                 \
    TAKT_PIPE_DEFINE_(id, end, qos, extern char TAKT_JOIN_(takt_stack_pipe_, id)[];                \
                      extern char TAKT_JOIN3_(takt_stack_pipe_, id, _end)[],                       \
                      TAKT_JOIN3_(takt_stack_pipe_, id, _end))

#define TAKT_PIPE_4_(id, end, qos, bytes)                                                          \
    TAKT_PIPE_DEFINE_(id, end, qos,                                                                \
                      static_assert((bytes) >= 128, "pipe " #id ": stack below 128 bytes");        \
                      static char TAKT_JOIN_(takt_stack_pipe_, id)[TAKT_STACK_BYTES_(bytes)]       \
                      __attribute__((aligned(TAKT_STACK_ALIGN_), section(".takt.stacks.pipe"))),   \
                      TAKT_JOIN_(takt_stack_pipe_, id) + sizeof TAKT_JOIN_(takt_stack_pipe_, id))

/* What follows the `void` the user wrote. */
#define TAKT_PIPE_DEFINE_(id, end_, qos_, stack, stack_end)                                        \
    takt_pipe_##id##_body();                                                                       \
    constexpr takt::End takt_end_of_##id = end_;                                                   \
    constexpr struct takt_qos takt_qos_of_##id = takt::qos_of(takt_end_of_##id, qos_);             \
    static_assert(!takt_end_of_##id.no_port, "pipe " #id ": the board has no such serial port");   \
    static_assert(!takt_end_of_##id.no_speed, "pipe " #id ": no speed of a serial port");          \
    static_assert(takt_end_of_##id.channel < takt_end_of_##id.attrs.max_channels,                  \
                  "pipe " #id ": the device has no such channel");                                 \
    static_assert(takt::qos_wrong(qos_) != 'r', "pipe " #id ": the rate is not a number above 0"); \
    static_assert(takt::qos_wrong(qos_) != 'o', "pipe " #id ": the room is not a number above 0"); \
    static_assert(takt::qos_wrong(qos_) != 'e',                                                    \
                  "pipe " #id ": the time for handling is not a time above 0");                    \
    static_assert(takt::qos_wrong(qos_) != 'l',                                                    \
                  "pipe " #id ": the latency is not a time above 0");                              \
    static_assert(takt_qos_of_##id.IObufsz <= 1048576, "pipe " #id ": the buffer is too large");   \
    static_assert(takt_qos_of_##id.IObufsz /                                                       \
                          static_cast<uint32_t>(takt_end_of_##id.attrs.max_pktsz) <                \
                      TAKT_RING_SLOTS,                                                             \
                  "pipe " #id ": the buffer holds 65534 packets at most, on AVR 254");             \
    static const struct takt_endpoint_attrs takt_attrs_of_##id TAKT_IN_FLASH_("attrs_" #id) =      \
        takt_end_of_##id.attrs;                                                                    \
    static struct takt_uart_line takt_line_of_##id = takt_end_of_##id.line;                        \
    struct takt_endpoint takt_endpoint_of_##id = {                                                 \
        &takt_attrs_of_##id,     takt_end_of_##id.ops,    nullptr,                                 \
        nullptr,                 takt_end_of_##id.name,   &takt_line_of_##id,                      \
        takt_end_of_##id.packet, takt_end_of_##id.direction, nullptr};                             \
    static char takt_items_of_##id[(takt_qos_of_##id.IObufsz /                                     \
                                        static_cast<uint32_t>(takt_end_of_##id.attrs.max_pktsz) +  \
                                    1) *                                                           \
                                   takt_end_of_##id.packet] __attribute__((aligned(4)));           \
    extern const struct takt_pipe_record takt_record_of_##id;                                      \
    struct takt_pipe takt_pipe_##id = TAKT_PIPE_INIT(                                              \
        takt::pipe_budget_us(takt_end_of_##id, takt_qos_of_##id),                                  \
        takt::pipe_period_us(takt_end_of_##id, takt_qos_of_##id), TAKT_PIPE_END_(id), nullptr,     \
        nullptr, &takt_record_of_##id.qos,                                                         \
        static_cast<takt_slot_t>(takt_qos_of_##id.IObufsz /                                        \
                                 static_cast<uint32_t>(takt_end_of_##id.attrs.max_pktsz)),         \
        takt_end_of_##id.packet, takt_items_of_##id, takt_end_of_##id.channel);                    \
    extern "C" {                                                                                   \
    stack;                                                                                         \
    }                                                                                              \
    TAKT_MARK_THREADS_;                                                                            \
    TAKT_SKETCH_THREAD_OF_(pipe_##id, "pipe " #id, takt_arduino_pipe,                              \
                           reinterpret_cast<void *>(takt_pipe_##id##_body),                        \
                           takt::pipe_period_us(takt_end_of_##id, takt_qos_of_##id), stack_end,    \
                           takt_pipe_##id.server)                                                  \
    extern const struct takt_pipe_record takt_record_of_##id TAKT_PIPE_SECTION = {                 \
        &takt_pipe_##id,     &takt_thread_pipe_##id, TAKT_PIPE_END_(id),                           \
        &takt_attrs_of_##id, takt_qos_of_##id,       takt_end_of_##id.channel};                    \
    static takt::PipeOf<takt_end_of_##id.packet> id(takt_pipe_##id);                               \
    void takt_pipe_##id##_body()

#define TAKT_PIPE_END_(id) takt::end_of(takt_end_of_##id, &takt_endpoint_of_##id)

#endif
