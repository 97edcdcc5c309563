// A DS1307 that is running is read and then set, with RTClib; a few bytes are kept in its RAM.

#include <RTClib.h>

RTC_DS1307 rtc;

void say() {
  DateTime now = rtc.now();
  Serial.println(now.timestamp(DateTime::TIMESTAMP_FULL));
}

void setup() {
  Serial.begin(115200);
  if (!rtc.begin())
    Serial.println("not there");
  Serial.println(rtc.isrunning() ? "running" : "not running");
  say();
  delay(2000);
  say();
  rtc.adjust(DateTime(2028, 2, 28, 23, 59, 58));
  rtc.writeSqwPinMode(DS1307_SquareWave1HZ);
  for (int n = 0; n < 4; n++)
    rtc.writenvram(n, 10 * n);
}

void loop() {
  delay(2500);
  say();
  Serial.print("kept ");
  Serial.println(rtc.readnvram(3));
}
