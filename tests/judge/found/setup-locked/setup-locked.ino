// setup() leaves a mutex locked.
#include <Takt.h>
Mutex m;

void setup() { m.lock(); }
void loop(1, 10, 100) { m.lock(); m.unlock(); delay(10); }
void loop(2, 30, 100) { delay(10); }
