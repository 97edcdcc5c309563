/*
 * The model's transfers: what it does with the blocks of an endpoint's ring, a packet at a time.
 */
#include "controller.h"

#include "usb_io.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

enum { DISABLED, RUNNING, HALTED, STOPPED };
enum { NORMAL = 1, SETUP, DATA, STATUS, ISOCH, LINK, NO_OP = 8 };
enum { SHORT = 4, CHAIN = 0x10, IOC = 0x20, IN = 0x10000 };

static int type_of(const Trb &trb) { return trb.control >> 10 & 63; }
static uint32_t length_of(const Trb &trb) { return trb.status & 0x1FFFF; }

void Controller::look_again()
{
    for (auto &[slot, s] : slots)
        for (auto &[dci, e] : s.endpoints)
            if (e.rung)
                kick(slot, dci);
}

void Controller::kick(int slot, int dci)
{
    if (!running_ || gone || !slots[slot].enabled || !slots[slot].endpoints.count(dci))
        return;
    Endpoint &e = slots[slot].endpoints[dci];
    int state = state_of(slot, dci);
    if (e.busy || state == HALTED || state == DISABLED)
        return;
    set_state_late(slot, dci, RUNNING);
    e.busy = true;
    bool periodic = e.type == 1 || e.type == 5 || e.type == 3 || e.type == 7;
    later(periodic ? e.interval * 125 : packet_us, [this, slot, dci] { step(slot, dci); });
}

void Controller::step(int slot, int dci)
{
    if (!slots[slot].endpoints.count(dci))
        return;
    Endpoint &e = slots[slot].endpoints[dci];
    e.busy = false;
    if (state_of(slot, dci) != RUNNING)
        return;
    Trb trb = read(e.at);
    while ((trb.control & 1) == e.cycle && type_of(trb) == LINK) {
        e.at = trb.parameter;
        if (trb.control & 2)
            e.cycle = !e.cycle;
        trb = read(e.at);
    }
    if ((trb.control & 1) != e.cycle) {
        if (e.type == 1 || e.type == 5)
            event(slot, dci, e.type == 1 ? 14 : 15, 0, 0);
        e.rung = e.type == 1 || e.type == 5 ? false : e.rung;
        return;
    }
    bool more = false;
    switch (type_of(trb)) {
    case SETUP: more = step_setup(slot, dci, trb); break;
    case STATUS: more = step_status(slot, dci, trb); break;
    case ISOCH: more = isoch(slot, dci, trb); break;
    case NORMAL:
    case DATA: more = step_data(slot, dci, trb); break;
    default: ADD_FAILURE() << "block of type " << type_of(trb);
    }
    if (more)
        kick(slot, dci);
}

/* To the next block, over links. */
void Controller::advance(Endpoint &e)
{
    e.at += 16;
    e.offset = 0;
    Trb trb = read(e.at);
    if (type_of(trb) == LINK && (trb.control & 1) == e.cycle) {
        e.at = trb.parameter;
        if (trb.control & 2)
            e.cycle = !e.cycle;
    }
}

/* Behind the transfer. */
void Controller::skip_rest(Endpoint &e)
{
    while (read(e.at).control & CHAIN)
        advance(e);
    advance(e);
}

bool Controller::halt(int slot, int dci, int code)
{
    Endpoint &e = slots[slot].endpoints[dci];
    Trb trb = read(e.at);
    set_state_late(slot, dci, HALTED);
    bool buffered = e.type == 4 || e.type == 2 || e.type == 6;
    if (slots[slot].tt & 0xFFFF && buffered && !(e.type == 4 && code == 6))
        e.in_translator = e.type == 4 ? 3 : 1 << (dci & 1);
    event(slot, dci, code, length_of(trb) - std::min(length_of(trb), e.offset), e.at);
    return false;
}

/* Are both sides at the same packet number? A packet with another is taken for the one before, and
 * acknowledged (USB 2.0, 8.6). */
bool Controller::agree(Endpoint &e, Gadget *gadget, uint8_t address)
{
    bool &theirs = gadget->toggle[address];
    bool agreed = e.toggle == theirs;
    bool theirs_moves = address & 0x80 || agreed, ours_moves = !(address & 0x80) || agreed;
    theirs = theirs != theirs_moves;
    e.toggle = e.toggle != ours_moves;
    mismatched += !agreed;
    return agreed;
}

bool Controller::step_setup(int slot, int dci, const Trb &trb)
{
    Endpoint &e = slots[slot].endpoints[dci];
    Gadget *gadget = gadget_of(slots[slot]);
    EXPECT_EQ(length_of(trb), 8u);
    EXPECT_TRUE(trb.control & 0x40);
    memcpy(e.setup, &trb.parameter, 8);
    uint16_t length = static_cast<uint16_t>(e.setup[6] | e.setup[7] << 8);
    EXPECT_EQ(trb.control >> 16 & 3, length == 0 ? 0u : e.setup[0] & 0x80 ? 3u : 2u);
    if (!gadget)
        return halt(slot, dci, 4);
    if (gadget->silent)
        return false;
    e.control.clear();
    e.failed = false;
    if (e.setup[0] & 0x80 || length == 0) {
        Packet answer = gadget->setup(e.setup);
        if (answer.answer == Answer::Error)
            return halt(slot, dci, 4);
        if (answer.answer == Answer::Nak)
            return false;
        e.failed = answer.answer == Answer::Stall;
        e.control = answer.data;
    }
    advance(e);
    return true;
}

bool Controller::step_status(int slot, int dci, const Trb &trb)
{
    Endpoint &e = slots[slot].endpoints[dci];
    Gadget *gadget = gadget_of(slots[slot]);
    bool in = e.setup[0] & 0x80;
    uint16_t length = static_cast<uint16_t>(e.setup[6] | e.setup[7] << 8);
    EXPECT_EQ(!!(trb.control & IN), !(in && length > 0));
    if (!gadget)
        return halt(slot, dci, 4);
    if (e.failed || (!in && length > 0 && gadget->finish(e.setup, e.control) == Answer::Stall))
        return halt(slot, dci, 6);
    uint64_t at = e.at;
    advance(e);
    if (trb.control & IOC)
        event(slot, dci, 1, 0, at);
    return true;
}

bool Controller::step_data(int slot, int dci, const Trb &trb)
{
    uint64_t begin = trb.parameter, end = trb.parameter + length_of(trb);
    EXPECT_TRUE(length_of(trb) == 0 || begin >> 16 == (end - 1) >> 16) << "data across 64 KB";
    Endpoint &e = slots[slot].endpoints[dci];
    if (e.failed)
        return halt(slot, dci, 6);
    bool in = e.type == 4 ? e.setup[0] & 0x80 : e.type >= 5;
    return in ? data_in(slot, dci) : data_out(slot, dci);
}

/* Bytes that the transfer has still room for. */
static uint32_t room(const std::function<Trb(uint64_t)> &read, uint64_t at, uint32_t offset)
{
    uint32_t sum = 0;
    for (;; at += 16) {
        Trb trb = read(at);
        if (type_of(trb) == LINK) {
            at = trb.parameter - 16;
            continue;
        }
        sum += length_of(trb);
        if (!(trb.control & CHAIN))
            return sum - offset;
    }
}

bool Controller::data_in(int slot, int dci)
{
    Endpoint &e = slots[slot].endpoints[dci];
    Gadget *gadget = gadget_of(slots[slot]);
    Packet packet;
    if (!gadget)
        return halt(slot, dci, 4);
    if (e.type == 4) {
        size_t n = std::min<size_t>(e.control.size(), e.max_packet);
        packet = {Answer::Data, Bytes(e.control.begin(), e.control.begin() + static_cast<long>(n))};
        e.control.erase(e.control.begin(), e.control.begin() + static_cast<long>(n));
    } else {
        uint8_t from = static_cast<uint8_t>(0x80 | dci / 2);
        packet = gadget->poll(from, e.max_packet);
        if (packet.answer == Answer::Data && !agree(e, gadget, from))
            return true;
    }
    switch (packet.answer) {
    case Answer::Nak: return false;
    case Answer::Stall: return halt(slot, dci, 6);
    case Answer::Error: return halt(slot, dci, 4);
    case Answer::Babble: return halt(slot, dci, 3);
    case Answer::Data: break;
    }
    if (packet.data.size() > room([this](uint64_t a) { return read(a); }, e.at, e.offset) ||
        packet.data.size() > e.max_packet)
        return halt(slot, dci, 3);
    bool is_short = packet.data.size() < e.max_packet;
    size_t pos = 0;
    for (;;) {
        Trb trb = read(e.at);
        uint32_t n = std::min<uint32_t>(length_of(trb) - e.offset,
                                        static_cast<uint32_t>(packet.data.size() - pos));
        if (n > 0)
            memcpy(memory(trb.parameter) + e.offset, packet.data.data() + pos, n);
        e.offset += n;
        pos += n;
        bool filled = e.offset == length_of(trb), last = !(trb.control & CHAIN);
        if (is_short && pos == packet.data.size() && !(filled && last)) {
            uint32_t left = length_of(trb) - e.offset;
            uint64_t at = e.at;
            skip_rest(e);
            if (trb.control & (SHORT | IOC))
                event(slot, dci, 13, left, at);
            return true;
        }
        if (!filled)
            return true;
        uint64_t at = e.at;
        advance(e);
        if (trb.control & IOC)
            event(slot, dci, 1, 0, at);
        if (last || pos == packet.data.size())
            return true;
    }
}

bool Controller::data_out(int slot, int dci)
{
    Endpoint &e = slots[slot].endpoints[dci];
    Gadget *gadget = gadget_of(slots[slot]);
    if (!gadget)
        return halt(slot, dci, 4);
    uint32_t left = room([this](uint64_t a) { return read(a); }, e.at, e.offset);
    Bytes data(std::min<uint32_t>(left, e.max_packet));
    uint64_t from = e.at;
    uint32_t offset = e.offset;
    for (size_t pos = 0; pos < data.size();) { /* gathers */
        Trb trb = read(from);
        if (type_of(trb) == LINK) {
            from = trb.parameter;
            continue;
        }
        uint32_t n = std::min<uint32_t>(length_of(trb) - offset,
                                        static_cast<uint32_t>(data.size() - pos));
        memcpy(data.data() + pos, memory(trb.parameter) + offset, n);
        pos += n;
        from += 16;
        offset = 0;
    }
    if (e.type == 4) {
        e.control.insert(e.control.end(), data.begin(), data.end());
    } else {
        uint8_t to = static_cast<uint8_t>(dci / 2);
        switch (e.toggle == gadget->toggle[to] ? gadget->take(to, data) : Answer::Data) {
        case Answer::Nak: return false;
        case Answer::Stall: return halt(slot, dci, 6);
        case Answer::Error: return halt(slot, dci, 4);
        case Answer::Babble: return halt(slot, dci, 3);
        case Answer::Data: (void)agree(e, gadget, to); break;
        }
    }
    size_t pos = 0;
    for (;;) {
        Trb trb = read(e.at);
        uint32_t n = std::min<uint32_t>(length_of(trb) - e.offset,
                                        static_cast<uint32_t>(data.size() - pos));
        e.offset += n;
        pos += n;
        if (e.offset < length_of(trb))
            return true;
        uint64_t at = e.at;
        bool last = !(trb.control & CHAIN);
        advance(e);
        if (trb.control & IOC)
            event(slot, dci, 1, 0, at);
        if (last || pos == data.size())
            return true;
    }
}

/* One packet an interval, in one block or two; nothing is tried again. */
bool Controller::isoch(int slot, int dci, const Trb &trb)
{
    Endpoint &e = slots[slot].endpoints[dci];
    Gadget *gadget = gadget_of(slots[slot]);
    EXPECT_TRUE(trb.control & 0x80000000u);
    uint32_t length = room([this](uint64_t a) { return read(a); }, e.at, 0);
    uint64_t at = e.at;
    EXPECT_LE(length, e.max_packet * (e.burst + 1));
    if (miss > 0) {
        miss--;
        event(slot, dci, 23, 0, 0);
        skip_rest(e);
        return true;
    }
    Packet packet = {Answer::Data, {}};
    if (gadget && e.type == 5)
        packet = gadget->poll(static_cast<uint8_t>(0x80 | dci / 2), e.max_packet);
    if (packet.answer == Answer::Error || !gadget) {
        skip_rest(e);
        event(slot, dci, 4, length, at);
        return true;
    }
    Bytes data(length);
    size_t pos = 0;
    for (bool chained = true; chained;) {
        Trb block = read(e.at);
        uint32_t n = length_of(block);
        chained = block.control & CHAIN;
        at = e.at;
        if (e.type == 1) {
            std::copy_n(memory(block.parameter), n, data.begin() + static_cast<long>(pos));
        } else {
            size_t come = packet.data.size();
            size_t have = come > pos ? std::min<size_t>(n, come - pos) : 0;
            if (have > 0)
                memcpy(memory(block.parameter), packet.data.data() + pos, have);
            if (have < n) {
                skip_rest(e);
                event(slot, dci, 13, n - static_cast<uint32_t>(have), at);
                return true;
            }
        }
        pos += n;
        advance(e);
        if (block.control & IOC)
            event(slot, dci, 1, 0, at);
    }
    if (e.type == 1)
        gadget->take(static_cast<uint8_t>(dci / 2), data);
    return true;
}
