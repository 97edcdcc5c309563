/*
 * All of Takt for a sketch: the Arduino API with loop(id, C, T), periodic(id, C, T), task(id, T),
 * channels, ring buffers and locks, under their short names.
 */
#ifndef TAKT_SKETCH_H
#define TAKT_SKETCH_H

#include "Arduino.h"
#include "Channel.h"
#include "Locks.h"
#include "Pipe.h"
#include "periodics.h"
#include "tasks.h"
#include "watchdog.h"

using takt::Channel;
using takt::Critical;
using takt::Guard;
using takt::Mutex;
using takt::RingBuffer;
using takt::Semaphore;
using takt::Spinlock;

#endif
