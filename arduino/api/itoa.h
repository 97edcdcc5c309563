#include "../WMath.h"
