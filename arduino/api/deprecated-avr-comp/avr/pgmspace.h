#include "../../../pgmspace.h"
