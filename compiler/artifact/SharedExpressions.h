// The expressions of a module's metadata, each of them once. The same extents and preconditions occur in every instance
// and step of a family of kernels.
//
//     {"op": "mul", "args": [x, y]}      occurs once: stays
//     {"ref": 17}                        several times: is element 17 of the module's "expressions"
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fly::artifact {

/// Replaces the trees of `op` and `args` in a module that occur more than once, and adds their list as "expressions".
/// Elements refer only to elements before them.
void shareExpressions(nlohmann::ordered_json &module);

/// The text of a document: values below `depth` levels are in one line each.
std::string textOf(const nlohmann::ordered_json &json, unsigned depth);

} // namespace fly::artifact
