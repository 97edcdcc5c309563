#include "../Client.h"
