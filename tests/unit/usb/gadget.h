/*
 * Devices to plug into the model: what a device answers on the wire, packet by packet.
 */
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

using Bytes = std::vector<uint8_t>;

enum class Answer { Data, Nak, Stall, Babble, Error };

struct Packet {
    Answer answer = Answer::Nak;
    Bytes data;
};

class Gadget {
public:
    virtual ~Gadget() = default;
    int speed = 3; /* PORTSC's */

    Bytes device;
    Bytes configuration;
    std::map<uint8_t, std::deque<Packet>> in; /* what it will answer, by endpoint address */
    std::map<uint8_t, std::vector<Bytes>> out;
    std::map<uint8_t, Answer> out_answer; /* else Data: taken */
    std::map<uint8_t, int> out_answers;   /* how often, then as without */
    int cleared = 0;
    int forgotten = 0;
    int clear_fails = 0; /* so often CLEAR_FEATURE is answered with the next one */
    Answer clear_answer = Answer::Stall;
    std::map<uint8_t, bool> toggle; /* number of the next packet, by endpoint address */
    uint8_t configured = 0;
    std::map<uint8_t, uint8_t> settings;
    Answer control_answer = Answer::Data; /* of what comes next */
    int control_answers = 0;
    bool silent = false; /* answers nothing, ever */
    std::vector<Bytes> received; /* data of vendor requests OUT */

    /* A request; what it answers. */
    virtual Packet setup(const uint8_t *raw);
    /* All of a request OUT has come. */
    virtual Answer finish(const uint8_t *raw, const Bytes &data);
    virtual Packet poll(uint8_t address, uint16_t max_packet);
    Answer take(uint8_t address, const Bytes &data);
    /* It has been reset. */
    virtual void forget();

    /* Data of any length, to be answered in packets. */
    void give(uint8_t address, const Bytes &data, uint16_t max_packet);
    void answer(uint8_t address, Answer what) { in[address].push_back({what, {}}); }
    std::function<void()> changed; /* the model's: there may be an answer now */
};

/* Endpoint descriptors; attributes: 1 isochronous, 2 bulk, 3 interrupt. */
Bytes endpoint(uint8_t address, uint8_t attributes, uint16_t size, uint8_t interval);
Bytes interface(uint8_t number, uint8_t alternate, uint8_t class_code,
                const std::vector<Bytes> &endpoints);
Bytes configuration(const std::vector<Bytes> &parts);
Bytes device_descriptor(uint8_t max_packet, uint8_t class_code = 0, uint16_t vendor = 0x1234);

/* Bulk 1 IN and OUT, interrupt 2 IN (4 ms), and as second setting of interface 0 isochronous 3. */
void fill_in(Gadget &gadget);

/* A hub of high speed with four ports. */
class HubGadget : public Gadget {
public:
    HubGadget();
    Packet setup(const uint8_t *raw) override;
    Packet poll(uint8_t address, uint16_t max_packet) override;
    void forget() override;
    void plug(int port, Gadget *gadget);
    void unplug(int port) { plug(port, nullptr); }
    Gadget *ports[5] = {};
    uint32_t status[5] = {};
    uint8_t pending = 0;
    int resets = 0, stalls = 0;
    uint8_t own = 0; /* changes of its own power: bit 0 lost, bit 1 too much current */
    int polls = 0, powered = 0;
    int buffers_cleared = 0;
    bool keeps_buffers = false; /* never answers when it is to clear one */
    std::function<void(uint16_t, uint16_t)> clear_buffer; /* the model's */
};
