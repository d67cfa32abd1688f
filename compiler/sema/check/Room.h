// Room `check`: what only checks have: host arrays, expectations.
//
// May include: compiler/host, compiler/sema/value, compiler/sema/elaborator, compiler/sema/number.
#pragma once
