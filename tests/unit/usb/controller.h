/*
 * A model of an xHCI controller (xHCI 1.2), written from the specification and independent of the
 * driver: registers, rings, contexts, commands, transfers packet by packet, ports, in virtual time.
 * What software must not do fails the test.
 */
#pragma once

#include "gadget.h"

#include <map>
#include <set>

struct Trb {
    uint64_t parameter;
    uint32_t status, control;
};

class Controller {
public:
    static constexpr uintptr_t BASE = 0xFE900000u;
    static constexpr int PORTS = 8; /* 5..8 are SuperSpeed */

    explicit Controller(int context_bytes = 32, int scratchpads = 0);
    ~Controller();

    uint32_t get(uintptr_t offset);
    void set(uintptr_t offset, uint32_t value);
    std::function<void()> interrupt; /* a message */

    void plug(int port, Gadget *gadget);
    void unplug(int port);
    /* To be called after a gadget has something to answer. */
    void look_again();

    /* Faults. */
    std::set<int> hang;     /* types of commands that are not answered, only aborted */
    bool deaf = false;      /* does not even abort */
    bool gone = false;      /* every register reads as ones */
    bool dies = false;      /* reset does not end */
    int miss = 0; /* isochronous packets to leave out */
    bool refuses = false; /* commands about an endpoint's state */
    int refuse_configure = 0; /* code for the next Configure Endpoint */
    void fail() { status_ |= 0x4u | 0x1u; running_ = false; } /* towards memory */
    void post(const Trb &event); /* any event */
    void forget_all(); /* hubs have no transactions any more */
    void halt_unnamed(int slot, int dci); /* an endpoint, and its event names no block */
    bool firmware = false; /* has the controller, lets go when asked */

    /* What has happened. */
    std::map<int, int> commands; /* by type */
    int interrupts = 0;
    int full = 0;      /* events that had to wait */
    int doorbells = 0;
    int transfers_in_ring = 0;
    uint32_t command_us = 20, packet_us = 10;
    uint32_t access_us = 0; /* what a register costs a thread */
    uint32_t doorbell_us = 0; /* until a stopped endpoint runs that has been rung for */
    uint32_t context_us = 0;  /* until a context says that its endpoint runs, or has halted */
    int refused = 0;          /* commands in a state that does not suit them */
    int refused_placing = 0;  /* of these, Set TR Dequeue Pointer */
    int mismatched = 0;       /* packets with the number of the one before: lost */

    struct Endpoint {
        uint64_t at = 0;    /* bus address of the next block */
        bool cycle = true;
        uint32_t offset = 0; /* bytes of it that are done */
        int state = 0;       /* its context may say so later */
        bool toggle = false; /* number of the next packet */
        int in_translator = 0; /* directions of it that its translator has to be told to forget */
        uint32_t moved = 0;  /* of the transfer */
        bool busy = false;   /* a packet is on its way */
        bool rung = false;
        int type = 0;
        uint16_t max_packet = 0;
        uint32_t interval = 0;
        uint32_t burst = 0;
        int errors = 0;
        uint8_t setup[8] = {};
        Bytes control; /* of a control transfer's data stage */
        bool failed = false;
    };
    struct Slot {
        bool enabled = false;
        int port = 0;
        uint32_t route = 0;
        std::map<int, Endpoint> endpoints;
        bool hub = false;
        uint32_t tt = 0;
    };
    std::map<int, Slot> slots;

private:
    uint8_t *memory(uint64_t bus) const;
    Trb read(uint64_t bus) const;
    uint32_t *context(int slot, int index) const;
    void set_state(int slot, int dci, int state);
    int state_of(int slot, int dci) const;
    void set_state_late(int slot, int dci, int state);
    void forget(uint16_t value, uint16_t index);
    int reset_endpoint(int slot, int dci, bool preserve);
    void reset();
    void write_operation(uintptr_t at, uint32_t value);
    void write_runtime(uintptr_t at, uint32_t value);
    void write_port(int port, uint32_t value);
    void reset_port(int port, bool warm);
    void port_event(int port);
    void raise();
    void flush();
    void put_event(Trb event);
    void later(uint32_t us, std::function<void()> fn);
    void run_commands();
    int execute(const Trb &command, int *slot);
    int configure(int slot, const Trb &command);
    int address(int slot, const Trb &command);
    void load_endpoint(int slot, int dci, const uint32_t *from);
    int stop(int slot, int dci);
    Gadget *gadget_of(const Slot &slot) const;
    void ring(int slot, int dci);
    void kick(int slot, int dci);
    void step(int slot, int dci);
    bool step_data(int slot, int dci, const Trb &trb);
    bool data_in(int slot, int dci);
    bool data_out(int slot, int dci);
    bool step_setup(int slot, int dci, const Trb &trb);
    bool step_status(int slot, int dci, const Trb &trb);
    bool isoch(int slot, int dci, const Trb &trb);
    bool halt(int slot, int dci, int code);
    bool agree(Endpoint &e, Gadget *gadget, uint8_t address);
    void advance(Endpoint &e);
    void skip_rest(Endpoint &e);
    void event(int slot, int dci, int code, uint32_t residue, uint64_t at);
    void abort();

    uint32_t command_ = 0, status_ = 1, config_ = 0;
    uint64_t contexts_ = 0, ring_ = 0, table_ = 0, dequeue_ = 0;
    uint32_t management_ = 0, segments_ = 0;
    bool busy_ = false; /* interrupter */
    bool running_ = false, ring_cycle_ = true, commanding_ = false, hung_ = false;
    uint64_t enqueue_ = 0, segment_ = 0;
    uint32_t size_ = 0;
    bool event_cycle_ = true, full_ = false;
    std::deque<Trb> waiting_;
    uint32_t ports_[PORTS + 1] = {};
    Gadget *plugged_[PORTS + 1] = {};
    int words_, scratchpads_;
    uint32_t legacy_ = 1;
    uint64_t epoch_ = 0; /* what was begun before a reset does not go on */
};

extern Controller *the_controller;
