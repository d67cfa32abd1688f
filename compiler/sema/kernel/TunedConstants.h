// The values that a table of `flyc tune` has for an instance of a kernel.
//
// A table speaks of an instance only if the program leaves all `@tune` parameters to it: values that were measured
// together are used together.
#pragma once

#include "compiler/sema/elaborator/Tuning.h"
#include "compiler/sema/kernel/Kernels.h"

namespace fly::sema {

/// The constants of an instance as if nothing were tuned: given ones, `-D` definitions, defaults. Throws Failed.
std::map<std::string, Value> ownConstants(Elaborator &e, const KernelValue &kernel, SourceRange range);

/// Entries for the instance with these own constants, ordered by shape; none if there is no table for it.
std::vector<Tuning::Entry> tunedEntries(Elaborator &e, const KernelValue &kernel,
                                        const std::map<std::string, Value> &own);

/// The instance with more constants.
KernelValue withConstants(const KernelValue &kernel, const std::map<std::string, Value> &more);

} // namespace fly::sema
