// What differs between two reports: per kernel its figures, its counts in detail and its loops. Schema:
// docs/schema/report-diff.schema.json.
//
// Kernels belong together by architecture and name (or alias). Loops have no names: those of the same kind and depth whose
// branch back comes from the same line belong together in order; what is left, for instance because lines were added above, in
// order alone.
#pragma once

#include "compiler/report/Report.h"

namespace fly::report {

Json diffOf(const Json &before, const Json &after);
std::string toDiffText(const Json &diff);

/// The kernel of that name (or alias) for that architecture in a report; null if there is none. `list`: "kernels", "functions".
const Json *findCode(const Json &report, const std::string &arch, const std::string &name, const char *list = "kernels");

} // namespace fly::report
