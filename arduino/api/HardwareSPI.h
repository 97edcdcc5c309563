#include "../HardwareSPI.h"
