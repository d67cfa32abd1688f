// Room `number`: numbers, vectors and texts: constants, conversions, small floats, fast-math, methods of containers.
//
// May include: compiler/dialect, compiler/sema/value, compiler/sema/elaborator.
#pragma once
