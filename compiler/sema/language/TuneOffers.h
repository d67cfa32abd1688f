// `@tune(...)` above a kernel: read where the kernel is defined.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// The offer of the decorator for the parameters of the kernel under it. Throws Failed.
std::unique_ptr<const TuneOffer> readTuneOffer(Elaborator &e, const ast::Expr &decorator, const ast::DefStmt &kernel);

} // namespace fly::sema
