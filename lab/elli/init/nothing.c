/* What the frame around the others takes. */
#include "state.h"

void init(void) {}
