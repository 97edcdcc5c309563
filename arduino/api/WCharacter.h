#include "../WCharacter.h"
