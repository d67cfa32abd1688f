// The prelude: look-up, names that are not functions, and the binding of a builtin's arguments.
#include "compiler/sema/Builtins.h"

#include "compiler/dialect/FlyOps.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

namespace fly::sema {

static const llvm::StringMap<const Builtin *> &builtinTable() {
  static const auto table = [] {
    llvm::StringMap<const Builtin *> map;
    for (auto family : {mathBuiltins(), deviceBuiltins(), waveBuiltins(), sequenceBuiltins(), checkBuiltins(), launchBuiltins()})
      for (auto &builtin : family)
        map[builtin.name] = &builtin;
    return map;
  }();
  return table;
}

const Builtin *findBuiltin(llvm::StringRef name) { return builtinTable().lookup(name); }

std::vector<const Builtin *> allBuiltins() {
  std::vector<const Builtin *> all;
  for (auto family : {mathBuiltins(), deviceBuiltins(), waveBuiltins(), sequenceBuiltins(), checkBuiltins(), launchBuiltins()})
    for (auto &builtin : family)
      all.push_back(&builtin);
  return all;
}

namespace {
struct Named { const char *name; Value value; };
const std::vector<Named> &constants() {
  static const std::vector<Named> table = {
      {"In", Value(GenericValue{Generic::In})},
      {"Out", Value(GenericValue{Generic::Out})},
      {"InOut", Value(GenericValue{Generic::InOut})},
      {"Constexpr", Value(GenericValue{Generic::Constexpr})},
      {"vec", Value(GenericValue{Generic::Vec})},
      {"Vector", Value(GenericValue{Generic::Vec})},
      {"thread_id", Value(IndexValue{IndexKind::ThreadId})},
      {"block_id", Value(IndexValue{IndexKind::BlockId})},
      {"block_dim", Value(IndexValue{IndexKind::BlockDim})},
      {"grid_dim", Value(IndexValue{IndexKind::GridDim})},
      {"target", Value(TargetValue{})},
      {"device", Value(DeviceValue{})},
      {"inf", Value(std::numeric_limits<double>::infinity())},
      {"nan", Value(std::numeric_limits<double>::quiet_NaN())},
  };
  return table;
}
} // namespace

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
    out.insert(out.end(), {"i1", "lane_id", "wave_id", "wave_size", "type", "expect_refused", "expect_error", "expect_fault", "kernel", "launch", "check", "bench"});
    return out;
  }();
  return names;
}

namespace {
struct SignatureParameter { llvm::StringRef name; bool optional, keywordOnly; };
struct ParsedSignature { std::vector<SignatureParameter> parameters; bool hasRest = false; };

ParsedSignature parseSignature(llvm::StringRef text) {
  ParsedSignature out;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, false);
  bool keywordOnly = false;
  for (auto part : parts) {
    part = part.trim();
    if (part == "*")
      keywordOnly = true;
    else if (part.starts_with("*"))
      out.hasRest = true;
    else
      out.parameters.push_back({part.split('=').first, part.contains('='), keywordOnly});
  }
  return out;
}
} // namespace

BoundCall bindBuiltin(Elaborator &e, const Builtin &builtin, Arguments &arguments, SourceRange range) {
  auto signature = parseSignature(builtin.signature);
  auto &parameters = signature.parameters;
  BoundCall call{&builtin, Values(parameters.size()), std::vector<SourceRange>(parameters.size(), range),
                 std::vector<bool>(parameters.size()), {}, range};
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
      if (found == parameters.end()) {
        std::vector<std::string> names;
        for (auto &p : parameters)
          names.push_back(p.name.str());
        auto guess = didYouMean(argument.keyword, names);
        e.fail(diag::unknown_keyword, argument.range,
               {builtin.name, argument.keyword, guess ? "; did you mean `" + *guess + "`?" : ""});
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
