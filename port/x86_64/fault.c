/*
 * x86-64: fatal errors and exceptions on the console; of an exception all registers, then what it
 * means.
 */
#include <takt/console.h>

#include "core/cpu.h"
#include "page.h"
#include "x86.h"

enum { PAGE_FAULT = 14, NULL_BYTES = PAGE, REGISTERS = 15, STACK_WORDS = 8 };

/* As vectors.S leaves them. */
struct frame {
    uint64_t registers[REGISTERS]; /* r15 .. rax */
    uint64_t vector, error, rip, cs, rflags, rsp, ss;
};

void port_fatal(const char *text)
{
    x86_stop_others();
    while (*text)
        board_console_put(*text++);
}

static void put_text(const char *text)
{
    while (*text)
        board_console_put(*text++);
}

static void put_hex(const char *name, uint64_t value)
{
    put_text(name);
    for (int shift = 60; shift >= 0; shift -= 4)
        board_console_put("0123456789abcdef"[value >> shift & 15]);
}

static uint64_t fault_address(void)
{
    uint64_t address;
    __asm__ volatile("movq %%cr2, %0" : "=r"(address));
    return address;
}

static void put_registers(const struct frame *frame)
{
    static const char names[REGISTERS][6] = {" r15=", " r14=", " r13=", " r12=", " r11=",
                                             " r10=", "  r9=", "  r8=", " rbp=", " rdi=",
                                             " rsi=", " rdx=", " rcx=", " rbx=", " rax="};
    put_text("\r\ntakt: exception");
    put_hex(" ", frame->vector);
    put_hex(" error=", frame->error);
    put_hex("\r\n rip=", frame->rip);
    put_hex(" rsp=", frame->rsp);
    put_hex(" flags=", frame->rflags);
    put_hex(" cr2=", fault_address());
    for (unsigned i = REGISTERS; i-- > 0;) {
        put_text(i % 4 == 2 ? "\r\n" : "");
        put_hex(names[i], frame->registers[i]);
    }
}

/* The thread to which the stack of a page without memory belongs. */
static uint8_t guarded(uint64_t address)
{
    for (uint8_t place = 0; place < takt_thread_count(); place++) {
        const struct takt_thread *thread = takt_thread_at(place);
        if (address - (uintptr_t)thread->stack < (uintptr_t)(thread->stack_end - thread->stack))
            return place;
    }
    return TAKT_NOBODY;
}

static void name_page_fault(uint64_t address)
{
    if (address < NULL_BYTES)
        takt_fatal(TAKT_FATAL_FAULT, takt_self(), "null pointer");
    if (!page_is_guard(address))
        return;
    uint8_t place = guarded(address);
    takt_fatal(place == TAKT_NOBODY ? TAKT_FATAL_ISR_STACK : TAKT_FATAL_STACK, place, NULL);
}

/* From port_exception (vectors.S). */
void port_fault(const struct frame *frame) __attribute__((noreturn, used));
void port_fault(const struct frame *frame)
{
    if (frame->vector == VECTOR_NMI && x86_stopping())
        x86_stop();
    x86_stop_others();
    put_registers(frame);
    if (frame->vector == PAGE_FAULT)
        name_page_fault(fault_address());
    takt_fatal_number("hard fault at 0x", (uint32_t)frame->rip, 16);
}
