#include "hydra_fixture.h"

extern "C" const struct takt_thread takt_thread_usb = {};

/* As TAKT_CAN_ADAPTER() makes them; threads are the test's. */
struct takt_endpoint in_end = {nullptr, &can_in_ops, nullptr, nullptr, "in", nullptr,
                               sizeof(struct takt_can_frame), TAKT_IN, nullptr};
struct takt_endpoint out_end = {nullptr, &can_out_ops, nullptr, nullptr, "out", nullptr,
                                sizeof(struct takt_can_frame), TAKT_OUT, nullptr};
alignas(64) static char room[CAN_ROOM_BYTES];
struct takt_can_adapter kvaser = {&can_hydra, &in_end, &out_end, room, nullptr};
__attribute__((section("takt_can_adapters"), used)) static struct takt_can_adapter *const one =
    &kvaser;
