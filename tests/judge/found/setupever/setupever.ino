#include <Takt.h>
void setup() { for (;;); }
void loop(1, 10, 50) {}
