// See SweepPin.h.
#include "compiler/search/sweep/SweepPin.h"

#include "compiler/sema/elaborator/LlvmOptions.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::driver {

namespace {

class Pinner {
public:
  explicit Pinner(SweepSearch &search) : search(search) {}

  bool refuse(const std::string &why, const std::string &help = "") {
    auto builder = search.session.diags.report(diag::bad_option, {});
    builder.arg("--pin").arg(why);
    if (!help.empty())
      builder.help(help);
    return false;
  }

  /// The offered dict with the options of the point; null: none.
  const sema::Value *offeredLlvm(const sema::Values &offered, size_t point) {
    std::map<std::string, std::string> wanted;
    auto values = search.grid.point(point);
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] && search.grid.axes[i].isLlvm)
        wanted[search.grid.axes[i].name] = *values[i];
    for (auto &dict : offered) {
      sema::LlvmOptions options;
      sema::readLlvmOptions(search.compilation.elaborator, dict, {}, nullptr, options);
      std::map<std::string, std::string> given;
      for (auto &[name, option] : options)
        if (option.value)
          given[name] = *option.value;
      if (given == wanted)
        return &dict;
    }
    return nullptr;
  }

  /// The values of what the kernel's `@tune` offers; false after a diagnostic.
  bool valuesOf(const sema::KernelDefinition &kernel, const SweepKernel &launched, size_t point,
                ConstantTexts &values) {
    auto &offered = kernel.tune->offered;
    auto find = [&](const std::string &name) {
      return llvm::find_if(offered, [&](auto &offer) { return offer.first == name; });
    };
    for (auto &axis : search.grid.axes)
      if (const std::string name = axis.isLlvm ? sema::llvmConstant : axis.name; find(name) == offered.end())
        return refuse("the `@tune` of `" + kernel.name + "` does not offer `" + name + "`, which the grid varies",
                      "add it to the `@tune`: a table holds what it offers");
    for (auto &[name, all] : offered) {
      if (name == sema::llvmConstant && sema::takesLlvmOptions(kernel)) {
        const sema::Value *dict = offeredLlvm(all, point);
        if (!dict)
          return refuse("the `@tune` of `" + kernel.name + "` does not offer the LLVM options of the best point, " +
                        search.grid.title(point));
        values[name] = toText(*dict, true);
        continue;
      }
      auto found = launched.constants.find(name);
      const bool known = found != launched.constants.end() &&
                         llvm::any_of(all, [&](auto &value) { return toText(value, true) == found->second; });
      if (!known)
        return refuse("the `@tune` of `" + kernel.name + "` does not offer `" + name + "=" +
                      (found == launched.constants.end() ? "" : found->second) + "`");
      values[name] = found->second;
    }
    return true;
  }

  /// The entry of one kernel of a bench.
  bool add(const sema::KernelDefinition &kernel, const SweepKernel &launched, size_t point, double cycles,
           std::vector<FoundEntries> &out) {
    TuneEntry entry;
    if (!valuesOf(kernel, launched, point, entry.values))
      return false;
    for (auto &[name, size] : launched.shape)
      if (kernel.tune->key.empty() || llvm::is_contained(kernel.tune->key, name))
        entry.shape[name] = size;
    for (auto &[name, value] : launched.constants)
      if (!entry.values.count(name))
        entry.constants[name] = value;
    entry.figure = cycles;
    entry.how = "time model";
    auto of = llvm::find_if(out, [&](auto &found) { return found.kernel == kernel.name; });
    if (of == out.end())
      of = out.insert(out.end(), {search.arch(), kernel.name, {search.hash, {}}});
    auto same = [&](auto &other) { return other.shape == entry.shape && other.constants == entry.constants; };
    if (llvm::none_of(of->tuned.entries, same)) // the first bench of a shape counts
      of->tuned.entries.push_back(std::move(entry));
    return true;
  }

private:
  SweepSearch &search;
};

} // namespace

std::optional<std::vector<FoundEntries>> pinned(SweepSearch &search, const std::vector<SweepResult> &results) {
  Pinner pinner(search);
  std::vector<FoundEntries> out;
  std::map<std::string, std::pair<const SweepResult *, const SweepBench *>> best; // by bench
  for (auto &result : results)
    if (result.row.outcome == SweepOutcome::Good)
      for (auto &bench : result.row.benches)
        if (bench.cycles)
          if (auto &there = best[bench.title]; !there.first || *bench.cycles < *there.second->cycles)
            there = {&result, &bench};
  bool any = false;
  for (auto &[title, found] : best)
    for (auto &launched : found.second->kernels) {
      auto &kernels = search.compilation.main->kernels;
      auto kernel = llvm::find_if(kernels, [&](auto &k) { return k->name == launched.kernel && k->tune; });
      if (kernel == kernels.end())
        continue;
      any = true;
      if (!pinner.add(**kernel, launched, found.first->point, *found.second->cycles, out))
        return std::nullopt;
    }
  if (!any) {
    pinner.refuse(best.empty() ? "no point has a time"
                               : "no kernel with a `@tune` is launched by the benches of `" + search.command.path + "`",
                  best.empty() ? "" : "a table holds what a `@tune` offers: add one above the kernel");
    return std::nullopt;
  }
  return out;
}

} // namespace fly::driver
