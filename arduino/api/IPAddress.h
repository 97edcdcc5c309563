#include "../IPAddress.h"
