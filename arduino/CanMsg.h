/*
 * A CAN frame as libraries of Arduino pass it on: classic, of data.
 */
#ifndef TAKT_CAN_MSG_H
#define TAKT_CAN_MSG_H

#include <stdint.h>
#include <string.h>

#include "Print.h"
#include "Printable.h"

class CanMsg : public Printable
{
  public:
    static constexpr uint8_t MAX_DATA_LENGTH = 8;
    static constexpr uint32_t CAN_EFF_FLAG = 0x80000000u; /* in `id`: an extended one, of 29 bits */
    static constexpr uint32_t CAN_SFF_MASK = 0x7FFu;
    static constexpr uint32_t CAN_EFF_MASK = 0x1FFFFFFFu;

    CanMsg() : CanMsg(0, 0, nullptr) {}
    /* What is longer than a frame is cut; NULL: zeros. */
    CanMsg(uint32_t identifier, uint8_t length, const uint8_t *bytes)
        : id(identifier), data_length(length < MAX_DATA_LENGTH ? length : +MAX_DATA_LENGTH), data()
    {
        if (bytes)
            memcpy(data, bytes, data_length);
    }

    uint32_t getStandardId() const { return id & CAN_SFF_MASK; }
    uint32_t getExtendedId() const { return id & CAN_EFF_MASK; }
    bool isStandardId() const { return !isExtendedId(); }
    bool isExtendedId() const { return (id & CAN_EFF_FLAG) != 0; }

    /* [123] (2) : 01FF */
    size_t printTo(Print &out) const override
    {
        size_t n = out.print('[') + print_hex(out, id & CAN_EFF_MASK, isExtendedId() ? 8 : 3);
        n += out.print("] (") + out.print(data_length) + out.print(") : ");
        for (uint8_t i = 0; i < data_length; i++)
            n += print_hex(out, data[i], 2);
        return n;
    }

    uint32_t id;
    uint8_t data_length;
    uint8_t data[MAX_DATA_LENGTH];

  private:
    static size_t print_hex(Print &out, uint32_t value, int digits)
    {
        size_t n = 0;
        while (digits-- > 0)
            n += out.print(static_cast<unsigned>(value >> 4 * digits & 15u), HEX);
        return n;
    }
};

inline uint32_t CanStandardId(uint32_t id)
{
    return id & CanMsg::CAN_SFF_MASK;
}

inline uint32_t CanExtendedId(uint32_t id)
{
    return CanMsg::CAN_EFF_FLAG | (id & CanMsg::CAN_EFF_MASK);
}

namespace arduino
{
using ::CanMsg;
using ::CanStandardId;
using ::CanExtendedId;
} // namespace arduino

#endif
