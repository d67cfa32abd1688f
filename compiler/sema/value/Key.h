// Texts that are equal for equal instances of kernels, and for structs that are one type.
#pragma once

#include "compiler/sema/value/Value.h"

#include <map>
#include <string>

namespace fly {
class SourceManager;
}

namespace fly::sema {

std::string instanceKey(const SourceManager &sources, const KernelDefinition &kernel,
                        const std::map<std::string, Value> &constants);
std::string structKey(const SourceManager &sources, const StructDefinition &definition);

} // namespace fly::sema
