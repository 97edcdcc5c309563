/*
 * Drivers that are tables: what a sketch did to pins and ports, and what it sees there.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct FakeBoard {
    struct Pin {
        int mode = -1, level = 0;
        bool written = false;
        uint32_t pwm_hz = 0; /* 0: not driven by PWM */
        uint16_t duty = 0;
        int adc = 0;
        int interrupts = 0; /* taken for the pin */
    };
    struct Port {
        bool open = false;
        uint32_t baud = 0;
        int data = 0, parity = 0, stop = 0;
        std::string sent, waiting; /* waiting: received and not yet read */
    };
    struct Write {
        uint64_t at;
        uint8_t pin;
        bool level;
    };
    static constexpr uint8_t NO_EDGES = 29; /* this pin has no interrupts */
    Pin pin[30];
    Port port[2];
    std::vector<Write> writes; /* of outputs, in order */
    uint32_t us_per_byte = 0;  /* serial output: how long a sender waits for each byte */
    uint32_t us_per_interrupt = 0;
    uint64_t uptime_offset = 0;

    /* An outside signal at virtual time `at`. */
    void drive(uint8_t number, bool level, uint64_t at);
    /* Bytes arrive at virtual time `at`. */
    void receive(uint8_t number, std::string bytes, uint64_t at);
};

/* Fresh with every reset_board(). */
extern FakeBoard board;
void reset_board();
