// A write to a parameter that is declared `In[...]`.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Refuses to write to `name`, with the help `declare` ("declare it `InOut[...]`"). A fix changes the annotation, if
/// the kernel or launch function that holds the write has such a parameter.
[[noreturn]] void failInput(Elaborator &e, SourceRange write, const std::string &name,
                            llvm::StringRef declare = "declare it `Out[...]`, or `InOut[...]` if it is also read");

} // namespace fly::sema
