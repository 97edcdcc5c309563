#include "../Arduino.h"
