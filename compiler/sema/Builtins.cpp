// The prelude: look-up, names that are not functions, and the binding of a builtin's arguments.
#include "compiler/sema/Builtins.h"

#include "compiler/sema/BufferCopies.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/Clusters.h"
#include "compiler/sema/LayoutValues.h"
#include "compiler/sema/Suggest.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <limits>

namespace fly::sema {

/// All builtins, in the order in which docs/builtins.md has them.
static auto families() {
  return std::array{mathBuiltins(), floatBuiltins(), integerBuiltins(), deviceBuiltins(), waveBuiltins(), sequenceBuiltins(),
         numberBuiltins(), checkBuiltins(), launchBuiltins(), layoutBuiltins(), algebraBuiltins(), tupleBuiltins(),
         tensorBuiltins(), copyBuiltins(), gatherBuiltins(), universalAtomicBuiltins()};
}

static const llvm::StringMap<const Builtin *> &builtinTable() {
  static const auto table = [] {
    llvm::StringMap<const Builtin *> map;
    for (auto family : families())
      for (auto &builtin : family)
        map[builtin.name] = &builtin;
    return map;
  }();
  return table;
}

const Builtin *findBuiltin(llvm::StringRef name) { return builtinTable().lookup(name); }

std::vector<const Builtin *> allBuiltins() {
  std::vector<const Builtin *> all;
  for (auto family : families())
    for (auto &builtin : family)
      all.push_back(&builtin);
  return all;
}

namespace {
struct Named { const char *name, *doc; Value value; };
const std::vector<Named> &constants() {
  static const std::vector<Named> table = {
      {"In", "a tensor parameter that a kernel reads: `In[T, shape]`", Value(GenericValue{Generic::In})},
      {"Out", "a tensor parameter that a kernel writes", Value(GenericValue{Generic::Out})},
      {"InOut", "a tensor parameter that a kernel reads and writes", Value(GenericValue{Generic::InOut})},
      {"Constexpr", "a parameter known at compile time: `Constexpr[int]`", Value(GenericValue{Generic::Constexpr})},
      {"vec", "a vector type: `vec[f32, 4]`", Value(GenericValue{Generic::Vec})},
      {"Vector", "the same as `vec`", Value(GenericValue{Generic::Vec})},
      {"Pointer", "an address: `Pointer[f32, global]`", Value(GenericValue{Generic::Pointer})},
      {"layout", "a layout: `layout[(8, 16):(1, 8)]`, or read from CuTe's text: `layout(\"S<3,3,3> o 0 o ((8),64):((64),1)\")`", Value(GenericValue{Generic::Layout})},
      {"_", "in coordinates and tiles, a mode that is kept whole, like `None` and `:`", keepValue()},
      {"LayoutLeft", "the order of `make_layout` in which the first mode is contiguous", Value("LayoutLeft")},
      {"LayoutRight", "the order in which the last mode is contiguous", Value("LayoutRight")},
      {"thread_id", "the thread in its workgroup: `.x .y .z`", Value(IndexValue{IndexKind::ThreadId})},
      {"block_id", "the workgroup in the grid: `.x .y .z`", Value(IndexValue{IndexKind::BlockId})},
      {"block_dim", "threads of a workgroup: `.x .y .z`", Value(IndexValue{IndexKind::BlockDim})},
      {"grid_dim", "workgroups of the grid: `.x .y .z`", Value(IndexValue{IndexKind::GridDim})},
      {"cluster_id", "the cluster in the grid of clusters: `.x .y .z`; without `cluster=`, `block_id`", Value(IndexValue{IndexKind::ClusterId})},
      {"cluster_dim", "workgroups of a cluster, known at compile time: `.x .y .z`; without `cluster=`, 1", Value(IndexValue{IndexKind::ClusterDim})},
      {"cluster_block_id", "the workgroup in its cluster: `.x .y .z`; without `cluster=`, 0", Value(IndexValue{IndexKind::ClusterBlockId})},
      {"target", "the architecture being compiled for: `.arch .wave .lds_bytes .has(feature)`", Value(TargetValue{})},
      {"device", "the device that a `@launch` function launches on: `.compute_units`", Value(DeviceValue{})},
      {"inf", "infinity", Value(std::numeric_limits<double>::infinity())},
      {"nan", "not a number", Value(std::numeric_limits<double>::quiet_NaN())},
  };
  return table;
}
} // namespace

std::vector<std::pair<std::string, std::string>> preludeConstants() {
  std::vector<std::pair<std::string, std::string>> all;
  for (auto &named : constants())
    all.push_back({named.name, named.doc});
  all.push_back({"cluster_rank", "the workgroup's linear index in its cluster, x first"});
  all.push_back({"lane_id", "the thread's index in its wave"});
  all.push_back({"wave_id", "the wave's index in its workgroup"});
  all.push_back({"wave_size", "lanes of a wave: 32 or 64, known at compile time"});
  return all;
}

std::optional<Value> preludeValue(Elaborator &e, llvm::StringRef name, SourceRange range) {
  if (auto number = host::numberByName(name))
    return Value(Type::scalar(*number));
  for (auto &named : constants())
    if (name == named.name)
      return named.value;
  if (name == "lane_id") {
    auto &b = e.ir(range, "lane_id");
    return Value(MachineValue{ir::LaneIdOp::create(b, e.location(range)), Type::scalar(host::Number::I32)});
  }
  if (name == "cluster_rank")
    return clusterRank(e, range);
  if (name == "wave_size")
    return Value(int64_t(e.target.waveSize));
  if (name == "wave_id") {
    auto &b = e.ir(range, "wave_id");
    mlir::OpBuilder::InsertionGuard guard(b); // found once, for all loops
    b.setInsertionPointToStart(e.kernelEntry);
    mlir::Value wave = ir::WaveIdOp::create(b, e.location(range), b.getI32Type(), e.target.waveSize, e.target.has("wave_id_register"));
    return Value(MachineValue{wave, Type::scalar(host::Number::I32)});
  }
  return std::nullopt;
}

const std::vector<std::string> &preludeNames() {
  static const auto names = [] {
    std::vector<std::string> out;
    for (auto *builtin : allBuiltins())
      out.push_back(builtin->name);
    for (auto &named : constants())
      out.push_back(named.name);
    for (auto &format : host::allFormats())
      out.push_back(format.name);
    out.insert(out.end(), {"i1", "cluster_rank", "lane_id", "wave_id", "wave_size", "type", "expect_refused", "expect_error", "expect_fault", "fastmath", "denormals",
                           "kernel", "launch", "check", "bench", "extern"});
    return out;
  }();
  return names;
}

namespace {
struct SignatureParameter { llvm::StringRef name; bool optional, keywordOnly; };
struct ParsedSignature { std::vector<SignatureParameter> parameters; bool hasRest = false, hasKeywords = false; };

ParsedSignature parseSignature(llvm::StringRef text) {
  ParsedSignature out;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, false);
  bool keywordOnly = false;
  for (auto part : parts) {
    part = part.trim();
    if (part.starts_with("**"))
      out.hasKeywords = true;
    else if (part.starts_with("*")) {
      out.hasRest = part != "*";
      keywordOnly = true;
    } else
      out.parameters.push_back({part.split('=').first, part.contains('='), keywordOnly});
  }
  return out;
}
} // namespace

/// Each signature is taken apart once.
static const ParsedSignature &signatureOf(const Builtin &builtin) {
  static thread_local llvm::DenseMap<const char *, std::unique_ptr<ParsedSignature>> known;
  auto &slot = known[builtin.signature];
  if (!slot)
    slot = std::make_unique<ParsedSignature>(parseSignature(builtin.signature));
  return *slot;
}

std::string parameterName(const Builtin &builtin, size_t index) { return signatureOf(builtin).parameters[index].name.str(); }

BoundCall bindBuiltin(Elaborator &e, const Builtin &builtin, Arguments &arguments, SourceRange range) {
  auto &signature = signatureOf(builtin);
  auto &parameters = signature.parameters;
  BoundCall call{&builtin, Values(parameters.size()), std::vector<SourceRange>(parameters.size(), range),
                 std::vector<bool>(parameters.size()), {}, range, nullptr};
  size_t next = 0, positional = llvm::count_if(parameters, [](auto &p) { return !p.keywordOnly; });
  for (auto &argument : arguments) {
    size_t at;
    if (argument.keyword.empty()) {
      if (next >= positional) {
        if (signature.hasRest) {
          call.rest.push_back(argument);
          continue;
        }
        size_t count = llvm::count_if(arguments, [](auto &a) { return a.keyword.empty(); });
        e.report(diag::wrong_argument_count, range,
                 {builtin.name, (positional == 1 ? "1 argument" : std::to_string(positional) + " arguments"), std::to_string(count)})
            .note(std::string("`") + builtin.name + "(" + builtin.signature + ")`: " + builtin.doc);
        throw Failed{};
      }
      at = next++;
    } else {
      auto found = llvm::find_if(parameters, [&](auto &p) { return p.name == argument.keyword; });
      if (found == parameters.end() && signature.hasKeywords) {
        call.rest.push_back(argument);
        continue;
      }
      if (found == parameters.end()) {
        std::vector<std::string> names;
        for (auto &p : parameters)
          names.push_back(p.name.str());
        failUnknown(e, diag::unknown_keyword, argument.range, builtin.name, argument.keyword, names);
      }
      at = size_t(found - parameters.begin());
    }
    if (call.given[at])
      e.fail(diag::duplicate_argument, argument.range, {builtin.name, parameters[at].name.str()});
    call.values[at] = argument.value;
    call.ranges[at] = argument.range;
    call.given[at] = true;
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!call.given[i] && !parameters[i].optional) {
      e.report(diag::missing_argument, range, {builtin.name, parameters[i].name.str()})
          .note(std::string("`") + builtin.name + "(" + builtin.signature + ")`: " + builtin.doc);
      throw Failed{};
    }
  return call;
}

} // namespace fly::sema
