/*
 * attachInterrupt(): all its handlers share one thread, `handlers`, with 500 us in every 10 ms.
 */
#include "Arduino.h"

extern "C" {
extern char takt_stack_handlers[], takt_stack_handlers_end[]; /* the build's, sized by it */
extern const takt::HandlerThread takt_thread_handlers;
}
TAKT_NAME_(handlers, "handlers");

static struct takt_vcpu budget = TAKT_VCPU_INIT(500, 10000, 0);
static takt::HandlerState state = {TAKT_SEM_BINARY_INIT(0), 0};
const takt::HandlerThread takt_thread_handlers TAKT_IN_FLASH_("handlers") = {
    {takt_arduino_handler, nullptr, takt_stack_handlers, takt_stack_handlers_end, &budget,
     takt_name_handlers},
    &state};
TAKT_REGISTER_(handlers, 10000, __COUNTER__)

void takt_attach_interrupt(int pin, void (*handler)(void), int mode)
{
    takt::attach(pin, handler, mode, takt_thread_handlers);
}
