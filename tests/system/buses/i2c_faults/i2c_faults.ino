// Writes one byte to the same device again and again and says how that went; meanwhile two loops
// work that the bus must not disturb.
#include <Takt.h>
#include <Wire.h>

volatile unsigned long work;

void setup()
{
    Serial.begin(1000000);
    Wire.begin();
    Wire.setWireTimeout(10000);
}

void loop(1, 3, 10)
{
    work = work + 1;
}

void loop(2, 1, 20)
{
    static uint8_t count;
    unsigned long start = micros();
    Wire.beginTransmission(0x50);
    Wire.write(count);
    Wire.write(count);
    int code = Wire.endTransmission();
    unsigned long took = micros() - start;
    Serial.print("code=");
    Serial.println(code);
    Serial.print("us=");
    Serial.println(took);
    if (Wire.getWireTimeoutFlag()) {
        Wire.clearWireTimeoutFlag();
        Serial.println("flag=1");
    }
    count++;
    delay(20);
}
