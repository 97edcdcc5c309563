// Three thermometers on one pin, read with DallasTemperature, each found by its place on the bus.

#include <DallasTemperature.h>
#include <OneWire.h>

OneWire bus(2);
DallasTemperature thermometers(&bus);

void setup() {
  Serial.begin(115200);
  thermometers.begin();
  Serial.print(thermometers.getDeviceCount());
  Serial.println(" thermometers");
  thermometers.setResolution(11);
}

void loop() {
  thermometers.requestTemperatures();
  for (int n = 0; n < thermometers.getDeviceCount(); n++) {
    Serial.print(n);
    Serial.print(": ");
    Serial.println(thermometers.getTempCByIndex(n), 3);
  }
}
