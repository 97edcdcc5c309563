#include "../Print.h"
#include "../WString.h"
