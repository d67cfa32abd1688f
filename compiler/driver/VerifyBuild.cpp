#include "compiler/driver/VerifyBuild.h"

#include "compiler/verify/Proof.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::driver {

namespace {
constexpr size_t shown = 3; ///< errors per kernel
} // namespace

bool verifyBuild(Session &session, llvm::StringRef codeObject, llvm::ArrayRef<CompiledInstance *> instances) {
  verify::Options options;
  options.off = session.verifyOff;
  if (llvm::all_of(verify::rules(), [&](const verify::Rule &rule) { return rule.may || !options.isOn(rule.name); }))
    return true;
  auto timer = session.times.measure("verify");
  auto object = isa::CodeObject::read(codeObject);
  if (!object) {
    llvm::consumeError(object.takeError()); // its reader has refused it before
    return true;
  }
  bool good = true;
  for (const verify::Proof &proof : verify::prove(*object, options)) {
    auto found = llvm::find_if(instances, [&](const CompiledInstance *i) { return i->info.symbol == proof.name; });
    if (found != instances.end() && (*found)->isExact)
      continue;
    for (const verify::PlacedFinding &f : llvm::ArrayRef(proof.errors).take_front(shown)) {
      auto builder =
          session.diags.report(diag::wrong_machine_code, found != instances.end() ? (*found)->at : SourceRange{});
      builder.arg(proof.name).arg(proof.architecture).arg(f.message);
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
