// Its row names a folder below it.
#include "compiler/upper/Upper.h"
