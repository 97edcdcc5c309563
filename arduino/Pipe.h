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
 * the device to the body (1 s unless said). From that follow the thread's budget and the period
 * within which the body is called, once at most, when there is something to do. It reads until
 * there is no more. For output it writes until there is no room.
 *
 * Inside and outside the body, `gps` is a takt::Pipe. pipe is a macro that counts its arguments, as
 * loop is: with any other number than three or four it expands to itself.
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

/* What is asked of a pipe, in packets. */
struct Qos {
    uint64_t rate; /* packets per second */
    uint32_t room; /* packets */
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
};

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

/* A driver for whom it is one takes this type; see uart_pipe.h. */
constexpr End uart_end(uint8_t port, uint32_t baud, const struct takt_endpoint_attrs &attrs,
                       const struct takt_endpoint_ops *ops, uint8_t direction)
{
    return {attrs,
            nullptr,
            ops,
            {port == 0 ? &takt_uart_port0 : &takt_uart_port1, baud, port},
            port == 0 ? "Serial" : "Serial1",
            1,
            direction,
            0};
}

constexpr uint64_t qos_bits(const End &end, const Qos &asked)
{
    return (asked.rate * static_cast<uint64_t>(asked.latency_us) *
                static_cast<uint64_t>(end.attrs.max_pktsz) * 8u +
            999999u) /
           1000000u;
}

constexpr struct takt_qos qos_of(const End &end, const Qos &asked)
{
    return {static_cast<uint64_t>(asked.latency_us) * 1000u, qos_bits(end, asked),
            uint64_t{asked.room} * static_cast<uint64_t>(end.attrs.max_pktsz),
            static_cast<uint64_t>(asked.exec_us) * 1000u};
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
constexpr takt::End uartIn(uint8_t port, uint32_t baud)
{
    return takt::uart_end(port, baud, TAKT_UART_IN_ATTRS(baud), &takt_uart_in_ops, TAKT_IN);
}
constexpr takt::End uartOut(uint8_t port, uint32_t baud)
{
    return takt::uart_end(port, baud, TAKT_UART_OUT_ATTRS(baud), &takt_uart_out_ops, TAKT_OUT);
}

constexpr takt::Qos qos(uint64_t rate, uint32_t room, takt::Duration exec,
                        takt::Duration latency = takt::Duration{1000000})
{
    return {rate, room, exec.us, latency.us};
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
                      __attribute__((aligned(8), section(".takt.stacks.pipe"))),                   \
                      TAKT_JOIN_(takt_stack_pipe_, id) + sizeof TAKT_JOIN_(takt_stack_pipe_, id))

/* What follows the `void` the user wrote. */
#define TAKT_PIPE_DEFINE_(id, end_, qos_, stack, stack_end)                                        \
    takt_pipe_##id##_body();                                                                       \
    constexpr takt::End takt_end_of_##id = end_;                                                   \
    constexpr struct takt_qos takt_qos_of_##id = takt::qos_of(takt_end_of_##id, qos_);             \
    static_assert(takt_end_of_##id.packet > 0, "pipe " #id ": no such endpoint");                  \
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
        &takt_pipe_##id, &takt_thread_pipe_##id, TAKT_PIPE_END_(id), &takt_attrs_of_##id,          \
        takt_qos_of_##id};                                                                         \
    static takt::Pipe id(takt_pipe_##id);                                                          \
    void takt_pipe_##id##_body()

#define TAKT_PIPE_END_(id)                                                                         \
    (takt_end_of_##id.shared ? takt_end_of_##id.shared : &takt_endpoint_of_##id)

#endif
