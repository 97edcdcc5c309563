/*
 * Servos: a pulse every 20 ms made by PWM hardware, without the CPU and without jitter.
 *
 * pico: two servos cannot be on pins n and n + 16 (they are one output), and the two pins of a
 * slice share a frequency, so no analogWrite() or tone() beside a servo there (takt/pwm.h).
 */
#ifndef Servo_h
#define Servo_h

#include <Arduino.h>

#define MIN_PULSE_WIDTH     544  /* us, 0 degrees */
#define MAX_PULSE_WIDTH     2400 /* 180 degrees */
#define DEFAULT_PULSE_WIDTH 1500
#define REFRESH_INTERVAL    20000
#define INVALID_SERVO       255

class Servo
{
  public:
    constexpr Servo() = default;

    /* Begins the pulses, of DEFAULT_PULSE_WIDTH until something was written. min and max: pulses
     * for 0 and 180 degrees, us. Returns the pin, or INVALID_SERVO. */
    uint8_t attach(int pin, int min = MIN_PULSE_WIDTH, int max = MAX_PULSE_WIDTH);
    void detach(); /* a pulse under way is finished; the pin stays an output, low */

    void write(int value);          /* degrees 0..180, or from MIN_PULSE_WIDTH on a pulse in us */
    void writeMicroseconds(int us); /* within min..max */
    int read() const;               /* degrees */
    int readMicroseconds() const { return us_; }
    bool attached() const { return pin_ != INVALID_SERVO; }

  private:
    void pulse();

    uint8_t pin_ = INVALID_SERVO;
    int us_ = DEFAULT_PULSE_WIDTH;
    int min_ = MIN_PULSE_WIDTH, max_ = MAX_PULSE_WIDTH;
};

#endif
