// Launch expressions as C: the header's reading of fly::host::Expr, by the functions of fly/expression.h.
#pragma once

#include "compiler/artifact/ModuleInfo.h"

#include <string>
#include <vector>

namespace fly::artifact {

/// A C expression of type int64_t (Int), double (Float) or int (Bool). Integer arithmetic reports into the int
/// variable `fly_fault`. Parameters are named by `cName`.
std::string toC(const host::Expr &expr, const std::vector<ParameterInfo> &parameters);

/// The C name of a parameter: its own, with a trailing `_` if C, C++ or the header's locals use that name.
std::string cName(const std::string &name);

/// The same for a field of a struct parameter: `p.n`.
std::string cPath(const std::string &path);

/// "text" as a C string literal of any content; long texts are cut.
std::string cString(const std::string &text);

/// Text that is safe in a C comment.
std::string cComment(const std::string &text);

} // namespace fly::artifact
