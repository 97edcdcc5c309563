/*
 * Each call of the lab, between two labels that its harness knows; every pass of loop() makes all of
 * them. Arguments come out of variables that the compiler cannot know, but for the last three.
 */
#define TIMED(name, call)                                                                          \
  do {                                                                                             \
    asm volatile(".globl lab_from_" #name "\nlab_from_" #name ":" ::: "memory");                   \
    call;                                                                                          \
    asm volatile(".globl lab_to_" #name "\nlab_to_" #name ":\n\tnop" ::: "memory");                \
  } while (0)

volatile byte plain = 7, clock = 8, pwm = 3, other_pwm = 11, level = 1, input = 4;
volatile byte seen;

void setup()
{
  Serial.begin(9600);
  pinMode(13, OUTPUT);
  pinMode(7, OUTPUT);
  pinMode(8, OUTPUT);
}

void time_calls()
{
  byte p = plain, l = level;
  TIMED(millis_later, millis());
  TIMED(millis, millis());
  TIMED(micros, micros());
  TIMED(print, Serial.print('x'));
  TIMED(pinMode, pinMode(p, OUTPUT));
  TIMED(digitalWrite, digitalWrite(p, l));
  byte i = input;
  TIMED(digitalRead, digitalRead(i));
  byte w = pwm;
  TIMED(analogWrite, analogWrite(w, 100));
  byte o = other_pwm;
  TIMED(analogWrite_first, analogWrite(o, 100));
  TIMED(digitalWrite_pwm, digitalWrite(o, l));
  TIMED(analogRead, analogRead(A0));
  byte c = clock;
  TIMED(shiftOut, shiftOut(p, c, MSBFIRST, 0x5A));
  TIMED(delayMicroseconds, delayMicroseconds(50));
}

void time_known()
{
  TIMED(digitalWrite_known, digitalWrite(13, HIGH));
  TIMED(digitalRead_known, seen = digitalRead(4));
  TIMED(pinMode_known, pinMode(13, OUTPUT));
}

void loop()
{
  time_calls();
  time_known();
  static byte pass;
  delay(7);
  delayMicroseconds(3 * pass++); /* the converter's clock is somewhere else each time */
}
