#include "../WString.h"
