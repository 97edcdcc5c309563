#include "../CanMsg.h"
