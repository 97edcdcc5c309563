#include "../Udp.h"
