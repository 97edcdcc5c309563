/*
 * What a CAN controller can do.
 */
#ifndef TAKT_HARDWARE_CAN_H
#define TAKT_HARDWARE_CAN_H

#include "CanMsg.h"

enum class CanBitRate : long {
    BR_125k = 125000,
    BR_250k = 250000,
    BR_500k = 500000,
    BR_1000k = 1000000,
};

class HardwareCAN
{
  public:
    virtual ~HardwareCAN() {}

    virtual bool begin(CanBitRate rate) = 0;
    virtual void end() = 0;
    /* 1: the frame is to be sent; below 0: not. */
    virtual int write(const CanMsg &frame) = 0;
    virtual size_t available() = 0;
    /* The oldest frame, an empty one if there is none. */
    virtual CanMsg read() = 0;
};

namespace arduino
{
using ::HardwareCAN;
} // namespace arduino

#endif
