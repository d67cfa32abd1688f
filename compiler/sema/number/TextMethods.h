// Methods of strings and of compile-time numbers.
#pragma once

#include "compiler/sema/elaborator/Builtins.h"

namespace fly::sema {

llvm::ArrayRef<Builtin> textMethods();
llvm::ArrayRef<Builtin> numberMethods();

} // namespace fly::sema
