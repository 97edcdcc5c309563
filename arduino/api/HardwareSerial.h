#include "../HardwareSerial.h"
