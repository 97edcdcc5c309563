#include "gadget.h"

#include <algorithm>

Packet Gadget::setup(const uint8_t *raw)
{
    uint16_t value = static_cast<uint16_t>(raw[2] | raw[3] << 8);
    uint16_t index = static_cast<uint16_t>(raw[4] | raw[5] << 8);
    uint16_t length = static_cast<uint16_t>(raw[6] | raw[7] << 8);
    if (control_answers > 0 && control_answer != Answer::Data) {
        control_answers--;
        return {control_answer, {}};
    }
    auto cut = [&](const Bytes &all) {
        long n = std::min<long>(length, static_cast<long>(all.size()));
        return Packet{Answer::Data, Bytes(all.begin(), all.begin() + n)};
    };
    if (raw[0] == 0x80 && raw[1] == 6 && value >> 8 == 1)
        return cut(device);
    if (raw[0] == 0x80 && raw[1] == 6 && value >> 8 == 2)
        return cut(configuration);
    if (raw[0] == 0x00 && raw[1] == 9) {
        configured = static_cast<uint8_t>(value);
        toggle.clear();
        return {Answer::Data, {}};
    }
    if (raw[0] == 0x01 && raw[1] == 11) {
        settings[static_cast<uint8_t>(index)] = static_cast<uint8_t>(value);
        toggle.clear();
        return {Answer::Data, {}};
    }
    if (raw[0] == 0x02 && raw[1] == 1) {
        if (clear_fails > 0) {
            clear_fails--;
            return {clear_answer, {}};
        }
        cleared++;
        toggle[static_cast<uint8_t>(index)] = false;
        return {Answer::Data, {}};
    }
    if (raw[0] == 0xC0) { /* vendor: counts up */
        Bytes data(std::min<size_t>(length, value));
        for (size_t i = 0; i < data.size(); i++)
            data[i] = static_cast<uint8_t>(i);
        return {Answer::Data, data};
    }
    if (raw[0] == 0x40)
        return {Answer::Data, {}};
    return {Answer::Stall, {}};
}

void Gadget::forget()
{
    toggle.clear();
    settings.clear();
    configured = 0;
    clear_fails = 0;
    forgotten++;
}

Answer Gadget::finish(const uint8_t *, const Bytes &data)
{
    received.push_back(data);
    return Answer::Data;
}

Packet Gadget::poll(uint8_t address, uint16_t)
{
    auto &queue = in[address];
    if (queue.empty())
        return {};
    Packet packet = queue.front();
    queue.pop_front();
    return packet;
}

Answer Gadget::take(uint8_t address, const Bytes &data)
{
    if (out_answers[address] > 0) {
        out_answers[address]--;
        return out_answer[address];
    }
    out[address].push_back(data);
    return Answer::Data;
}

void Gadget::give(uint8_t address, const Bytes &data, uint16_t max_packet)
{
    for (size_t at = 0; at < data.size(); at += max_packet) {
        size_t end = std::min(data.size(), at + max_packet);
        in[address].push_back({Answer::Data, Bytes(data.begin() + static_cast<long>(at),
                                                   data.begin() + static_cast<long>(end))});
    }
    if (changed)
        changed();
}

Bytes endpoint(uint8_t address, uint8_t attributes, uint16_t size, uint8_t interval)
{
    return {7, 5, address, attributes, static_cast<uint8_t>(size), static_cast<uint8_t>(size >> 8),
            interval};
}

Bytes interface(uint8_t number, uint8_t alternate, uint8_t class_code,
                const std::vector<Bytes> &endpoints)
{
    uint8_t count = static_cast<uint8_t>(endpoints.size());
    Bytes all = {9, 4, number, alternate, count, class_code, 0, 0, 0};
    for (const Bytes &e : endpoints)
        all.insert(all.end(), e.begin(), e.end());
    return all;
}

Bytes configuration(const std::vector<Bytes> &parts)
{
    Bytes all = {9, 2, 0, 0, 1, 1, 0, 0x80, 50};
    for (const Bytes &part : parts)
        all.insert(all.end(), part.begin(), part.end());
    all[2] = static_cast<uint8_t>(all.size());
    all[3] = static_cast<uint8_t>(all.size() >> 8);
    return all;
}

Bytes device_descriptor(uint8_t max_packet, uint8_t class_code, uint16_t vendor)
{
    return {18,   1,    0x00, 2, class_code, 0, 0, max_packet, static_cast<uint8_t>(vendor),
            static_cast<uint8_t>(vendor >> 8), 0x78, 0x56, 0, 1, 0, 0, 0, 1};
}

void fill_in(Gadget &gadget)
{
    gadget.device = device_descriptor(64);
    gadget.configuration = configuration(
        {interface(0, 0, 0xFF,
                   {endpoint(0x81, 2, 512, 0), endpoint(0x01, 2, 512, 0),
                    endpoint(0x82, 3, 64, 6)}),
         interface(0, 1, 0xFF, {endpoint(0x83, 1, 192, 4), endpoint(0x03, 1, 192, 4)})});
}

HubGadget::HubGadget()
{
    device = device_descriptor(64, 9);
    Gadget::configuration = ::configuration({interface(0, 0, 9, {endpoint(0x81, 3, 1, 12)})});
}

Packet HubGadget::setup(const uint8_t *raw)
{
    int port = raw[4];
    if (raw[0] == 0xA0 && raw[1] == 6)
        return {Answer::Data, {9, 0x29, 4, 0, 0, 10, 0, 0, 0xFF}};
    if (raw[0] == 0xA0 && raw[1] == 0)
        return {Answer::Data, {0, 0, own, 0}};
    if (raw[0] == 0x20 && raw[1] == 1) {
        own = static_cast<uint8_t>(own & ~(1u << raw[2]));
        return {Answer::Data, {}};
    }
    powered += raw[0] == 0x23 && raw[1] == 3 && raw[2] == 8;
    if (raw[0] == 0xA3 && raw[1] == 0) {
        uint32_t s = status[port];
        return {Answer::Data, {static_cast<uint8_t>(s), static_cast<uint8_t>(s >> 8),
                               static_cast<uint8_t>(s >> 16), static_cast<uint8_t>(s >> 24)}};
    }
    if (raw[0] == 0x23 && raw[1] == 3 && raw[2] == 4 && ports[port]) { /* reset */
        status[port] |= 0x2u | 1u << 20;
        ports[port]->forget();
        resets++;
    }
    if (raw[0] == 0x23 && raw[1] == 8 && keeps_buffers)
        return {};
    if (raw[0] == 0x23 && raw[1] == 8) {
        buffers_cleared++;
        clear_buffer(static_cast<uint16_t>(raw[2] | raw[3] << 8),
                     static_cast<uint16_t>(raw[4] | raw[5] << 8));
    } else if (raw[0] == 0x23 && raw[1] == 1)
        status[port] &= ~(1u << raw[2]);
    if (raw[0] == 0x23)
        return {Answer::Data, {}};
    return Gadget::setup(raw);
}

Packet HubGadget::poll(uint8_t, uint16_t)
{
    if (stalls > 0) {
        stalls--;
        return {Answer::Stall, {}};
    }
    if (own)
        pending |= 1;
    if (pending == 0)
        return {};
    polls++;
    Packet packet = {Answer::Data, {pending}};
    pending = 0;
    return packet;
}

void HubGadget::forget()
{
    Gadget::forget();
    for (int port = 1; port <= 4; port++)
        if (ports[port])
            plug(port, ports[port]);
}

void HubGadget::plug(int port, Gadget *gadget)
{
    ports[port] = gadget;
    status[port] = 0x100u | 1u << 16;
    if (gadget)
        status[port] |= 1u | (gadget->speed == 2 ? 0x200u : gadget->speed == 3 ? 0x400u : 0);
    pending = static_cast<uint8_t>(pending | 1u << port);
    if (changed)
        changed();
}
