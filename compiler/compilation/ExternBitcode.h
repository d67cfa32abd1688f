// Bitcode of `extern` functions: the files that a kernel's functions need.
#pragma once

#include "compiler/codegen/CodeGen.h"
#include "compiler/compilation/Session.h"
#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/target/Target.h"

namespace fly::driver {

/// The bitcode that the functions need, each file once; none after diagnostics.
std::optional<std::vector<codegen::Bitcode>> collectBitcode(Session &session, const target::Target &target,
                                                            const std::vector<const sema::ExternDefinition *> &externs);

} // namespace fly::driver
