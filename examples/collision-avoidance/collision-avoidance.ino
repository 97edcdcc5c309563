// A rover that does not run into walls, on the galileo: Listing 1 of the Qduino paper (Cheng, Li and
// West, RTAS 2015), and a bumper.
//
// Loop 2 measures the distance ahead and puts it into a channel; loop 1 takes the newest distance
// from the channel and steers. Neither ever waits for the other. The paper calls backoff() but
// defines backup(); here both are backup().
//
// The bumper is a switch at a pin of the expander. Its handler has 100 us of CPU time in every 20 ms,
// and what is done before it can be called, asking the expander over I2C which pin it was, has 1 %
// of the CPU: `./takt check` says how long after a bump the handler runs at the latest.

#include <pin.h>
#include <stdio.h>
#include <ardutime.h>    // Qduino timing functions
#include <arducomm.h>    // Qduino communication
#include <arduAdvIO.h>   // Qduino I/O
#include <arduthread.h>  // Qduino loops

const int leftmotorpin1 = 8;
const int leftmotorpin2 = 9;
const int rightmotorpin1 = 6;
const int rightmotorpin2 = 7;
const int trigPin = 11;
const int echoPin = 2;
const int bumperPin = 4;
channel distChannel;
channel bumpChannel;

// the bumper was pressed
void bumped() {
  channelWrite(bumpChannel, millis());
}

void setup() {
  pinMode(leftmotorpin1, OUTPUT);
  pinMode(leftmotorpin2, OUTPUT);
  pinMode(rightmotorpin1, OUTPUT);
  pinMode(rightmotorpin2, OUTPUT);
  pinMode(trigPin, OUTPUT);
  pinMode(echoPin, FAST_INPUT);
  pinMode(bumperPin, INPUT_PULLUP);
  distChannel = channelInit();
  bumpChannel = channelInit();
  channelWrite(bumpChannel, -1000);
  interruptsVcpu(1, 100);
  attachInterruptVcpu(bumperPin, bumped, FALLING, 100_us, 20_ms);
}

// go forward
void nodanger() {
  digitalWrite(leftmotorpin1, HIGH);
  digitalWrite(leftmotorpin2, LOW);
  digitalWrite(rightmotorpin1, HIGH);
  digitalWrite(rightmotorpin2, LOW);
}

// reverse
void backup() {
  digitalWrite(leftmotorpin1, LOW);
  digitalWrite(leftmotorpin2, HIGH);
  digitalWrite(rightmotorpin1, LOW);
  digitalWrite(rightmotorpin2, HIGH);
}

// turn left
void body_lturn() {
  digitalWrite(leftmotorpin1, LOW);
  digitalWrite(leftmotorpin2, HIGH);
  digitalWrite(rightmotorpin1, HIGH);
  digitalWrite(rightmotorpin2, LOW);
}

// turn right
void body_rturn() {
  digitalWrite(leftmotorpin1, HIGH);
  digitalWrite(leftmotorpin2, LOW);
  digitalWrite(rightmotorpin1, LOW);
  digitalWrite(rightmotorpin2, HIGH);
}

void loop(1, 20, 100) {
  // read the distance from the channel
  long distance = channelRead(distChannel);
  // something touched the bumper a short time ago
  bool bump = millis() - channelRead(bumpChannel) < 500;
  // do actuation
  if (distance > 100 && !bump) {
    nodanger();
  } else {
    backup();
    body_rturn();
  }
  // keep motors in current state for fixed period
  delay(100);
}

void loop(2, 70, 100) {
  long duration;
  // do sensing
  digitalWrite(trigPin, LOW);
  delayMicroseconds(2);
  digitalWrite(trigPin, HIGH);
  delayMicroseconds(10);
  digitalWrite(trigPin, LOW);
  duration = pulseIn(echoPin, HIGH);
  // write the distance to the channel
  channelWrite(distChannel, (duration / 2) / 29.1);
  // prevent sensor trigger signal being falsely detected as echo using delay
  delay(200);
}
