// The constants of a kernel's instance, the names made of them, and the architectures it is for.
//
// A Constexpr parameter is the instance's own, `-D`'s, the one of a table of `flyc tune`, or its default, which may use
// earlier ones.
#include "compiler/sema/kernel/TunedConstants.h"

#include "compiler/sema/elaborator/Kinds.h"
#include "compiler/sema/elaborator/LlvmOptions.h"

namespace fly::sema {

std::map<std::string, Value> ownConstants(Elaborator &e, const KernelValue &kernel, SourceRange range) {
  FrameScope scope(e, kernel.kernel->module);
  std::map<std::string, Value> constants = *kernel.constants;
  bindConstants(e, *kernel.kernel, constants);
  for (auto &p : kernel.kernel->def->parameters) {
    if (!p.keywordOnly || constants.count(p.name))
      continue;
    if (auto define = e.definitions.find(p.name); define != e.definitions.end() && !kernel.kernel->module->imported) {
      constants[p.name] = checkConstant(e, "-D " + p.name, p, define->second, p.range);
      e.usedDefinitions.insert(p.name);
    } else if (p.defaultValue)
      constants[p.name] = checkConstant(e, kernel.kernel->name, p, e.eval(*p.defaultValue), p.defaultValue->range);
    else {
      auto builder = e.report(range.valid() ? range : kernel.kernel->def->nameRange,
                              diag::missing_constexpr{.kernel = kernel.kernel->name, .parameter = p.name});
      builder.note(p.range, "`" + p.name + "` is declared here, without a default");
      // Of types `f32` is a guess; of other parameters there is none.
      const std::string annotation = p.annotation ? e.diags.sources.text(p.annotation->range).str() : "";
      const std::string instance = "[" + p.name + "=" + (annotation == "Constexpr[type]" ? "f32" : "...") + "]";
      const std::string help = "make an instance: `" + kernel.kernel->name + instance + "`";
      const auto end = range.begin + uint32_t(kernel.kernel->name.size());
      const llvm::StringRef written = range.valid() ? e.diags.sources.text(range) : "";
      if (annotation == "Constexpr[type]" &&
          (written == kernel.kernel->name || written.starts_with(kernel.kernel->name + "(")))
        builder.help(help, Fix::possible({range.file, end, end}, instance));
      else
        builder.help(help);
      throw Failed{};
    }
    e.frame->variables[p.name] = constants[p.name];
  }
  auto &tune = kernel.kernel->tune;
  if (tune && takesLlvmOptions(*kernel.kernel) &&
      llvm::any_of(tune->offered, [](auto &offer) { return offer.first == llvmConstant; }))
    constants.insert({llvmConstant, makeDict({}, {})}); // the kernel's own options
  return constants;
}

void bindConstants(Elaborator &e, const KernelDefinition &kernel, const std::map<std::string, Value> &constants) {
  for (auto &[name, value] : constants)
    if (name != llvmConstant || !takesLlvmOptions(kernel))
      e.frame->variables[name] = value;
}

std::map<std::string, Value> resolveConstants(Elaborator &e, const KernelValue &kernel, SourceRange range) {
  auto constants = ownConstants(e, kernel, range);
  auto entries = tunedEntries(e, kernel, constants);
  if (entries.empty())
    return constants;
  // A call that says no shape has the values of the shape that takes longest.
  auto longest = std::max_element(entries.begin(), entries.end(), [](auto &a, auto &b) { return a.figure < b.figure; });
  return ownConstants(e, withConstants(kernel, longest->values), range);
}

std::optional<std::string> notForTarget(Elaborator &e, const ast::Expr *arch, ModuleScope *module) {
  if (!arch)
    return std::nullopt;
  FrameScope scope(e, module);
  Value value = e.eval(*arch);
  if (auto *holds = value.as<bool>())
    return *holds ? std::nullopt
                  : std::optional<std::string>("where `" + e.diags.sources.text(arch->range).str() + "` holds");
  Values names = value.sequence() ? *value.sequence() : Values{value};
  std::string others;
  for (auto &each : names) {
    auto *name = each.as<std::string>();
    if (!name)
      e.fail(diag::wrong_value, arch->range,
             {"`arch=`", "the name of an architecture, a list of them, or a condition", describe(each)});
    auto *found = target::find(*name);
    if (!found) {
      std::vector<std::string> all;
      for (auto &t : target::all())
        all.push_back(std::string(t.name));
      auto guess = didYouMean(*name, all);
      e.report(diag::unknown_arch, arch->range, {*name, guess ? "; did you mean `" + *guess + "`?" : ""})
          .help("targets: " + target::names());
      throw Failed{};
    }
    if (found == &e.target)
      return std::nullopt;
    others += (others.empty() ? "for " : ", ") + *name;
  }
  return others.empty() ? "for no architecture" : others;
}

std::optional<std::string> notForTarget(Elaborator &e, const KernelDefinition &kernel) {
  auto found = kernel.options.find("arch");
  return notForTarget(e, found == kernel.options.end() ? nullptr : found->second, kernel.module);
}

bool hasAllConstants(Elaborator &e, const KernelDefinition &kernel) {
  return llvm::all_of(kernel.def->parameters, [&](auto &p) {
    return !p.keywordOnly || p.defaultValue || (e.definitions.count(p.name) && !kernel.module->imported);
  });
}

/// `text` as a part of a symbol: each run of other characters is one underscore.
static std::string symbolPart(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    if (llvm::isAlnum(c) || c == '-')
      out += c == '-' ? 'm' : c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  return llvm::StringRef(out).rtrim('_').str();
}

/// What `name=` says of an instance with these constants.
static std::string chosenSymbol(Elaborator &e, const KernelValue &kernel, const ast::Expr &name, SourceRange range) {
  FrameScope scope(e, kernel.kernel->module);
  bindConstants(e, *kernel.kernel, resolveConstants(e, kernel, range));
  Value value = e.eval(name);
  auto *text = value.as<std::string>();
  const llvm::StringRef symbol = text ? llvm::StringRef(*text) : llvm::StringRef();
  if (symbol.empty() || llvm::isDigit(symbol[0]) ||
      !llvm::all_of(symbol, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    e.fail(name.range, diag::bad_instance_name{.found = text ? "`" + *text + "`" : describe(value)});
  return *text;
}

std::string instanceSymbol(Elaborator &e, const KernelValue &instance, SourceRange range) {
  const KernelDefinition &kernel = *instance.kernel;
  if (auto chosen = kernel.options.find("name"); chosen != kernel.options.end())
    return chosenSymbol(e, instance, *chosen->second, range);
  std::string symbol = kernel.name;
  for (auto &p : kernel.def->parameters)
    if (auto found = instance.constants->find(p.name); p.keywordOnly && found != instance.constants->end())
      symbol += "__" + p.name + "_" + symbolPart(toText(found->second));
  if (auto found = instance.constants->find(llvmConstant);
      found != instance.constants->end() && takesLlvmOptions(kernel))
    if (auto *options = found->second.as<DictValue>(); options && !options->keys->empty()) {
      symbol += "__llvm";
      for (auto [name, value] : llvm::zip(*options->keys, *options->values))
        symbol += "_" + symbolPart(toText(name)) + "_" + symbolPart(toText(value));
    }
  return symbol;
}

std::string displayName(const KernelValue &kernel) {
  std::string text;
  for (auto &p : kernel.kernel->def->parameters)
    if (auto found = kernel.constants->find(p.name); p.keywordOnly && found != kernel.constants->end())
      text += (text.empty() ? "[" : ", ") + p.name + "=" + toText(found->second, true);
  return kernel.kernel->name + (text.empty() ? "" : text + "]");
}

} // namespace fly::sema
