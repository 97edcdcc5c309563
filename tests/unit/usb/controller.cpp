#include "controller.h"

#include "program.h"
#include "usb_io.h"

#include <cstring>
#include <gtest/gtest.h>

Controller *the_controller;

extern "C" uint32_t model_get(uintptr_t address)
{
    return the_controller->get(address - Controller::BASE);
}

extern "C" void model_set(uintptr_t address, uint32_t value)
{
    the_controller->set(address - Controller::BASE, value);
}

enum { OPERATION = 0x40, PORT_SET = 0x440, RUNTIME = 0x1000, DOORBELLS = 0x2000, EXTENDED = 0x500 };
enum { DISABLED, RUNNING, HALTED, STOPPED, ERROR };
enum { CCS = 1, PED = 2, PR = 0x10, PP = 0x200, CSC = 1 << 17, WRC = 1 << 19, PRC = 1 << 21 };

Controller::Controller(int context_bytes, int scratchpads)
    : words_(context_bytes / 4), scratchpads_(scratchpads)
{
    the_controller = this;
}

Controller::~Controller()
{
    the_controller = nullptr;
}

uint8_t *Controller::memory(uint64_t bus) const
{
    EXPECT_GE(bus, MODEL_BUS) << "an address that has not been translated";
    return reinterpret_cast<uint8_t *>(bus - MODEL_BUS);
}

Trb Controller::read(uint64_t bus) const
{
    Trb trb;
    memcpy(&trb, memory(bus), sizeof trb);
    return trb;
}

void Controller::later(uint32_t us, std::function<void()> fn)
{
    uint64_t epoch = epoch_;
    interrupt_at(sim_now() + us, [this, epoch, fn] {
        if (the_controller == this && epoch == epoch_ && !gone)
            fn();
    });
}

/* --- registers --- */

uint32_t Controller::get(uintptr_t at)
{
    if (access_us)
        sim_consume(access_us);
    if (gone)
        return 0xFFFFFFFF;
    if (at >= PORT_SET && at < PORT_SET + 16 * PORTS)
        return at % 16 == 0 ? ports_[(at - PORT_SET) / 16 + 1] : 0;
    switch (at) {
    case 0x00: return 0x01200000u | OPERATION;
    case 0x04: return PORTS << 24 | 1 << 8 | 32;
    case 0x08:
        return static_cast<uint32_t>(scratchpads_ & 31) << 27 |
               static_cast<uint32_t>(scratchpads_ >> 5) << 21;
    case 0x10: return EXTENDED / 4 << 16 | (words_ == 16 ? 4 : 0) | 1;
    case 0x14: return DOORBELLS;
    case 0x18: return RUNTIME;
    case OPERATION + 0x00: return command_;
    case OPERATION + 0x04: return status_;
    case OPERATION + 0x08: return 1;
    case OPERATION + 0x18: return commanding_ || hung_ ? 8 : 0;
    case OPERATION + 0x38: return config_;
    case RUNTIME + 0x20: return management_;
    case RUNTIME + 0x38: return static_cast<uint32_t>(dequeue_) | (busy_ ? 8 : 0);
    case EXTENDED: return 4 << 8 | legacy_ | (firmware ? 0x10000u : 0);
    case EXTENDED + 0x04: return 0;
    case EXTENDED + 0x10: return 0x02000000u | 4 << 8 | 2;
    case EXTENDED + 0x18: return 4 << 8 | 1;
    case EXTENDED + 0x20: return 0x03000000u | 2;
    case EXTENDED + 0x28: return 4 << 8 | 5;
    }
    ADD_FAILURE() << "read of register " << std::hex << at;
    return 0;
}

void Controller::set(uintptr_t at, uint32_t value)
{
    if (access_us)
        sim_consume(access_us);
    if (gone)
        return;
    if (at >= DOORBELLS && at < DOORBELLS + 4 * 33) {
        doorbells++;
        int slot = static_cast<int>(at - DOORBELLS) / 4;
        if (slot == 0 && running_ && !commanding_)
            commanding_ = true, later(command_us, [this] { run_commands(); });
        else if (slot > 0)
            ring(slot, static_cast<int>(value & 31));
        return;
    }
    if (at >= PORT_SET && at < PORT_SET + 16 * PORTS)
        return write_port(static_cast<int>(at - PORT_SET) / 16 + 1, value);
    if (at >= RUNTIME && at < DOORBELLS)
        return write_runtime(at - RUNTIME, value);
    if (at == EXTENDED) {
        if (value & 0x1000000u)
            firmware = false;
        return;
    }
    if (at == EXTENDED + 4)
        return;
    write_operation(at - OPERATION, value);
}

/* A doorbell. Until an endpoint that was stopped runs, some time may go by (4.8.3). */
void Controller::ring(int slot, int dci)
{
    Endpoint &e = slots[slot].endpoints[dci];
    EXPECT_EQ(e.in_translator, 0) << "what the hub still has of a transaction mixes with the next";
    auto runs = [this, slot, dci] {
        if (!slots[slot].endpoints.count(dci))
            return;
        slots[slot].endpoints[dci].rung = true;
        kick(slot, dci);
    };
    if (doorbell_us > 0 && e.state == STOPPED)
        later(doorbell_us, runs);
    else
        runs();
}

static void low(uint64_t &reg, uint32_t value)
{
    reg = (reg >> 32 << 32) | value;
}

static void high(uint64_t &reg, uint32_t value)
{
    reg = (reg & 0xFFFFFFFFu) | static_cast<uint64_t>(value) << 32;
}

void Controller::write_operation(uintptr_t at, uint32_t value)
{
    switch (at) {
    case 0x00:
        command_ = value;
        if (value & 2)
            return reset();
        running_ = value & 1;
        status_ = running_ ? status_ & ~1u : status_ | 1u;
        if (running_)
            for (int port = 1; port <= PORTS; port++)
                if (ports_[port] & CSC)
                    port_event(port);
        return;
    case 0x04:
        status_ &= ~(value & 0x1Cu);
        return;
    case 0x18:
        if (value & 4)
            return abort();
        EXPECT_FALSE(commanding_);
        low(ring_, value & ~0x3Fu);
        ring_cycle_ = value & 1;
        return;
    case 0x1C: return high(ring_, value);
    case 0x30: EXPECT_EQ(value & 63, 0u); return low(contexts_, value);
    case 0x34: return high(contexts_, value);
    case 0x38: EXPECT_FALSE(running_); config_ = value; return;
    }
    ADD_FAILURE() << "write to operation register " << std::hex << at;
}

void Controller::write_runtime(uintptr_t at, uint32_t value)
{
    switch (at) {
    case 0x20:
        management_ = (value & 2) | (management_ & ~value & 1);
        return;
    case 0x24: return;
    case 0x28: segments_ = value; EXPECT_EQ(value, 1u); return;
    case 0x30: EXPECT_EQ(value & 63, 0u); return low(table_, value);
    case 0x34:
        high(table_, value);
        memcpy(&segment_, memory(table_), 8);
        memcpy(&size_, memory(table_) + 8, 4);
        enqueue_ = segment_;
        event_cycle_ = true;
        return;
    case 0x38: {
        low(dequeue_, value & ~0xFu);
        full_ = false;
        if (value & 8)
            busy_ = false;
        flush();
        if ((value & 8) && dequeue_ != enqueue_ && segment_)
            raise();
        return;
    }
    case 0x3C: return high(dequeue_, value);
    }
    ADD_FAILURE() << "write to runtime register " << std::hex << at;
}

void Controller::reset()
{
    epoch_++;
    slots.clear();
    waiting_.clear();
    running_ = busy_ = full_ = commanding_ = hung_ = false;
    segment_ = enqueue_ = ring_ = contexts_ = 0;
    status_ = 1;
    management_ = config_ = 0;
    for (int port = 1; port <= PORTS; port++) {
        Gadget *there = plugged_[port];
        ports_[port] = there ? CCS | CSC : 0;
        if (there && port > 4)
            ports_[port] |= PED | static_cast<uint32_t>(there->speed) << 10;
    }
    if (!dies)
        command_ = 0;
}

/* --- ports --- */

void Controller::write_port(int port, uint32_t value)
{
    uint32_t &now = ports_[port];
    now &= ~(value & 0x00FE0000u);
    if (value & PED)
        now &= ~static_cast<uint32_t>(PED);
    now = (now & ~static_cast<uint32_t>(PP)) | (value & PP);
    if (value & PR)
        reset_port(port, false);
    if (value & 0x80000000u)
        reset_port(port, true);
}

void Controller::reset_port(int port, bool warm)
{
    ports_[port] |= PR;
    later(50000, [this, port, warm] {
        ports_[port] &= ~static_cast<uint32_t>(PR);
        if (plugged_[port]) {
            plugged_[port]->forget();
            ports_[port] = (ports_[port] & ~0x3DE0u) | PED |
                           static_cast<uint32_t>(plugged_[port]->speed) << 10;
        }
        ports_[port] |= warm ? WRC | PRC : PRC;
        port_event(port);
    });
}

void Controller::port_event(int port)
{
    if (running_)
        put_event({static_cast<uint64_t>(port) << 24, 1u << 24, 34u << 10});
}

void Controller::plug(int port, Gadget *gadget)
{
    plugged_[port] = gadget;
    gadget->changed = [this] { look_again(); };
    if (auto hub = dynamic_cast<HubGadget *>(gadget))
        hub->clear_buffer = [this](uint16_t value, uint16_t index) { forget(value, index); };
    ports_[port] |= CCS | CSC;
    if (port > 4)
        ports_[port] |= PED | static_cast<uint32_t>(gadget->speed) << 10;
    port_event(port);
}

void Controller::unplug(int port)
{
    plugged_[port] = nullptr;
    ports_[port] = (ports_[port] & ~static_cast<uint32_t>(CCS | PED)) | CSC;
    port_event(port);
    look_again();
}

Gadget *Controller::gadget_of(const Slot &slot) const
{
    Gadget *root = plugged_[slot.port];
    auto hub = dynamic_cast<HubGadget *>(root);
    if (slot.route == 0)
        return root;
    return hub && slot.route <= 4 ? hub->ports[slot.route] : nullptr;
}

/* --- events --- */

void Controller::raise()
{
    if (busy_)
        return;
    busy_ = true;
    status_ |= 8;
    management_ |= 1;
    if (!(management_ & 2) || !(command_ & 4))
        return;
    management_ &= ~1u; /* as messages do */
    interrupts++;
    later(0, [this] {
        if (interrupt)
            interrupt();
    });
}

void Controller::put_event(Trb event)
{
    if (gone)
        return;
    waiting_.push_back(event);
    flush();
}

void Controller::post(const Trb &event)
{
    put_event(event);
}

void Controller::halt_unnamed(int slot, int dci)
{
    set_state(slot, dci, HALTED);
    event(slot, dci, 4, 0, slots[slot].endpoints[dci].at + 16);
}

void Controller::flush()
{
    bool any = false;
    while (!waiting_.empty() && !full_ && segment_) {
        uint64_t next = enqueue_ + 16 == segment_ + 16ull * size_ ? segment_ : enqueue_ + 16;
        uint64_t after = next + 16 == segment_ + 16ull * size_ ? segment_ : next + 16;
        Trb event = waiting_.front();
        if (after == dequeue_) { /* the last but one: it says that there is no room */
            event = {0, 21u << 24, 37u << 10};
            full_ = true;
            full++;
        } else {
            waiting_.pop_front();
        }
        event.control = (event.control & ~1u) | event_cycle_;
        memcpy(memory(enqueue_), &event, sizeof event);
        if (next == segment_)
            event_cycle_ = !event_cycle_;
        enqueue_ = next;
        any = true;
    }
    if (any)
        raise();
}

void Controller::event(int slot, int dci, int code, uint32_t residue, uint64_t at)
{
    put_event({at, static_cast<uint32_t>(code) << 24 | residue,
               static_cast<uint32_t>(slot) << 24 | static_cast<uint32_t>(dci) << 16 | 32u << 10});
}

/* --- commands --- */

void Controller::abort()
{
    if (deaf || !hung_)
        return;
    hung_ = commanding_ = false;
    later(command_us, [this] {
        put_event({ring_, 25u << 24, 33u << 10});
        ring_ += 16;
        put_event({ring_, 24u << 24, 33u << 10});
    });
}

void Controller::run_commands()
{
    commanding_ = false;
    if (!running_ || hung_)
        return;
    Trb trb = read(ring_);
    if ((trb.control & 1) != ring_cycle_)
        return;
    int type = trb.control >> 10 & 63;
    commanding_ = true;
    if (type == 6) {
        ring_ = trb.parameter;
        if (trb.control & 2)
            ring_cycle_ = !ring_cycle_;
    } else {
        commands[type]++;
        if (hang.count(type)) {
            hung_ = true;
            return;
        }
        int slot = static_cast<int>(trb.control >> 24);
        int code = execute(trb, &slot);
        put_event({ring_, static_cast<uint32_t>(code) << 24,
                   static_cast<uint32_t>(slot) << 24 | 33u << 10});
        ring_ += 16;
    }
    later(command_us, [this] { run_commands(); });
}

int Controller::execute(const Trb &trb, int *slot)
{
    int type = trb.control >> 10 & 63, dci = trb.control >> 16 & 31;
    if (type == 9) {
        for (int s = 1; s <= static_cast<int>(config_); s++)
            if (!slots[s].enabled) {
                slots[s] = Slot();
                slots[s].enabled = true;
                *slot = s;
                return 1;
            }
        return 9;
    }
    if (!slots[*slot].enabled)
        return 11;
    if (refuses && type >= 14 && type <= 16)
        return refused++, 19;
    switch (type) {
    case 10: slots[*slot] = Slot(); return 1;
    case 11: return address(*slot, trb);
    case 12:
    case 13: return configure(*slot, trb);
    case 14: return reset_endpoint(*slot, dci, trb.control >> 9 & 1);
    case 15: return stop(*slot, dci);
    case 16: {
        int state = state_of(*slot, dci);
        if (state != STOPPED && state != ERROR) {
            refused_placing++;
            return refused++, 19;
        }
        Endpoint &e = slots[*slot].endpoints[dci];
        e.at = trb.parameter & ~0xFull;
        e.cycle = trb.parameter & 1;
        e.offset = e.moved = 0;
        e.rung = e.failed = false;
        set_state(*slot, dci, STOPPED);
        return 1;
    }
    }
    ADD_FAILURE() << "command " << type;
    return 5;
}

uint32_t *Controller::context(int slot, int index) const
{
    uint64_t bus;
    memcpy(&bus, memory(contexts_) + 8 * slot, 8);
    EXPECT_EQ(bus & 63, 0u);
    EXPECT_LE((bus & 4095) + 32u * static_cast<unsigned>(words_) * 4u, 4096u)
        << "a context across pages";
    return reinterpret_cast<uint32_t *>(memory(bus)) + index * words_;
}

int Controller::state_of(int slot, int dci) const
{
    const auto &endpoints = slots.at(slot).endpoints;
    return endpoints.count(dci) ? endpoints.at(dci).state : DISABLED;
}

void Controller::set_state(int slot, int dci, int state)
{
    uint32_t *c = context(slot, dci);
    *c = (*c & ~7u) | static_cast<uint32_t>(state);
    slots[slot].endpoints[dci].state = state;
}

/* What no command has asked for shows in the context when the controller comes to it (4.8.3). */
void Controller::set_state_late(int slot, int dci, int state)
{
    if (context_us == 0 || slots[slot].endpoints[dci].state == state)
        return set_state(slot, dci, state);
    slots[slot].endpoints[dci].state = state;
    later(context_us, [this, slot, dci, state] {
        if (slots[slot].enabled && state_of(slot, dci) == state)
            set_state(slot, dci, state);
    });
}

/* Soft retry is not for isochronous endpoints, nor behind a transaction translator (4.6.8.1). */
int Controller::reset_endpoint(int slot, int dci, bool preserve)
{
    Endpoint &e = slots[slot].endpoints[dci];
    if (e.state != HALTED)
        return refused++, 19;
    if (preserve)
        EXPECT_EQ(slots[slot].tt & 0xFFFF, 0u) << "a soft retry behind a translator";
    else
        e.toggle = false;
    set_state(slot, dci, STOPPED);
    e.rung = false;
    return 1;
}

void Controller::forget_all()
{
    for (auto &[slot, s] : slots)
        for (auto &[dci, e] : s.endpoints)
            e.in_translator = 0;
}

/* A hub has been told to forget a transaction (USB 2.0, 11.24.2.3). */
void Controller::forget(uint16_t value, uint16_t index)
{
    int number = value & 15, address = value >> 4 & 0x7F, type = value >> 11 & 3, in = value >> 15;
    EXPECT_EQ(index, 1) << "the only translator of a hub that has one";
    EXPECT_TRUE(type == 0 || type == 2);
    EXPECT_EQ(type == 0, number == 0);
    int dci = number == 0 ? 1 : 2 * number + in;
    EXPECT_TRUE(slots.count(address) && slots[address].endpoints.count(dci));
    slots[address].endpoints[dci].in_translator &= ~(1 << in);
}

void Controller::load_endpoint(int slot, int dci, const uint32_t *from)
{
    Endpoint e;
    uint64_t ring = from[2] | static_cast<uint64_t>(from[3]) << 32;
    e.at = ring & ~0xFull;
    e.cycle = ring & 1;
    e.type = from[1] >> 3 & 7;
    e.max_packet = static_cast<uint16_t>(from[1] >> 16);
    e.interval = 1u << (from[0] >> 16 & 0xFF);
    e.burst = from[1] >> 8 & 0xFF;
    EXPECT_EQ(from[1] >> 1 & 3, e.type == 1 || e.type == 5 ? 0u : 3u);
    EXPECT_GT(e.max_packet, 0);
    EXPECT_NE(from[4] & 0xFFFF, 0u);
    uint32_t *to = context(slot, dci);
    memcpy(to, from, 20);
    slots[slot].endpoints[dci] = e;
    set_state(slot, dci, RUNNING);
}

int Controller::address(int slot, const Trb &trb)
{
    const auto *in = reinterpret_cast<const uint32_t *>(memory(trb.parameter));
    EXPECT_EQ(trb.parameter & 15, 0u);
    EXPECT_EQ(in[0], 0u);
    EXPECT_EQ(in[1], 3u);
    const uint32_t *s = in + words_;
    Slot &mine = slots[slot];
    mine.port = s[1] >> 16 & 0xFF;
    mine.route = s[0] & 0xFFFFF;
    mine.tt = s[2];
    Gadget *gadget = gadget_of(mine);
    EXPECT_EQ(s[0] >> 27, 1u);
    if (!gadget || gadget->silent)
        return 4;
    EXPECT_EQ(s[0] >> 20 & 15, static_cast<uint32_t>(gadget->speed));
    memcpy(context(slot, 0), s, 16);
    context(slot, 0)[3] = 2u << 27 | static_cast<uint32_t>(slot);
    load_endpoint(slot, 1, in + 2 * words_);
    return 1;
}

int Controller::configure(int slot, const Trb &trb)
{
    const auto *in = reinterpret_cast<const uint32_t *>(memory(trb.parameter));
    bool evaluates = (trb.control >> 10 & 63) == 13;
    uint32_t drop = in[0], add = in[1];
    if (evaluates) {
        EXPECT_EQ(drop, 0u);
        EXPECT_EQ(add, 2u);
        slots[slot].endpoints[1].max_packet = static_cast<uint16_t>(in[2 * words_ + 1] >> 16);
        return 1;
    }
    if (refuse_configure)
        return std::exchange(refuse_configure, 0);
    EXPECT_EQ(drop & 3, 0u);
    EXPECT_EQ(add & 3, 1u);
    for (int dci = 2; dci < 32; dci++)
        if (drop >> dci & 1) {
            EXPECT_NE(state_of(slot, dci), DISABLED);
            set_state(slot, dci, DISABLED);
            slots[slot].endpoints.erase(dci);
        }
    int last = 1;
    for (int dci = 2; dci < 32; dci++) {
        if (add >> dci & 1) {
            EXPECT_EQ(state_of(slot, dci), DISABLED);
            load_endpoint(slot, dci, in + (dci + 1) * words_);
        }
        if (state_of(slot, dci) != DISABLED)
            last = dci;
    }
    const uint32_t *s = in + words_;
    EXPECT_EQ(s[0] >> 27, static_cast<uint32_t>(last)) << "context entries";
    uint32_t kept = context(slot, 0)[3];
    memcpy(context(slot, 0), s, 12);
    context(slot, 0)[3] = kept;
    slots[slot].hub = s[0] >> 26 & 1;
    return 1;
}

int Controller::stop(int slot, int dci)
{
    if (state_of(slot, dci) != RUNNING)
        return refused++, 19;
    Endpoint &e = slots[slot].endpoints[dci];
    Trb trb = read(e.at);
    set_state(slot, dci, STOPPED);
    e.rung = false;
    if ((trb.control & 1) != e.cycle)
        return 1;
    uint32_t length = (trb.control >> 10 & 63) == 6 ? 0 : trb.status & 0x1FFFF;
    event(slot, dci, 26, length > e.offset ? length - e.offset : 0, e.at);
    return 1;
}
