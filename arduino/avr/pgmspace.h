#include "../pgmspace.h"
