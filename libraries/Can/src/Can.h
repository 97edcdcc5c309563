/*
 * CAN by USB adapters (takt/can.h):
 *
 *     canAdapter(kvaser, hydra, 1_ms, 5_ms);        // budget of the thread that serves it
 *
 *     void pipe(engine, canIn(kvaser, 0), qos(400, 64, 500_us)) {
 *       CanFrame frame;
 *       while (engine.read(frame)) ...
 *     }
 *     void setup() { kvaser.open(0, 500000); }
 *
 * or without a pipe: kvaser.read(0, frame), in one loop for each channel. Kinds: hydra (Kvaser
 * USBcan Pro 5xHS), gs (candleLight and others of gs_usb). Channels are set once; an adapter that
 * is plugged in later, or again, gets its settings then. Frames are also written as they are, by
 * kvaser.write(1, frame); pipes out of it, canOut(kvaser, 1), need
 *
 *     canSender(kvaser, hydra, 1_ms, 6_ms);
 *
 * While pipes read an adapter only TAKT_CAN_DIRECT frames written without one are on their way at
 * once, for their acknowledgements take room of what comes: more is sent by a pipe.
 * USB's bottom half has 1 % of the CPU; where that is too little, usbShare(4_ms, 100_ms).
 */
#ifndef TAKT_LIBRARY_CAN_H
#define TAKT_LIBRARY_CAN_H

#include <Takt.h>

#ifndef ARDUINO_TAKT_PC
#error "Can: this board has no USB"
#endif

#include <takt/can.h>

using CanFrame = takt_can_frame;

namespace takt
{

class CanAdapter
{
  public:
    constexpr explicit CanAdapter(struct takt_can_adapter &adapter) : adapter_(adapter) {}
    CanAdapter(const CanAdapter &) = delete;

    /* Puts a channel on the bus. 0, TAKT_EGONE: when the adapter comes; else why not. */
    int open(uint8_t channel, uint32_t bitRate, uint8_t mode = 0)
    {
        return takt_can_open(&adapter_, channel, bitRate, mode);
    }
    int close(uint8_t channel) { return takt_can_close(&adapter_, channel); }
    /* The next frame of a channel that no pipe carries; false: none. */
    bool read(uint8_t channel, CanFrame &frame)
    {
        return takt_can_read(&adapter_, channel, &frame) == TAKT_OK;
    }
    /* Waits for one. */
    bool wait(uint8_t channel, Duration longest)
    {
        return takt_can_wait(&adapter_, channel, static_cast<uint32_t>(longest.us)) == TAKT_OK;
    }
    /* Hands a frame over; false: no room, bus-off, not open. takt_can_write() says which. */
    bool write(uint8_t channel, const CanFrame &frame)
    {
        return takt_can_write(&adapter_, channel, &frame) == TAKT_OK;
    }
    /* Channels of the adapter; 0: it is not there. */
    uint8_t channels() const { return takt_can_channels(&adapter_); }
    /* enum takt_can_state. */
    int state(uint8_t channel) const { return takt_can_state(&adapter_, channel); }
    struct takt_can_counters counters(uint8_t channel) const
    {
        struct takt_can_counters found;
        (void)takt_can_count(&adapter_, channel, &found);
        return found;
    }
    /* Of the adapter: what did not concern one channel, or no message says which. */
    struct takt_can_adapter_counters counters() const
    {
        struct takt_can_adapter_counters found;
        (void)takt_can_adapter_count(&adapter_, &found);
        return found;
    }
    /* How often frames were lost, or may have been, anywhere on the way in; and on the way out. */
    uint32_t lost() const { return takt_can_lost(&adapter_); }
    uint32_t unsent() const { return takt_can_unsent(&adapter_); }
    struct takt_can_adapter *raw() { return &adapter_; }

  private:
    struct takt_can_adapter &adapter_;
};

} // namespace takt

enum { CAN_KIND_hydra, CAN_KIND_gs };

#define CAN_C_AND_T_(name, c, t)                                                                   \
    static_assert(takt::can_us(c) > 0 && takt::can_us(c) <= takt::can_us(t),                       \
                  name ": C must be above 0 and at most T")

/* An adapter `id` (takt::CanAdapter); C and T of its thread, plain numbers are ms: at file
 * scope. */
#define canAdapter(id, kind, c, t)                                                                 \
    CAN_C_AND_T_("canAdapter " #id, c, t);                                                         \
    TAKT_CAN_ADAPTER(can_##id, kind, takt::can_us(c), takt::can_us(t));                            \
    enum { can_kind_of_##id = CAN_KIND_##kind };                                                   \
    static takt::CanAdapter id(can_##id)

/* Its thread for pipes out of it, in the same file. */
#define canSender(id, kind, c, t)                                                                  \
    CAN_C_AND_T_("canSender " #id, c, t);                                                          \
    TAKT_CAN_SENDER(can_##id, kind, takt::can_us(c), takt::can_us(t));                             \
    static_assert(static_cast<int>(can_kind_of_##id) == CAN_KIND_##kind,                           \
                  "canSender " #id ": its adapter is of another kind")

/* The share of USB's bottom half, C per T: at file scope. */
#define usbShare(c, t)                                                                             \
    CAN_C_AND_T_("usbShare", c, t);                                                                \
    extern const struct takt_io_share can_usb_share TAKT_IO_SHARE_SECTION = {                      \
        &takt_io_usb, takt::can_us(c), takt::can_us(t)}
extern "C" struct takt_io_vcpu takt_io_usb;

/* Endpoints for pipe(). */
#define canIn(id, channel)                                                                         \
    takt::can_end(can_##id##_in_attrs, can_##id##_in, can_in_ops, #id " in", TAKT_IN, channel)
#define canOut(id, channel)                                                                        \
    takt::can_end(can_##id##_out_attrs, can_##id##_out, can_out_ops, #id " out", TAKT_OUT, channel)

namespace takt
{

/* 0: no time, or one that no thread can have. */
constexpr uint32_t can_us(Span given)
{
    return given.us < 0 || given.us > TAKT_PERIOD_MAX ? 0u : static_cast<uint32_t>(given.us);
}

constexpr End can_end(const struct takt_endpoint_attrs &attrs, struct takt_endpoint &end,
                      const struct takt_endpoint_ops &ops, const char *name, uint8_t direction,
                      Figure channel)
{
    return {attrs,     &end,       &ops, {nullptr, 0, 0}, name, sizeof(CanFrame),
            direction, end_channel(channel)};
}

} // namespace takt

#endif
