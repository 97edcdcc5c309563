#include "../RingBuffer.h"
