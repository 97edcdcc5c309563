#include "../HardwareCAN.h"
