// Allowed.
#include "compiler/lower/Lower.h"
