// `llvm={"enable-post-misched": False}` of a kernel, an instance or a `@tune`: LLVM options by name.
//
// An instance without a parameter of this name keeps its dict among its constants, as `llvm`. Options of the instance
// go over those of the kernel, and those of the command line over both.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// The options of LLVM that a kernel may have; without LLVM's own list, any.
class LlvmOptionList {
public:
  virtual ~LlvmOptionList() = default;
  virtual bool has(const std::string & /*name*/) const { return true; }
  /// What is wrong with a value, as far as that is known before LLVM runs; empty: nothing.
  virtual std::string problem(const std::string & /*name*/, const std::string & /*value*/) const { return ""; }
  virtual const std::vector<std::string> &names() const {
    static const std::vector<std::string> none;
    return none;
  }
};

/// The constant that holds an instance's dict.
inline constexpr const char *llvmConstant = "llvm";

/// Whether `llvm=` of an instance means options, and not a parameter of the kernel.
bool takesLlvmOptions(const KernelDefinition &kernel);

struct LlvmOption {
  std::optional<std::string> value; ///< as LLVM has it; none: LLVM's own
  SourceRange at;
};
using LlvmOptions = std::map<std::string, LlvmOption>;

/// Adds the options of a dict to `into`, over those that are there. Fails if it is not a dict, a name is not known, or
/// a value is of another kind. `expr` is what was evaluated, if it is there: entries of a `{...}` have places of their
/// own.
void readLlvmOptions(Elaborator &e, const Value &dict, SourceRange range, const ast::Expr *expr, LlvmOptions &into);

} // namespace fly::sema
