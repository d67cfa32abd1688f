#include "compiler/object_checks/VerifyBuild.h"

#include "compiler/verify/Proof.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::driver {

namespace {
constexpr size_t shown = 3; ///< errors per kernel
} // namespace

static verify::Options optionsOf(const std::set<std::string> &rulesOff) {
  verify::Options options;
  options.off = rulesOff;
  options.isCompiled = options.strict = true;
  return options;
}

bool verifiesBuilds(const std::set<std::string> &rulesOff) {
  const verify::Options options = optionsOf(rulesOff);
  return llvm::any_of(verify::rules(), [&](const verify::Rule &rule) { return !rule.may && options.isOn(rule.name); });
}

bool verifyBuild(DiagnosticEngine &diags, const std::set<std::string> &rulesOff, llvm::StringRef codeObject,
                 llvm::ArrayRef<LinkedKernel> kernels) {
  auto object = isa::CodeObject::read(codeObject);
  if (!object) {
    llvm::consumeError(object.takeError()); // its reader has refused it before
    return true;
  }
  bool good = true;
  for (const verify::Proof &proof : verify::prove(*object, optionsOf(rulesOff))) {
    auto found = llvm::find_if(kernels, [&](const LinkedKernel &kernel) { return kernel.info->symbol == proof.name; });
    if (found != kernels.end() && found->isExact)
      continue;
    for (const verify::PlacedFinding &f : llvm::ArrayRef(proof.errors).take_front(shown)) {
      auto builder = diags.report(
          found != kernels.end() ? found->at : SourceRange{},
          diag::wrong_machine_code{.kernel = proof.name, .arch = proof.architecture, .problem = f.message});
      for (const std::string &line : verify::toLines(f.steps))
        builder.note(line);
      builder.note("rule `" + std::string(f.rule->name) + "`: " + f.rule->what + " (" + f.source + ")");
      builder.help("if no inline assembly is linked, this is a bug of flyc or LLVM; `-W no-verify=" +
                   std::string(f.rule->name) + "` builds without this rule");
      good = false;
    }
  }
  return good;
}

} // namespace fly::driver
