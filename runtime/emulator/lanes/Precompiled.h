// What the rows of instructions include, compiled once per set of machine options.
#pragma once

#include "runtime/emulator/lanes/FloatMath.h"
#include "runtime/emulator/lanes/Lanes.h"
#include "runtime/emulator/lanes/Scalars.h"
#include "runtime/emulator/wave/Cluster.h"

#include <algorithm>
#include <cmath>
#include <limits>
