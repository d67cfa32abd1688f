// `printf`, `assert` and `trap` in kernels.
//
// A format is read at compile time: what is known is put into the text, tuples, structs and vectors are taken apart,
// and each machine value is widened to 32 or 64 bits. What is left are a text with one directive a value
// (runtime/output.h) and the values, which stdlib/fly/output.fly writes into memory that the host reads.
#pragma once

#include "compiler/sema/elaborator/Builtins.h"

namespace fly::sema {

Value devicePrint(Elaborator &e, BoundCall &call);
Value deviceTrap(Elaborator &e, BoundCall &call);
/// Stops the kernel where it is reached.
void emitTrap(Elaborator &e, SourceRange range);
/// Where the value is negative a thread prints the place, `what` ("coordinate 1 of ...") and the value, and stops the
/// kernel.
void assertNonNegative(Elaborator &e, const MachineValue &value, const std::string &what, SourceRange range);
/// `assert test, message`: an error of compile time where the test is known, else a branch to a message and a trap.
Flow execAssert(Elaborator &e, const ast::AssertStmt &stmt);

} // namespace fly::sema
