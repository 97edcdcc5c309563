// Reads from a card how many lines to log, logs one every 25 ms, and in the end reads them back.
#include <SD.h>

int lines, line;

void fail(const char *what) {
  Serial.println(what);
  while (true) delay(1000);
}

void setup() {
  Serial.begin(115200);
  if (!SD.begin(SS)) fail("no card");
  File settings = SD.open("SETTINGS/LINES.TXT");
  if (!settings) fail("no settings");
  lines = settings.parseInt();
  settings.close();
}

void readBack() {
  File log = SD.open("LOG.CSV");
  unsigned long sum = 0;
  int found = 0;
  while (log.available()) {
    int c = log.read();
    sum += c;
    found += c == '\n';
  }
  log.close();
  Serial.print(found);
  Serial.print(" lines, sum ");
  Serial.println(sum);
}

void loop() {
  if (line < lines) {
    File log = SD.open("LOG.CSV", FILE_WRITE);
    if (!log) fail("no log");
    log.print(line);
    log.print(';');
    log.println((long)line * line);
    log.close();
    if (++line == lines) readBack();
  }
  delay(25);
}
