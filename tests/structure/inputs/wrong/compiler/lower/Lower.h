// Against the order.
#include "compiler/upper/Upper.h"
