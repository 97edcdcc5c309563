#include "fake_board.h"

#include <functional>

#include "program.h"

#include <Arduino.h>
#include <takt/adc.h>
#include <takt/isr.h>
#include <takt/pin_events.h>
#include <takt/port.h>
#include <takt/pwm.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/uart.h>
#include <takt/uptime.h>

extern "C" {
#include "gpio/edges.h"
}

FakeBoard board;

namespace
{

struct Latch {
    unsigned enabled = 0, latched = 0;
} latches[30];

struct takt_sem arrived[2];

bool exists(uint8_t pin)
{
    return pin < 30;
}

} // namespace

void reset_board()
{
    board = FakeBoard();
    for (uint8_t pin = 0; pin < 30; pin++) {
        detachInterrupt(pin);
        latches[pin] = Latch();
    }
    for (auto &sem : arrived)
        sem = TAKT_SEM_BINARY_INIT(0);
}

namespace
{

unsigned pending(uint8_t pin)
{
    unsigned level = board.pin[pin].level ? TAKT_EDGE_HIGH : TAKT_EDGE_LOW;
    return (latches[pin].latched | level) & latches[pin].enabled;
}

/* As the handler of a chip: once for each pin that asks, until none does. */
void serve(uint8_t pin)
{
    for (int calls = 0; pending(pin) && calls < 100; calls++) {
        unsigned edges = pending(pin);
        takt_isr_enter();
        board.pin[pin].interrupts++;
        edges_seen_isr(pin, edges, takt_now());
        sim_consume(board.us_per_interrupt);
        edges_exit_isr(13);
    }
}

void ask(uint8_t pin)
{
    if (pending(pin))
        interrupt_at(sim_now(), [=] { serve(pin); });
}

} // namespace

void FakeBoard::drive(uint8_t number, bool level, uint64_t at)
{
    interrupt_at(at, [=, this] {
        bool was = pin[number].level != 0;
        pin[number].level = level;
        if (was != level)
            latches[number].latched |= level ? TAKT_EDGE_RISE : TAKT_EDGE_FALL;
        serve(number);
    });
}

void FakeBoard::receive(uint8_t number, std::string bytes, uint64_t at)
{
    interrupt_at(at, [=, this] {
        port[number].waiting += bytes;
        takt_sem_signal_isr(&arrived[number]);
    });
}

extern "C" {

int takt_gpio_mode(uint8_t pin, enum takt_gpio_mode mode)
{
    if (!exists(pin))
        return TAKT_EINVAL;
    board.pin[pin].mode = mode;
    board.pin[pin].pwm_hz = 0;
    return TAKT_OK;
}

int takt_gpio_write(uint8_t pin, bool high)
{
    if (!exists(pin))
        return TAKT_EINVAL;
    board.pin[pin].level = board.pin[pin].written = high;
    board.writes.push_back({sim_now(), pin, high});
    return TAKT_OK;
}

int takt_gpio_read(uint8_t pin)
{
    return exists(pin) ? board.pin[pin].level : static_cast<int>(TAKT_EINVAL);
}

bool edge_chip_has(uint8_t pin)
{
    return exists(pin) && pin != FakeBoard::NO_EDGES;
}

void edge_chip_enable(uint8_t pin, unsigned edges)
{
    latches[pin].enabled = edges;
    if (!port_in_isr())
        ask(pin);
}

unsigned edge_chip_latched(uint8_t pin)
{
    return latches[pin].latched;
}

void edge_chip_forget(uint8_t pin, unsigned edges)
{
    latches[pin].latched &= ~edges;
}

void edge_chip_pend()
{
    interrupt_at(sim_now(), [] {
        takt_isr_enter();
        edges_again_isr(takt_now());
        edges_exit_isr(13);
    });
}

int takt_pwm_write(uint8_t pin, uint32_t frequency_hz, uint16_t duty)
{
    if (!exists(pin) || frequency_hz < 8)
        return TAKT_EINVAL;
    board.pin[pin].pwm_hz = frequency_hz;
    board.pin[pin].duty = duty;
    return TAKT_OK;
}

int takt_pwm_stop(uint8_t pin)
{
    return exists(pin) ? (board.pin[pin].pwm_hz = 0, TAKT_OK) : TAKT_EINVAL;
}

int takt_adc_read(uint8_t pin)
{
    return pin >= 26 && exists(pin) ? board.pin[pin].adc : static_cast<int>(TAKT_EINVAL);
}

int takt_uart_open_linked(uint8_t port, uint32_t baud, uint8_t data_bits, uint8_t parity,
                          uint8_t stop_bits)
{
    board.port[port] = {true, baud, data_bits, parity, stop_bits, "", ""};
    return TAKT_OK;
}

int takt_uart_close(uint8_t port)
{
    board.port[port].open = false;
    return TAKT_OK;
}

/* Byte by byte, the sender asleep after each: the worst driver that keeps the contract. */
int takt_uart_write(uint8_t port, const void *data, size_t n)
{
    if (!board.port[port].open)
        return TAKT_EINVAL;
    for (size_t i = 0; i < n; i++) {
        board.port[port].sent += static_cast<const char *>(data)[i];
        if (board.us_per_byte)
            takt_sleep(board.us_per_byte);
    }
    return static_cast<int>(n);
}

bool takt_uart_put_locked(uint8_t, uint8_t)
{
    return false;
}

int takt_uart_free(uint8_t port)
{
    return board.port[port].open ? 256 : static_cast<int>(TAKT_EINVAL);
}

int takt_uart_flush(uint8_t)
{
    return TAKT_OK;
}

struct uart_port { /* only whether it is there matters */
} takt_uart_port0;

int takt_uart_available(uint8_t port)
{
    return static_cast<int>(board.port[port].waiting.size());
}

int takt_uart_peek(uint8_t port)
{
    std::string &waiting = board.port[port].waiting;
    return waiting.empty() ? -1 : static_cast<uint8_t>(waiting[0]);
}

int takt_uart_read(uint8_t port)
{
    int c = takt_uart_peek(port);
    if (c >= 0)
        board.port[port].waiting.erase(0, 1);
    return c;
}

int takt_uart_wait(uint8_t port, uint32_t us)
{
    if (!board.port[port].waiting.empty())
        return 1;
    takt_sem_try(&arrived[port]);
    return takt_sem_wait_for(&arrived[port], us) == TAKT_OK ? 1 : static_cast<int>(TAKT_ETIMEOUT);
}

uint64_t takt_uptime_us(void)
{
    return board.uptime_offset + sim_now();
}

/* Stacks the build would make; nothing starts these threads here. */
char takt_stack_loop[8], takt_stack_loop_end[1], takt_stack_tone[8], takt_stack_tone_end[1];
}

/* These do run. */
__asm__(".bss\n.balign 16\n"
        ".globl takt_stack_interrupts, takt_stack_interrupts_end\n"
        "takt_stack_interrupts: .space 262144\ntakt_stack_interrupts_end:\n"
        ".globl takt_stack_handlers, takt_stack_handlers_end\n"
        "takt_stack_handlers: .space 262144\ntakt_stack_handlers_end:\n.text");
