// See TunedConstants.h.
#include "compiler/sema/kernel/TunedConstants.h"

namespace fly::sema {

std::vector<Tuning::Entry> tunedEntries(Elaborator &e, const KernelValue &kernel,
                                        const std::map<std::string, Value> &own) {
  const KernelDefinition &definition = *kernel.kernel;
  if (!definition.tune)
    return {};
  Tuning::Texts others, tuned;
  for (auto &[name, value] : own)
    others[name] = toText(value, true);
  for (auto &[name, values] : definition.tune->offered) {
    const bool defined = e.definitions.count(name) && !definition.module->imported;
    if (kernel.constants->count(name) || defined)
      return {};
    if (auto found = others.find(name); found != others.end())
      tuned.insert(others.extract(found));
  }
  return e.tuning->entries(definition, tuned, others);
}

KernelValue withConstants(const KernelValue &kernel, const std::map<std::string, Value> &more) {
  auto constants = *kernel.constants;
  for (auto &[name, value] : more)
    constants[name] = value;
  return {kernel.kernel, std::make_shared<const std::map<std::string, Value>>(std::move(constants))};
}

} // namespace fly::sema
