#include "../CanMsgRingbuffer.h"
