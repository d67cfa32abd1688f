// LLVM options of single kernels, as `llvm={...}` of a kernel names them. There are two kinds:
//
//   attributes   of the kernel's function, such as "amdgpu-waves-per-eu". They belong to the kernel alone.
//   globals      the options of LLVM's own command line, such as "enable-post-misched". Each is a variable of the
//                process, so a kernel with one is compiled in a process of its own (compiler/compilation/BackendProcess.h).
//
// Values are texts. LLVM's own parser reads those of globals, in that process. Those of attributes are checked here,
// because LLVM ignores what it cannot read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fly::codegen {

/// Values by name.
using LlvmOptions = std::map<std::string, std::string>;

enum class LlvmOptionKind { Unknown, Attribute, Global };

/// What the name stands for. A name that is both is an attribute: LLVM prefers it, and it needs no process.
LlvmOptionKind kindOfLlvmOption(std::string_view name);

/// All names, sorted: for suggestions.
const std::vector<std::string> &llvmOptionNames();

/// What is wrong with an attribute's value, such as "it takes a number"; empty: nothing.
std::string attributeProblem(std::string_view name, std::string_view value);

/// Sets globals of this process, before anything of LLVM runs. The first that is refused; with an empty text LLVM has
/// printed it to standard error.
struct LlvmOptionProblem {
  std::string name, text;
};
std::optional<LlvmOptionProblem> setGlobalOptions(const LlvmOptions &options);

} // namespace fly::codegen
