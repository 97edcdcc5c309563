/*
 * x86-64: which handler belongs to which vector, and the I/O APICs (Intel 82093AA), whose inputs
 * the old interrupt lines are.
 */
#include "irq.h"

#include <firmware.h>
#include <takt/port.h>
#include <takt/thread.h>

#include "apic.h"
#include "x86.h"

enum {
    SELECT = 0x00 / 4,
    WINDOW = 0x10 / 4,
    VERSION = 1,
    ROUTES = 0x10, /* two words each */
    ROUTE_LOW = 1 << 13,
    ROUTE_LEVEL = 1 << 15,
    ROUTE_MASKED = 1 << 16,
    OLD_COMMAND = 0x20, /* of the first old controller, the second's is at 0xA0 */
    OLD_DATA = 0x21,
    OLD_SECOND = 0x80,
    OLD_START = 0x11,
    OLD_8086 = 1,
};

static struct {
    irq_fn fn;
    void *arg;
} handlers[VECTORS];

static unsigned next_message = VECTOR_MESSAGES;

/* From port_interrupt (vectors.S). What no driver asked for is a fatal error, except where it is
 * known to happen; such ones have no end. */
void port_handle(uint32_t vector) __attribute__((used));
void port_handle(uint32_t vector)
{
    irq_fn fn = __atomic_load_n(&handlers[vector].fn, __ATOMIC_ACQUIRE);
    if (fn) {
        fn(handlers[vector].arg);
        apic_done();
    } else if (vector >= VECTOR_LINES && vector != VECTOR_SPURIOUS) {
        takt_unhandled(vector);
    }
}

void irq_set(uint8_t vector, irq_fn fn, void *arg)
{
    port_irq_t irq = port_irq_save();
    handlers[vector].arg = arg;
    __atomic_store_n(&handlers[vector].fn, fn, __ATOMIC_RELEASE); /* it may come at once */
    port_irq_restore(irq);
}

int irq_take(irq_fn fn, void *arg)
{
    port_irq_t irq = port_irq_save();
    int vector = next_message < VECTOR_ALARM ? (int)next_message++ : TAKT_ENOSPACE;
    if (vector >= 0)
        irq_set((uint8_t)vector, fn, arg);
    port_irq_restore(irq);
    return vector;
}

struct irq_message irq_message(uint8_t vector, uint8_t cpu)
{
    return (struct irq_message){0xFEE00000u | (uint64_t)x86_cpu_of(cpu)->apic_id << 12, vector};
}

void irq_pend(uint8_t vector)
{
    port_irq_t irq = port_local_save(); /* a handler may have something to send, too */
    apic_send(0, APIC_FIXED | APIC_SELF | vector);
    port_local_restore(irq);
}

/* Registers take a select and an access: interrupts off, or two CPUs would select for each other.
 */
static uint32_t io_get(const struct pc_io_apic *apic, uint32_t reg)
{
    volatile uint32_t *at = (volatile uint32_t *)(uintptr_t)apic->address;
    at[SELECT] = reg;
    return at[WINDOW];
}

static void io_put(const struct pc_io_apic *apic, uint32_t reg, uint32_t value)
{
    volatile uint32_t *at = (volatile uint32_t *)(uintptr_t)apic->address;
    at[SELECT] = reg;
    at[WINDOW] = value;
}

static uint32_t inputs_of(const struct pc_io_apic *apic)
{
    return (io_get(apic, VERSION) >> 16 & 0xFFu) + 1;
}

/* The handler that has this line, NULL: none. */
static const struct pc_io_apic *owner_of_locked(uint8_t line)
{
    if (line >= PC_OLD_LINES)
        return NULL;
    uint32_t input = pc_firmware.lines[line].input;
    for (unsigned i = 0; i < pc_firmware.io_apic_count; i++) {
        const struct pc_io_apic *apic = &pc_firmware.io_apics[i];
        if (input >= apic->first && input - apic->first < inputs_of(apic))
            return apic;
    }
    return NULL;
}

static void route_locked(const struct pc_io_apic *apic, uint8_t line, uint8_t vector)
{
    const struct pc_line *wired = &pc_firmware.lines[line];
    uint32_t reg = ROUTES + 2 * (wired->input - apic->first);
    uint32_t low = vector | (wired->low ? ROUTE_LOW : 0u) | (wired->level ? ROUTE_LEVEL : 0u);
    io_put(apic, reg, ROUTE_MASKED);
    io_put(apic, reg + 1, x86_cpu_of(0)->apic_id << 24);
    io_put(apic, reg, low);
}

int irq_line(uint8_t line, irq_fn fn, void *arg)
{
    uint8_t vector = (uint8_t)(VECTOR_LINES + line);
    port_irq_t irq = port_irq_save();
    const struct pc_io_apic *apic = owner_of_locked(line);
    if (apic) {
        irq_set(vector, fn, arg);
        route_locked(apic, line, vector);
    }
    port_irq_restore(irq);
    return apic ? vector : TAKT_EINVAL;
}

void irq_line_mask(uint8_t line, bool masked)
{
    port_irq_t irq = port_irq_save();
    const struct pc_io_apic *apic = owner_of_locked(line);
    if (apic) {
        uint32_t reg = ROUTES + 2 * (pc_firmware.lines[line].input - apic->first);
        uint32_t low = io_get(apic, reg) & ~(uint32_t)ROUTE_MASKED;
        io_put(apic, reg, low | (masked ? ROUTE_MASKED : 0u));
    }
    port_irq_restore(irq);
}

/* Their interrupts would come as the CPU's exceptions: moved away from there, and masked. */
static void old_stop(void)
{
    for (uint16_t port = 0; port <= OLD_SECOND; port = (uint16_t)(port + OLD_SECOND)) {
        x86_out8((uint16_t)(OLD_COMMAND + port), OLD_START);
        x86_out8((uint16_t)(OLD_DATA + port), (uint8_t)(VECTOR_OLD + (port ? 8 : 0)));
        x86_out8((uint16_t)(OLD_DATA + port), port ? 2 : 4); /* at line 2 of the first */
        x86_out8((uint16_t)(OLD_DATA + port), OLD_8086);
        x86_out8((uint16_t)(OLD_DATA + port), 0xFF);
    }
}

void irq_start(void)
{
    old_stop();
    for (unsigned i = 0; i < pc_firmware.io_apic_count; i++)
        for (uint32_t input = 0; input < inputs_of(&pc_firmware.io_apics[i]); input++)
            io_put(&pc_firmware.io_apics[i], ROUTES + 2 * input, ROUTE_MASKED);
}
