// See Promises.h. A loop of the source is found in the machine code by its back edge: the line table maps the last
// branch of each natural loop to a statement. Where LLVM puts the test into the middle of a loop, its back edge is a
// branch without a line; then the blocks that leave the loop tell, or what decides before them whether they do. If LLVM
// made several loops of one (an unrolled one and one for the remaining iterations), the one with the most instructions
// is meant; of a loop in a loop, the inner one. A loop that was unrolled completely, or never runs, cannot be counted,
// which also breaks the promise.
#include "compiler/object_checks/Promises.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/isa/CodeObject.h"
#include "compiler/isa/ControlFlow.h"
#include "compiler/isa/Decoder.h"
#include "compiler/isa/InstructionClasses.h"
#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/number/Constants.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/SmallSet.h"

namespace fly::driver {

namespace {

struct Resource {
  const char *name;
  uint32_t artifact::ResourceInfo::*member;
};
constexpr Resource resources[] = {
    {"vgprs", &artifact::ResourceInfo::vgprs},          {"agprs", &artifact::ResourceInfo::agprs},
    {"sgprs", &artifact::ResourceInfo::sgprs},          {"lds", &artifact::ResourceInfo::ldsBytes},
    {"scratch", &artifact::ResourceInfo::scratchBytes}, {"waves", &artifact::ResourceInfo::occupancy},
    {"resident", &artifact::ResourceInfo::workgroups},
};
const Resource *findResource(llvm::StringRef name) {
  auto *found = llvm::find_if(resources, [&](auto &each) { return name == each.name; });
  return found == std::end(resources) ? nullptr : found;
}

/// What the time model finds, of a launch or of an iteration of a loop.
struct ModelledFigure {
  const char *name;
  bool isShare;
  double (*ofLaunch)(const emulator::Timing &timing);
  double (*ofLoop)(const emulator::TimedLoop &loop); ///< null: only of a launch
};
constexpr ModelledFigure figures[] = {
    {"cycles", false, [](const emulator::Timing &t) { return double(t.cycles); },
     [](const emulator::TimedLoop &l) { return l.cycles; }},
    {"matrix_share", true, [](const emulator::Timing &t) { return t.matrixShare(); },
     [](const emulator::TimedLoop &l) { return l.matrixShare; }},
    {"memory_share", true,
     [](const emulator::Timing &t) {
       return t.memoryBytes / (double(std::max<uint64_t>(1, t.cycles)) * t.peakMemoryBytes);
     },
     nullptr},
};
const ModelledFigure *findFigure(llvm::StringRef name) {
  auto *found = llvm::find_if(figures, [&](auto &each) { return name == each.name; });
  return found == std::end(figures) ? nullptr : found;
}

// ---------------------------------------------------------------------------------------------------------
// Reading

/// Instructions of a loop that lie out of line.
constexpr llvm::StringLiteral coldKey = "cold";

/// `@expect(...)`'s call; null for another decorator.
const ast::CallExpr *expectation(const ast::Expr *decorator) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(decorator);
  auto *name = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
  return name && name->name == "expect" ? call : nullptr;
}

void checkKey(sema::Elaborator &e, const ast::Argument &argument) {
  const std::string &key = argument.keyword;
  if (key == coldKey || findResource(key) || findFigure(key) || isa::findInstructionClass(key) ||
      llvm::any_of(target::all(), [&](auto &each) { return each.has(key); }))
    return;
  std::vector<std::string> names = {"loop", "arch", coldKey.str()};
  for (auto &each : resources)
    names.push_back(each.name);
  for (auto &each : figures)
    names.push_back(each.name);
  for (auto &each : isa::instructionClasses())
    names.push_back(each.name);
  failUnknown(e, diag::unknown_keyword, argument.range, "@expect", key, names);
}

[[noreturn]] void failBounds(sema::Elaborator &e, const ast::Argument &argument, const std::string &kind,
                             const sema::Value &value) {
  e.fail(diag::wrong_value, argument.value->range,
         {"`" + argument.keyword + "=`", kind + " known at compile time, or a pair of them, `(least, most)`",
          toText(value, true)});
}

/// A number, or a tuple of the least and the most.
std::pair<int64_t, int64_t> readBounds(sema::Elaborator &e, const ast::Argument &argument) {
  sema::Value value = e.eval(*argument.value);
  sema::Values ends = value.sequence() ? *value.sequence() : sema::Values{value, value};
  std::optional<int64_t> least, most;
  if (ends.size() == 2 && ends[0].is<sema::Int>() && ends[1].is<sema::Int>())
    least = toInt64(ends[0]), most = toInt64(ends[1]);
  if (!least || !most || *least < 0 || *most < *least)
    failBounds(e, argument, "a count", value);
  return {*least, *most};
}

/// The same for the time model: numbers, of shares 0 to 1.
std::pair<double, double> readFigure(sema::Elaborator &e, const ast::Argument &argument, const ModelledFigure &figure) {
  sema::Value value = e.eval(*argument.value);
  sema::Values ends = value.sequence() ? *value.sequence() : sema::Values{value, value};
  auto isNumber = [](const sema::Value &each) { return each.is<sema::Int>() || each.is<double>(); };
  if (ends.size() == 2 && isNumber(ends[0]) && isNumber(ends[1])) {
    const double low = toDouble(e, ends[0], argument.range), high = toDouble(e, ends[1], argument.range);
    if (low >= 0 && high >= low && (!figure.isShare || high <= 1))
      return {low, high};
  }
  failBounds(e, argument, figure.isShare ? "a share from 0 to 1" : "a number", value);
}

void readExpectation(sema::Elaborator &e, const ast::CallExpr &call, const sema::KernelValue &kernel,
                     const std::map<std::string, sema::Value> &constants, std::vector<Promise> &out) {
  const ast::Argument *loop = nullptr, *arch = nullptr;
  std::set<std::string> seen;
  for (auto &argument : call.arguments) {
    if (argument.keyword.empty())
      e.fail(diag::bad_decorator, argument.range, {"`@expect` takes keywords only: `scratch=0`"});
    if (!seen.insert(argument.keyword).second)
      e.fail(diag::duplicate_argument, argument.range, {"@expect", argument.keyword});
    if (argument.keyword == "loop")
      loop = &argument;
    else if (argument.keyword == "arch")
      arch = &argument;
    else
      checkKey(e, argument);
  }
  if (notForTarget(e, arch ? arch->value : nullptr, kernel.kernel->module))
    return;
  sema::FrameScope scope(e, kernel.kernel->module);
  for (unsigned i = 0; auto &parameter : kernel.kernel->def->parameters) // known at launch, which is too late here
    e.frame->variables[parameter.name] =
        sema::Value(sema::HostValue{host::parameter(i++, parameter.name, host::ExprKind::Int)});
  for (auto &[name, value] : constants)
    e.frame->variables[name] = value;
  std::string name;
  if (loop) {
    sema::Value value = e.eval(*loop->value);
    auto *text = value.as<std::string>();
    if (!text)
      e.fail(loop->value->range,
             diag::not_a_string{.what = "`loop=`, the name of a loop,", .found = toText(value, true)});
    name = *text;
  }
  for (auto &argument : call.arguments) {
    if (&argument == loop || &argument == arch)
      continue;
    auto *figure = findFigure(argument.keyword);
    if (!loop && argument.keyword == coldKey)
      e.fail(diag::bad_decorator, argument.range, {"`cold` counts instructions of a loop; add `loop=`"});
    if (loop &&
        (figure ? !figure->ofLoop : findResource(argument.keyword) && !isa::findInstructionClass(argument.keyword)))
      e.report(diag::bad_decorator, argument.range,
               {"`" + argument.keyword + "` applies to the whole kernel, not to a loop"})
          .help("put it into an `@expect` without `loop=`"),
          throw sema::Failed{};
    Promise promise;
    promise.key = argument.keyword;
    promise.text = e.diags.sources.text(argument.range).str();
    promise.loop = name;
    promise.range = argument.range;
    promise.loopRange = loop ? loop->range : SourceRange{};
    promise.isModelled = figure != nullptr;
    if (figure)
      std::tie(promise.low, promise.high) = readFigure(e, argument, *figure);
    else
      std::tie(promise.least, promise.most) = readBounds(e, argument);
    out.push_back(std::move(promise));
  }
}

} // namespace

/// `@kernel(resident=N)` is a promise, too.
static Promise residencyPromise(sema::Elaborator &e, const ast::Expr &expr, const sema::KernelValue &kernel,
                                const std::map<std::string, sema::Value> &constants) {
  sema::FrameScope scope(e, kernel.kernel->module);
  sema::bindConstants(e, *kernel.kernel, constants);
  Promise promise;
  promise.key = "resident";
  promise.least = requireInt(e, e.eval(expr), expr.range, "`resident=`");
  promise.most = INT64_MAX;
  promise.text = "resident=" + std::to_string(promise.least);
  promise.range = expr.range;
  return promise;
}

std::optional<std::vector<Promise>> readPromises(sema::Elaborator &e, const sema::KernelValue &kernel,
                                                 SourceRange range) {
  std::vector<Promise> out;
  try {
    std::optional<std::map<std::string, sema::Value>> constants;
    for (auto *decorator : kernel.kernel->def->decorators)
      if (auto *call = expectation(decorator)) {
        if (!constants)
          constants = resolveConstants(e, kernel, range);
        readExpectation(e, *call, kernel, *constants, out);
      }
    if (auto resident = kernel.kernel->options.find("resident"); resident != kernel.kernel->options.end())
      out.push_back(
          residencyPromise(e, *resident->second, kernel, constants ? *constants : resolveConstants(e, kernel, range)));
  } catch (sema::Failed &) {
    ++e.failures;
    return std::nullopt;
  }
  return out;
}

std::vector<NamedLoop> namedLoops(mlir::Operation *module) {
  std::vector<NamedLoop> out;
  module->walk([&](mlir::Operation *op) {
    auto name = op->getAttrOfType<mlir::StringAttr>(ir::loopNameAttr);
    if (!name)
      return;
    mlir::Location place = op->getLoc();
    while (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(place))
      place = call.getCallee();
    if (auto at = llvm::dyn_cast<mlir::FileLineColRange>(place))
      out.push_back({name.str(), at.getFilename().str(), at.getStartLine()});
  });
  return out;
}

// ---------------------------------------------------------------------------------------------------------
// Checking

namespace {

/// The decoded code of one kernel, and what is counted in it.
class Code {
public:
  static llvm::Expected<Code> read(const isa::CodeObject &object, const isa::Kernel &kernel) {
    auto decoder = isa::Decoder::create(object.architecture(), kernel.waveSize);
    if (!decoder)
      return decoder.takeError();
    auto instructions = (*decoder)->decodeKernel(object.text(kernel), kernel.entry);
    if (!instructions)
      return instructions.takeError();
    object.attachLocations(*instructions);
    Code code;
    for (auto &instruction : *instructions)
      code.names.push_back(isa::mnemonic((*decoder)->print(instruction)).str());
    code.instructions = std::move(*instructions);
    code.files = object.files();
    return code;
  }

  using Part = std::vector<uint32_t>; ///< numbers of instructions

  Part whole() const {
    Part out(instructions.size());
    for (uint32_t i = 0; i < out.size(); ++i)
      out[i] = i;
    return out;
  }

  /// What runs in each iteration, as far as its place tells, and what lies out of line for rare cases.
  struct LoopParts {
    Part hot, cold;
  };
  /// The loop that one of these becomes; empty if there is none.
  LoopParts loopOf(llvm::StringRef name, const std::vector<NamedLoop> &named) const {
    isa::ControlFlow flow(instructions);
    const std::vector<isa::ControlFlow::Loop> loops = flow.loops();
    auto endsHere = [&](uint32_t block) { return endsAtLine(flow.blocks()[block], name, named); };
    // A flag that blocks before it set: `s_and_b32 vcc_lo, exec_lo, s5` and a branch, both without a line.
    auto isDecidedHere = [&](const isa::ControlFlow::Loop &loop, uint32_t block) {
      llvm::SmallVector<uint32_t> work{block};
      llvm::SmallSet<uint32_t, 8> seen;
      while (!work.empty()) {
        const uint32_t each = work.pop_back_val();
        if (!seen.insert(each).second)
          continue;
        if (endsHere(each))
          return true;
        if (!instructions[flow.blocks()[each].last - 1].location.valid())
          for (uint32_t before : flow.blocks()[each].predecessors)
            if (each != loop.header && llvm::is_contained(loop.blocks, before))
              work.push_back(before);
      }
      return false;
    };
    auto leaves = [&](const isa::ControlFlow::Loop &loop, uint32_t block) {
      return llvm::any_of(flow.blocks()[block].successors,
                          [&](uint32_t next) { return !llvm::is_contained(loop.blocks, next); });
    };
    std::vector<const isa::ControlFlow::Loop *> found;
    for (auto &loop : loops)
      if (llvm::any_of(loop.latches, endsHere))
        found.push_back(&loop);
    if (found.empty())
      for (auto &loop : loops)
        if (llvm::any_of(loop.blocks,
                         [&](uint32_t block) { return leaves(loop, block) && isDecidedHere(loop, block); }))
          found.push_back(&loop);
    LoopParts best;
    for (auto *loop : found) {
      const bool hasInner = llvm::any_of(
          found, [&](auto *other) { return other != loop && llvm::is_contained(loop->blocks, other->header); });
      if (hasInner)
        continue;
      LoopParts parts;
      const std::vector<uint32_t> cold = flow.outOfLine(loop->header, loop->latches, loop->blocks);
      for (uint32_t block : loop->blocks)
        for (uint32_t i = flow.blocks()[block].first; i < flow.blocks()[block].last; ++i)
          (llvm::is_contained(cold, block) ? parts.cold : parts.hot).push_back(i);
      if (parts.hot.size() > best.hot.size())
        best = std::move(parts);
    }
    return best;
  }

  bool counts(uint32_t number, llvm::StringRef key) const {
    auto &instruction = instructions[number];
    if (auto *found = isa::findInstructionClass(key))
      return found->holds(instruction);
    return names[number] == key || isa::commonMnemonic(instruction) == key;
  }
  /// Pairs (VOPD) hold two instructions; a name is counted in either half.
  int64_t count(const Part &part, llvm::StringRef key) const {
    bool isClass = isa::findInstructionClass(key);
    int64_t out = 0;
    for (uint32_t number : part) {
      auto &pair = instructions[number].components;
      if (isClass || pair.empty())
        out += counts(number, key);
      else
        out += llvm::count_if(pair, [&](auto &half) { return isa::commonMnemonic(half) == key; });
    }
    return out;
  }

  /// Alternatives to report: instructions whose names share the prefix of `key` up to its last `_`, by count.
  std::vector<std::pair<std::string, int64_t>> relatives(const Part &part, llvm::StringRef key) const {
    llvm::StringRef stem = key.rsplit('_').first;
    std::map<std::string, int64_t> found;
    if (stem.contains('_') && !isa::findInstructionClass(key))
      for (uint32_t number : part)
        if (llvm::StringRef(names[number]).starts_with((stem + "_").str()) && !counts(number, key))
          ++found[names[number]];
    std::vector<std::pair<std::string, int64_t>> out(found.begin(), found.end());
    llvm::stable_sort(out, [](auto &a, auto &b) { return a.second > b.second; });
    return out;
  }

  /// The line of `file` from which most instructions with the name or class `key` come, and how many.
  std::pair<unsigned, int64_t> origin(const Part &part, llvm::StringRef key, llvm::StringRef file) const {
    std::map<unsigned, int64_t> lines;
    for (uint32_t number : part)
      if (auto &at = instructions[number].location;
          counts(number, key) && at.valid() && at.file < files.size() && files[at.file] == file)
        ++lines[at.line];
    std::pair<unsigned, int64_t> out{0, 0};
    for (auto &each : lines)
      if (each.second > out.second)
        out = each;
    return out;
  }

private:
  /// Whether a block's last branch belongs to a loop of this name; or if the branch has no line (LLVM makes new branches
  /// when it places blocks), the comparison before it.
  bool endsAtLine(const isa::Block &block, llvm::StringRef name, const std::vector<NamedLoop> &named) const {
    auto isAtLine = [&](uint32_t number) {
      auto &at = instructions[number].location;
      return at.valid() && at.file < files.size() &&
             llvm::any_of(
                 named,
                 [&](auto &each) { return each.name == name && each.file == files[at.file] && each.line == at.line; });
    };
    for (uint32_t i = block.last; i > block.first; --i)
      if (llvm::StringRef mnemonic = names[i - 1]; mnemonic.starts_with("s_cmp") || mnemonic.starts_with("v_cmp"))
        return isAtLine(i - 1) || isAtLine(block.last - 1);
    return isAtLine(block.last - 1);
  }

  std::vector<isa::Instruction> instructions;
  std::vector<std::string> names;
  std::vector<std::string> files;
};

std::string boundsText(const Promise &promise) {
  if (promise.most == INT64_MAX)
    return promise.text;
  if (promise.least == promise.most)
    return promise.key + "=" + std::to_string(promise.least);
  return promise.key + "=(" + std::to_string(promise.least) + ", " + std::to_string(promise.most) + ")";
}

/// A line without the blanks around it.
SourceRange lineRange(const SourceManager &sources, FileId file, unsigned line) {
  llvm::StringRef text = sources.line(file, line).trim();
  auto begin = uint32_t(text.data() - sources.text(file).data());
  return {file, begin, begin + uint32_t(text.size())};
}

/// Checks and reports promises of one instance.
/// Where a promise holds, as a message says it: "" for the whole kernel.
std::string placeOf(const Promise &promise) { return promise.loop.empty() ? "" : " in loop `" + promise.loop + "`"; }

struct Keeper {
  DiagnosticEngine &diags;
  const std::function<std::string(FileId)> &fileName;
  const Promised &instance;
  const Code &code;
  llvm::StringRef architecture;

  DiagnosticBuilder report(const Promise &promise, const std::string &found) {
    auto builder = diags.report(
        promise.range, diag::broken_promise{.promise = boundsText(promise), .where = placeOf(promise), .found = found});
    builder.note("while compiling `" + instance.info->symbol + "` for " + architecture);
    return builder;
  }

  bool keep(const Promise &promise) {
    if (promise.isModelled)
      return true;
    auto holds = [&](int64_t value) { return promise.least <= value && value <= promise.most; };
    if (auto *resource = findResource(promise.key); resource && promise.loop.empty()) {
      int64_t value = instance.info->resources.*resource->member;
      if (!holds(value))
        report(promise, std::to_string(value));
      return holds(value);
    }
    Code::LoopParts parts;
    if (promise.loop.empty())
      parts.hot = code.whole();
    else
      parts = code.loopOf(promise.loop, instance.promises->loops);
    const Code::Part &part = parts.hot;
    if (part.empty()) {
      bool isKnown = llvm::any_of(instance.promises->loops, [&](auto &each) { return each.name == promise.loop; });
      report(promise, "no such loop")
          .label(promise.loopRange, isKnown
                                        ? "the machine code has no such loop: it was fully unrolled, or it never runs"
                                        : "the kernel has no `range(..., name=\"" + promise.loop + "\")`");
      return false;
    }
    if (promise.key == coldKey) {
      const auto value = int64_t(parts.cold.size());
      if (!holds(value))
        report(promise, std::to_string(value));
      return holds(value);
    }
    int64_t value = code.count(part, promise.key);
    if (!holds(value))
      explain(promise, part, value);
    return holds(value);
  }

private:
  void explain(const Promise &promise, const Code::Part &part, int64_t value) {
    auto builder = report(promise, std::to_string(value));
    auto relatives = code.relatives(part, promise.key);
    std::string others;
    for (auto &[name, count] : relatives)
      others += (others.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    if (!others.empty())
      builder.caret(std::to_string(value) + ", and " + others);
    // What was found instead, or the instructions that are too many.
    std::string shown = relatives.empty() ? promise.key : relatives.front().first;
    if (relatives.empty() && value <= promise.most)
      return;
    FileId file = promise.range.file;
    if (auto [line, count] = code.origin(part, shown, fileName(file)); line)
      builder.label(lineRange(diags.sources, file, line), std::to_string(count) + " " +
                                                              (relatives.empty() ? "of them" : shown) + " " +
                                                              plural(count, "comes", "come") + " from here");
  }
};

} // namespace

bool keepPromises(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                  llvm::StringRef codeObject, llvm::ArrayRef<Promised> instances) {
  if (llvm::all_of(instances, [](auto &each) { return each.promises->list.empty(); }))
    return true;
  auto fail = [&](const std::string &symbol, llvm::Error error) {
    diags.report(diag::backend_failure, {}).arg(symbol).arg(llvm::toString(std::move(error)));
    return false;
  };
  auto object = isa::CodeObject::read(codeObject);
  if (!object)
    return fail("a code object", object.takeError());
  bool kept = true;
  for (auto &instance : instances) {
    auto *kernel = object->find(instance.info->symbol);
    if (instance.promises->list.empty() || !kernel)
      continue;
    auto code = Code::read(*object, *kernel);
    if (!code)
      return fail(instance.info->symbol, code.takeError());
    for (auto &promise : instance.promises->list)
      kept &= Keeper{diags, fileName, instance, *code, object->architecture()}.keep(promise);
  }
  return kept;
}

bool keepModelledPromises(DiagnosticEngine &diags, const Promises &promises, const artifact::InstanceInfo &info,
                          const emulator::Timing &timing) {
  bool all = true;
  for (auto &promise : promises.list) {
    if (!promise.isModelled)
      continue;
    auto *figure = findFigure(promise.key);
    // Of the loops of a name, the one that takes most cycles comes first.
    auto loop = llvm::find_if(timing.loops, [&](const emulator::TimedLoop &each) {
      return llvm::any_of(promises.loops, [&](auto &named) {
        return named.name == promise.loop && named.file == each.file && named.line == each.line;
      });
    });
    const bool ran = promise.loop.empty() || loop != timing.loops.end();
    const double value = !ran ? 0 : promise.loop.empty() ? figure->ofLaunch(timing) : figure->ofLoop(*loop);
    if (ran && promise.low <= value && value <= promise.high)
      continue;
    all = false;
    std::string found = "no iterations";
    if (ran)
      llvm::raw_string_ostream(found = "") << llvm::format(figure->isShare ? "%.4f" : "%.1f", value);
    auto builder = diags.report(
        promise.range, diag::broken_promise{.promise = promise.text, .where = placeOf(promise), .found = found});
    builder.note("`" + info.symbol + "` by the time model of " + timing.machine + " (" +
                 emulator::uncertaintyText(timing) + ")");
  }
  return all;
}

} // namespace fly::driver
