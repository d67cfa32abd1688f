// Fast-math: which of IEEE's rules the author lets the code generator break, and where.
//
// A flag is a permission for operations, so it is put on operations when they are made, all of them the same way: the
// builder's listener sees each of them, and no function that emits one needs to handle it.
//
//     @kernel(fastmath="contract")                the kernel's body
//     with fastmath("contract", "nnan"):          a block
//     exp2(x, fastmath="afn")                     what one call emits
//
// Only the innermost one counts; `with fastmath():` is strict again. Functions of the same file inherit the flags of
// their caller, functions of other files start without: the numerics of a library do not depend on its user. A function
// that is handed to another file and called there has the flags with which its own file called the other:
//
//     kernel (contract)  ->  reduce, of a library (none)  ->  combine, of the kernel's file (contract)
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// The flags that "contract, nnan", a tuple or list of such texts, True, False or None name; reports unknown ones.
unsigned readFastMath(Elaborator &e, const Value &value, SourceRange range);

/// The flags of `fastmath=` among the arguments of a call, which loses it; without it, those in force.
unsigned takeFastMath(Elaborator &e, Arguments &arguments);

/// Flags in force while it lives.
struct FastMathScope {
  FastMathScope(Elaborator &e, unsigned flags) : e(e), outer(e.fastmath) { e.fastmath = flags; }
  ~FastMathScope() { e.fastmath = outer; }
  FastMathScope(const FastMathScope &) = delete;
  Elaborator &e;
  unsigned outer;
};

/// The flags of a function of the file `to` that is called in the file `from`, while it lives.
class CallFastMath {
public:
  CallFastMath(Elaborator &e, const ModuleScope *from, const ModuleScope *to);
  ~CallFastMath();
  CallFastMath(const CallFastMath &) = delete;

private:
  FastMathScope flags;
  const ModuleScope *from;      ///< null where the file is not left
  std::optional<unsigned> left; ///< what was kept of it before
};

/// Puts the flags in force on each operation that can carry them.
struct FastMathListener : mlir::OpBuilder::Listener {
  explicit FastMathListener(Elaborator &e) : e(e) {}
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;
  Elaborator &e;
};

/// "flush" or "keep": what f32 operations do with denormals.
bool readDenormalsFlush(Elaborator &e, const Value &value, SourceRange range);

/// `with fastmath(...)`, and the error for `with denormals(...)`; none for another `with`.
std::optional<Flow> execMathScope(Elaborator &e, const ast::WithStmt &stmt);

} // namespace fly::sema
