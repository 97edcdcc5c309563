// Figure 9: how long an event takes from its interrupt to its handler. A device of this sketch's
// own, on a pin, whose bottom half needs 2.33 ms of CPU time for an event, as the Galileo's in the
// paper; a handler that now and then uses up its budget; a greedy loop. Cases: case.h.

#include "case.h"
#include "../lab.h"

#include <takt/io.h>
#include <takt/pin_events.h>
#include <takt/sem.h>

const uint8_t devicePin = 2;
const unsigned DEVICE_US = 2330;
const unsigned HANDLER_US = HANDLER_C * 1000;
const unsigned KERNELS_US = 150;  // of a handler's budget: being woken, taking the event

volatile unsigned long polled, handled;  // written at these moments

// Burns CPU time, 3 cycles a round.
void burn(unsigned us) {
  unsigned rounds = us * (F_CPU / 1000000) / 3;
  if (rounds)
    __asm__ volatile("1: sub %0, #1\n bne 1b" : "+l"(rounds)::"cc");
}

// Up to all of a handler's budget, often all of it.
void handlersWork() {
  unsigned most = HANDLER_US - KERNELS_US;
  burn(random(3) ? most : random(most));
}

#if WITH_DEVICE

static struct takt_sem wake = TAKT_SEM_BINARY_INIT(0);
static struct takt_line line;

static void bottomHalf(void *);
static void handler(void *);

TAKT_IO_THREAD(device, IO_C, IO_T, bottomHalf, nullptr, 1024);
TAKT_BUDGET_THREAD(handler, HANDLER_US, HANDLER_T * 1000, handler, nullptr, 1024);

static void bottomHalf(void *) {
  struct takt_pin_event event;
  for (;;) {
    takt_io_wait(&takt_io_device);
    while (takt_pin_events_take(&event)) {
      burn(DEVICE_US);
      takt_line_pass(&line, event.at, event.merged);
    }
  }
}

// Between events it has other work, that again takes up to its whole budget: an event may come just
// when there is none left.
static void handler(void *) {
  for (;;) {
    takt_sem_wait_for(&wake, random(2 * HANDLER_T * 1000));
    if (takt_line_take(&line))
      handled = handled + 1;
    handlersWork();
  }
}

void setup() {
  pinMode(devicePin, INPUT);
  uint8_t place = takt_place_of(&takt_thread_handler);
  line = {&wake, place, devicePin, false, 0, 0, 0};
  takt_pin_events_on(devicePin, TAKT_EDGE_RISE | TAKT_EDGE_FALL, &takt_io_device, place);
}

#elif IN_INTERRUPT

// Device and handler in the interrupt.
void interrupt() {
  polled = polled + 1;
  burn(DEVICE_US);
  handled = handled + 1;
  handlersWork();
}

void setup() {
  pinMode(devicePin, INPUT);
  attachInterruptIsr(devicePin, interrupt, CHANGE);
}

#else

void setup() {
  pinMode(devicePin, INPUT);
#if !POLL
  interruptsVcpu(IO_C, IO_T);
  attachInterruptVcpu(devicePin, handlersWork, CHANGE, HANDLER_C, HANDLER_T);
#endif
}

#endif

volatile unsigned long steps;
volatile long primes;

void loop(1, POLL ? 98 : 10, 100) {
  static long n = 2;
#if POLL
  // One loop: looks at the pin between two numbers.
  static int before = LOW;
  int now = digitalRead(devicePin);
  if (now != before) {
    polled = polled + 1;
    burn(DEVICE_US);
    handled = handled + 1;
    handlersWork();
  }
  before = now;
#endif
  primes = primes + isPrime(n);
  n = n < PRIME_LIMIT ? n + 1 : 2;
  steps = steps + 1;
}
