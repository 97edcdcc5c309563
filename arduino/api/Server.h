#include "../Server.h"
