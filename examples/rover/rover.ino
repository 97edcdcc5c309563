// A rover that does not run into walls: Listing 1 of the Qduino paper (Cheng, Li and West, RTAS
// 2015). The paper calls backoff() but defines backup(); here both are backup().
//
// Loop 2 measures the distance ahead and puts it into a channel; loop 1 takes the newest distance
// from the channel and steers. Neither ever waits for the other.

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
channel distChannel;

void setup() {
  pinMode(leftmotorpin1, OUTPUT);
  pinMode(leftmotorpin2, OUTPUT);
  pinMode(rightmotorpin1, OUTPUT);
  pinMode(rightmotorpin2, OUTPUT);
  pinMode(trigPin, OUTPUT);
  pinMode(echoPin, FAST_INPUT);
  distChannel = channelInit();
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
  // do actuation
  if (distance > 100) {
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
