// Private: whose turn it is to change LLVM's registry of targets. lld registers all targets anew whenever it links.
#pragma once

#include <mutex>

namespace fly::codegen {

std::mutex &targetRegistryTurn();

} // namespace fly::codegen
