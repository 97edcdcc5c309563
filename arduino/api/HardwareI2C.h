#include "../HardwareI2C.h"
