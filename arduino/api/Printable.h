#include "../Printable.h"
