#include "../Stream.h"
