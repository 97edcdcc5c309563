// Figure 12: how regularly a rover sets its motors. The paper's Listing 1 (sensing and actuation in
// loops of their own), its Listing 2 (one loop), and the latter with the echo timed by an interrupt
// handler and no pause for stray echoes. Cases: case.h.

#include "case.h"
#include "../lab.h"

#include <Qduino.h>

const int leftmotorpin1 = 8;
const int leftmotorpin2 = 9;
const int rightmotorpin1 = 6;
const int rightmotorpin2 = 7;
const int trigPin = 11;
const int echoPin = 2;
channel distChannel;

volatile unsigned long rose, duration;
volatile bool measured;

#if ECHO_INTERRUPT
void echo() {
  if (digitalRead(echoPin)) {
    rose = micros();
  } else {
    duration = micros() - rose;
    measured = true;
  }
}
#endif

void setup() {
  pinMode(leftmotorpin1, OUTPUT);
  pinMode(leftmotorpin2, OUTPUT);
  pinMode(rightmotorpin1, OUTPUT);
  pinMode(rightmotorpin2, OUTPUT);
  pinMode(trigPin, OUTPUT);
  pinMode(echoPin, FAST_INPUT);
  distChannel = channelInit();
#if ECHO_INTERRUPT
  attachInterrupt(echoPin, echo, CHANGE);
#endif
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

// turn right
void body_rturn() {
  digitalWrite(leftmotorpin1, HIGH);
  digitalWrite(leftmotorpin2, LOW);
  digitalWrite(rightmotorpin1, LOW);
  digitalWrite(rightmotorpin2, HIGH);
}

void trigger() {
  digitalWrite(trigPin, LOW);
  delayMicroseconds(2);
  digitalWrite(trigPin, HIGH);
  delayMicroseconds(10);
  digitalWrite(trigPin, LOW);
}

// cm
long sensing() {
  trigger();
#if ECHO_INTERRUPT
  for (unsigned long begin = millis(); !measured && millis() - begin < 100;)
    ;
  measured = false;
#else
  duration = pulseIn(echoPin, HIGH);
#endif
  return (duration / 2) / 29.1;
}

void actuation(long distance) {
  if (distance > 100) {
    nodanger();
  } else {
    backup();
    body_rturn();
  }
}

#if MULTI_LOOP

void loop(1, 20, 100) {
  actuation(channelRead(distChannel));
  // keep motors in current state for fixed period
  delay(100);
}

void loop(2, 70, 100) {
  channelWrite(distChannel, sensing());
  // prevent sensor trigger signal being falsely detected as echo using delay
  delay(200);
}

// A loop more urgent than both that often has much to do.
#if BUSY
volatile long primes;

void loop(3, 500_us, 50) {
  primes = findPrime();
  delay(100);
}
#endif

#else

void loop() {
  long distance = sensing();
#if !ECHO_INTERRUPT
  delay(200);
#endif
  actuation(distance);
  delay(100);
}

#endif
