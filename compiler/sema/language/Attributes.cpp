// `base.name`: properties and methods of types, values, modules and the target.
#include "compiler/sema/amd/ExactInstructions.h"
#include "compiler/sema/elaborator/ArrayValues.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/check/HostSubscripts.h"
#include "compiler/sema/tensor/Tensors.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/prelude/Clusters.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/isa/Stream.h"
#include "compiler/sema/value/ForeignNames.h"
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/value/Object.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/tensor/SharedMemory.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/number/Vectors.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/text/Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

[[noreturn]] static void unknown(Elaborator &e, const Value &base, llvm::StringRef name, SourceRange range,
                                 const std::vector<std::string> &names) {
  auto *foreign = foreignName(name);
  if (foreign && llvm::is_contained(names, foreign->ours)) // `x.astype(f32)`
    e.report(diag::unknown_attribute, range,
             {describe(base), name.str(), "; did you mean `" + foreign->ours.str() + "`?"})
        .suggest(range, name, foreign->ours.str()),
        throw Failed{};
  auto *m = base.as<MachineValue>();
  if (m && (name.starts_with("atomic_") || name == "load" ||
            name == "store")) // `x[i].atomic_add(1)`: the element is read by then
    e.report(diag::unknown_attribute, range, {describe(base), name.str(), ""})
        .help("tensors and pointers have it: `x.pointer(i)." + name + "(...)`" +
              (name.starts_with("atomic_") ? ", or `x." + name.str() + "(i, ...)`" : "")),
        throw Failed{};
  failUnknown(e, diag::unknown_attribute, range, describe(base), name, names);
}

static Value method(const Value &self, llvm::StringRef name) {
  return Value(MethodValue{std::make_shared<const Value>(self), name.str()});
}

static bool isIsaModule(const ModuleScope &module) { return module.isBuiltin && module.name == "fly.amd.isa"; }
static bool isaFunction(llvm::StringRef name) {
  return llvm::any_of(isaBuiltins(), [&](const Builtin &builtin) { return name == builtin.name; });
}

static Value typeAttribute(Elaborator &e, const Value &base, Type type, llvm::StringRef name, SourceRange range) {
  auto number = type.number;
  bool isFloat = type.isFloat();
  if (name == "bits")
    return Value(int64_t(type.format().bits) * std::max(1u, type.lanes));
  if (name == "bytes")
    return Value(type.isVector() ? int64_t(type.format().bits) * type.lanes / 8 : int64_t(type.format().bytes()));
  if (name == "lanes" && type.isVector())
    return Value(int64_t(type.lanes));
  if (name == "element")
    return Value(type.element());
  if (name == "largest")
    return isFloat ? Value(host::largest(number)) : Value(anySize(host::largestInteger(number)));
  if (name == "lowest")
    return isFloat ? Value(host::lowest(number)) : Value(anySize(host::lowestInteger(number)));
  if (name == "epsilon" && isFloat)
    return Value(host::ulp(number));
  if (name == "is_float")
    return Value(isFloat);
  if (name == "is_signed")
    return Value(type.isSigned());
  unknown(e, base, name, range,
          {"bits", "bytes", "lanes", "element", "largest", "lowest", "epsilon", "is_float", "is_signed"});
}

static Value indexAttribute(Elaborator &e, const Value &base, IndexKind kind, llvm::StringRef name, SourceRange range,
                            SourceRange nameRange) {
  if (name != "x" && name != "y" && name != "z")
    unknown(e, base, name, nameRange, {"x", "y", "z"});
  unsigned axis = unsigned(name[0] - 'x');
  auto &b = e.ir(range, indexName(kind));
  if (kind == IndexKind::BlockDim)
    if (auto *known = e.kernel.blockDim.sequence())
      return (*known)[axis];
  auto dimension = ir::Dimension(axis);
  auto loc = e.location(range);
  mlir::Value value;
  switch (kind) {
  case IndexKind::ThreadId: value = ir::ThreadIdOp::create(b, loc, dimension); break;
  case IndexKind::BlockId: value = ir::BlockIdOp::create(b, loc, dimension); break;
  case IndexKind::BlockDim: value = ir::BlockDimOp::create(b, loc, dimension); break;
  case IndexKind::GridDim: value = ir::GridDimOp::create(b, loc, dimension); break;
  case IndexKind::ClusterId:
  case IndexKind::ClusterDim:
  case IndexKind::ClusterBlockId: return clusterIndex(e, kind, dimension, range);
  }
  return Value(MachineValue{value, Type::scalar(host::Number::I32)});
}

static Value targetAttribute(Elaborator &e, const Value &base, llvm::StringRef name, SourceRange range) {
  if (name == "arch")
    return Value(std::string(e.target.name));
  if (name == "wave")
    return Value(int64_t(e.target.waveSize));
  if (name == "lds_bytes")
    return Value(int64_t(e.target.ldsBytes));
  if (name == "fp8")
    return Value(e.target.fp8 == target::Fp8Flavour::Fnuz ? "fnuz" : "ocp");
  if (name == "max_threads")
    return Value(int64_t(e.target.maxWorkgroupSize));
  if (name == "max_cluster")
    return Value(int64_t(e.target.maxClusterSize));
  if (name == "has" || name == "require")
    return method(base, name);
  unknown(e, base, name, range, {"arch", "wave", "lds_bytes", "fp8", "max_threads", "max_cluster", "has", "require"});
}

Value Evaluator::attribute(const Value &base, llvm::StringRef name, SourceRange range, SourceRange nameRange) {
  if (base.is<ErrorValue>())
    throw Failed{};
  if (auto *type = base.as<Type>())
    return typeAttribute(*this, base, *type, name, nameRange);
  if (auto *ids = base.as<IndexValue>())
    return indexAttribute(*this, base, ids->kind, name, range, nameRange);
  if (base.is<TargetValue>())
    return targetAttribute(*this, base, name, nameRange);
  if (base.is<DeviceValue>()) {
    if (name != "compute_units")
      unknown(*this, base, name, nameRange, {"compute_units"});
    (void)role->planner(*this, "device.compute_units", range);
    return Value(HostValue{host::deviceNumber("compute_units")});
  }
  if (auto *memory = base.as<HostTensorValue>()) {
    if (!memory->tensor->pointee.empty() || memory->tensor->isVector)
      unknown(*this, base, name, nameRange, {});
    if (name == "type")
      return Value(Type::scalar(memory->tensor->element));
    const std::vector<std::string> views = role->memoryAttributes();
    if (llvm::is_contained(views, name)) {
      LaunchPlanner &planner = role->planner(*this, name, range);
      return name == "ptr" ? planner.pointerTo(*memory->tensor, range)
             : name == "T" ? planner.transposed(*memory->tensor, Value(), range)
                           : method(base, name);
    }
    if (name != "shape" && name != "stride") {
      std::vector<std::string> known = {"shape", "stride", "type"};
      known.insert(known.end(), views.begin(), views.end());
      unknown(*this, base, name, nameRange, known);
    }
    Values extents;
    for (auto &extent : name == "shape" ? memory->tensor->shape : memory->tensor->strides)
      extents.push_back(extent->op == host::ExprOp::IntConstant ? Value(extent->intValue) : Value(HostValue{extent}));
    return host::nested(memory->tensor->modes, std::move(extents),
                        [](Values parts) { return makeTuple(std::move(parts)); });
  }
  if (auto *tensor = base.as<TensorValue>())
    return tensorAttribute(*this, *tensor, name, range, nameRange);
  if (auto *object = base.as<LayoutValue>())
    return layoutAttribute(*this, *object, name, range, nameRange);
  if (auto *object = base.as<ObjectValue>())
    return object->object->attribute(*this, base, name, range, nameRange);
  if (auto *pointer = base.as<PointerValue>())
    return pointerAttribute(*this, *pointer, name, range, nameRange);
  if (base.is<ArenaValue>()) {
    if (name != "alloc" && name != "reset")
      unknown(*this, base, name, nameRange, {"alloc", "reset"});
    return method(base, name);
  }
  if (base.is<PointerTypeValue>() ||
      base.is<StructTypeValue>()) // their layout in memory; the names of fields and methods follow
    if (name == "bytes")
      return Value(int64_t(layoutOf(*this, base, range).bytes));
  if (auto *module = base.as<ModuleValue>()) {
    auto &names = module->module->names;
    if (kernel.isaStream && isIsaModule(*module->module) && !isaFunction(name)) // all are exact instructions here
      return method(base, name);
    if (auto found = names.find(name.str()); found != names.end()) {
      if (name.starts_with("_"))
        fail(nameRange, diag::private_name{.name = name.str(), .module = module->module->name});
      return found->second;
    }
    if (module->module->name == isaModule)
      if (auto instruction = exactInstruction(*this, name))
        return *instruction;
    std::vector<std::string> candidates;
    for (auto &[known, value] : names)
      if (known[0] != '_')
        candidates.push_back(known);
    unknown(*this, base, name, nameRange, candidates);
  }
  if (auto *m = base.as<MachineValue>()) {
    if (name == "type")
      return Value(m->type);
    static const std::vector<std::string> methods = {"to", "sum", "prod", "max", "min", "all", "any", "type"};
    if (name == "to" || (m->type.isVector() && llvm::is_contained(methods, name.str())))
      return method(base, name);
    unknown(*this, base, name, nameRange, methods);
  }
  if (auto *array = base.as<ArrayValue>()) {
    if (name == "shape") {
      Values extents;
      for (int64_t extent : array->array->shape)
        extents.push_back(Value(extent));
      return makeTuple(std::move(extents));
    }
    if (name == "T")
      return fromArray(*this, host::transposeLast(*array->array), range);
    static const std::vector<std::string> methods = {"sum",    "max",    "min",     "mean",      "prod", "all",   "any",
                                                     "cumsum", "repeat", "reshape", "transpose", "to",   "shape", "T"};
    if (!llvm::is_contained(methods, name.str()))
      unknown(*this, base, name, nameRange, methods);
    return method(base, name);
  }
  if (auto *record = base.as<StructValue>()) {
    if (auto index = record->definition->fieldIndex(name))
      return (*record->fields)[*index];
    if (record->definition->methods.count(name.str()))
      return method(base, name);
  }
  if (auto *type = base.as<StructTypeValue>())
    if (auto function = structAttribute(*type->definition, name))
      return *function;
  if (auto *definition = base.is<StructValue>()       ? base.as<StructValue>()->definition
                         : base.is<StructTypeValue>() ? base.as<StructTypeValue>()->definition
                                                      : nullptr) {
    std::vector<std::string> candidates;
    for (auto &field : definition->fields)
      candidates.push_back(field.name);
    for (auto &[known, def] : definition->methods)
      candidates.push_back(known);
    unknown(*this, base, name, nameRange, candidates);
  }
  if ((base.isNumber() && name == "to") || findMethod(base, name))
    return method(base, name);
  if (auto run = KnownRange::of(base)) {
    for (auto [known, value] :
         {std::pair("start", run->start), std::pair("stop", run->stop), std::pair("step", run->step)})
      if (name == known)
        return Value(value);
  }
  if (isMutator(name) && llvm::is_contained(methodNames(base), name.str()))
    fail(diag::not_supported, nameRange,
         {"`" + name.str() + "` as a value", "call it directly, since it changes its list or dict"});
  unknown(*this, base, name, nameRange, methodNames(base));
}

Value Evaluator::callMethod(const MethodValue &method, Arguments &arguments, SourceRange range) {
  const Value &self = *method.self;
  if (self.is<ModuleValue>())
    return callInstruction(*this, method.name, arguments, range);
  if (auto *tensor = self.as<TensorValue>())
    return tensorMethod(*this, *tensor, method.name, arguments, range);
  if (auto *pointer = self.as<PointerValue>())
    return pointerMethod(*this, *pointer, method.name, arguments, range);
  if (auto *object = self.as<LayoutValue>())
    return layoutMethod(*this, *object, method.name, arguments, range);
  if (auto *object = self.as<ObjectValue>())
    return object->object->method(*this, method.name, arguments, range);
  if (auto *arena = self.as<ArenaValue>())
    return arenaMethod(*this, *arena, method.name, arguments, range);
  if (auto *record = self.as<StructValue>())
    return callStructMethod(*record, method.name, std::move(arguments), range);
  if (auto *array = self.as<ArrayValue>())
    return arrayMethod(*this, *array, method.name, arguments, range);
  if (auto *memory = self.as<HostTensorValue>()) {
    const bool isReshape = method.name == "reshape";
    if (llvm::any_of(arguments, [](auto &argument) { return !argument.keyword.empty(); }) ||
        (arguments.empty() && isReshape))
      fail(diag::wrong_argument_count, range,
           {method.name, isReshape ? "a shape" : "the axes in their order", counted(arguments.size(), "argument")});
    Values numbers; // `x.reshape(m, n)` as `x.reshape((m, n))`
    for (auto &argument : arguments)
      numbers.push_back(argument.value);
    const Value given = numbers.size() == 1 ? numbers[0] : numbers.empty() ? Value() : makeTuple(std::move(numbers));
    LaunchPlanner &planner = role->planner(*this, method.name, range);
    return isReshape ? planner.reshaped(*memory->tensor, given, range)
                     : planner.transposed(*memory->tensor, given, range);
  }
  if (auto *found = findMethod(self, method.name))
    return callMethodOf(*this, *found, self, arguments, range);
  auto only = [&](size_t count) {
    if (arguments.size() != count)
      fail(diag::wrong_argument_count, range,
           {method.name, counted(count, "argument"), std::to_string(arguments.size())});
  };
  if (self.is<TargetValue>()) {
    only(1);
    auto *feature = arguments[0].value.as<std::string>();
    if (!feature)
      fail(arguments[0].range,
           diag::not_a_string{.what = diag::argument("feature", method.name), .found = describe(arguments[0].value)});
    bool has = target.has(*feature);
    std::string others; // that have it; a name that no value has is a mistake, not an answer
    if (!has)
      for (auto &each : target::all())
        if (each.has(*feature))
          others += (others.empty() ? "" : ", ") + std::string(each.name);
    if (!has && others.empty()) {
      std::vector<std::string> names;
      for (auto &each : target::all())
        names.insert(names.end(), each.features.begin(), each.features.end());
      auto guess = didYouMean(*feature, names);
      fail(diag::wrong_value, arguments[0].range,
           {"what a target has",
            "a feature or an instruction of one of them" + (guess ? ", `" + *guess + "` for one" : std::string()),
            toText(arguments[0].value, true)});
    }
    if (method.name == "has")
      return Value(has);
    if (!has) {
      report(diag::not_on_target, range, {"`" + *feature + "`", std::string(target.name)})
          .note(others + (llvm::StringRef(others).contains(',') ? " have it" : " has it"));
      throw Failed{};
    }
    return Value();
  }
  if (method.name == "to") {
    const Conversion how = takeConversion(*this, arguments, "to");
    only(1);
    return convert(*this, self, requireType(*this, arguments[0].value, arguments[0].range, "the type"), range, how);
  }
  only(0);
  return reduceVector(*this, *self.as<MachineValue>(), method.name, range);
}

} // namespace fly::sema
