// See Signature.h.
//
// Signature and decorator are evaluated in one scope, where scalar parameters are launch-time values: annotations give
// tensor layouts as expressions, `grid=`, `block=` and `requires=` become trees. `requires` also gives facts about the
// layouts: `n % 8 == 0` makes a stride of n a multiple of 8.
#include "compiler/sema/kernel/Signature.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/prelude/Clusters.h"
#include "compiler/sema/number/FastMath.h"
#include "compiler/sema/elaborator/Kinds.h"
#include "compiler/sema/elaborator/LlvmOptions.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/sema/kernel/ParameterStructs.h"
#include "compiler/sema/tensor/SharedMemory.h"

namespace fly::sema {

static bool isTensorAnnotation(const ast::Expr *annotation) {
  auto *subscript = llvm::dyn_cast_or_null<ast::SubscriptExpr>(annotation);
  auto *name = subscript ? llvm::dyn_cast<ast::NameExpr>(subscript->base) : nullptr;
  return name && (name->name == "In" || name->name == "Out" || name->name == "InOut");
}

/// Where a parameter begins in the argument block if the one before ends at `offset`, and where it ends.
static std::pair<uint32_t, uint32_t> place(const Parameter &p, uint32_t offset) {
  uint32_t size = p.tensor || p.pointer || isTensorAnnotation(p.node->annotation) ? 8
                  : p.recordInfo                                                  ? p.recordInfo->size
                                                                                  : p.scalar.format().bytes();
  uint32_t alignment = p.recordInfo ? p.recordInfo->alignment : size;
  uint32_t begin = (offset + alignment - 1) / alignment * alignment;
  return {begin, begin + size};
}

Signature::Signature(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants)
    : maxBlock(e.target.maxWorkgroupSize), e(e), kernel(kernel), constants(constants), scope(e, kernel.kernel->module) {
  bindConstants(e, *kernel.kernel, constants);
  readParameters();
}

void Signature::readDecorator(artifact::InstanceInfo &info) {
  auto &options = kernel.kernel->options;
  if (!kernel.kernel->isLaunch) { // whose kernels have grids
    readSizes(options, info);
    readLlvm(info);
  }
  if (auto found = options.find("requires"); found != options.end())
    readRequires(*found->second, info);
  if (cluster)
    requireWholeClusters(info);
  if (auto found = options.find("resident"); found != options.end())
    requireResidency(info, *found->second);
  if (auto found = options.find("fastmath"); found != options.end())
    fastmath = readFastMath(e, e.eval(*found->second), found->second->range);
  if (auto found = options.find("denormals"); found != options.end())
    flushesDenormals = readDenormalsFlush(e, e.eval(*found->second), found->second->range);
  if (auto found = options.find("vgprs"); found != options.end())
    vgprs = readVgprs(*found->second);
  if (auto found = options.find("agprs"); found != options.end())
    agprs = readAgprs(*found->second);
  implyBytes(info);
  implyOffsets(info);
}

void Signature::readLlvm(artifact::InstanceInfo &info) {
  LlvmOptions options;
  if (auto found = kernel.kernel->options.find("llvm"); found != kernel.kernel->options.end())
    readLlvmOptions(e, e.eval(*found->second), found->second->range, found->second, options);
  const SourceRange at = instanceAt.valid() ? instanceAt : kernel.kernel->def->nameRange;
  if (auto found = constants.find(llvmConstant); found != constants.end() && takesLlvmOptions(*kernel.kernel))
    readLlvmOptions(e, found->second, at, nullptr, options);
  for (auto &[name, value] : e.givenLlvmOptions)
    options[name] = {value, at};
  for (auto &[name, option] : options)
    if (option.value) {
      info.llvmOptions[name] = *option.value;
      llvmOptionsAt[name] = option.at;
    }
}

std::optional<int32_t> Signature::readVgprs(const ast::Expr &expr) const {
  const int64_t most = e.target.vgprs.addressable - (e.target.unifiedRegisters ? e.target.agprs : 0), least = 8;
  const Value given = e.eval(expr);
  if (given.isNone())
    return std::nullopt;
  const int64_t found = requireInt(e, given, expr.range, "`vgprs=`");
  if (found < least || found > most)
    e.fail(expr.range,
           diag::out_of_range{.what = "`vgprs=`", .low = least, .high = most, .found = std::to_string(found)});
  return int32_t(found);
}

std::optional<int32_t> Signature::readAgprs(const ast::Expr &expr) const {
  const Value given = e.eval(expr);
  if (given.isNone())
    return std::nullopt;
  if (e.target.agprs == 0)
    e.fail(diag::not_on_target, expr.range, {"`agprs=`", std::string(e.target.name) + ", which has no AGPRs"});
  const int64_t found = requireInt(e, given, expr.range, "`agprs=`");
  if (found < 0 || found > e.target.agprs)
    e.fail(expr.range,
           diag::out_of_range{.what = "`agprs=`", .low = 0, .high = e.target.agprs, .found = std::to_string(found)});
  return int32_t(found);
}

void Signature::require(artifact::InstanceInfo &info, host::ExprRef condition, std::string text, SourceRange at) {
  artifact::RequirementInfo requirement;
  requirement.expr = std::move(condition);
  requirement.text = std::move(text);
  requirement.file = e.locationName(at.file);
  requirement.line = e.diags.sources.lineColumn(at.file, at.begin).line;
  info.requirements.push_back(std::move(requirement));
}

void Signature::imply(artifact::InstanceInfo &info, host::ExprRef condition, std::string text, SourceRange at) {
  require(info, std::move(condition), std::move(text), at);
  info.requirements.back().implied = true;
}

void Signature::requireWholeClusters(artifact::InstanceInfo &info) {
  auto &options = kernel.kernel->options;
  for (size_t axis = 0; axis < 3; ++axis) {
    auto &grid = info.grid[axis];
    if (divisorOf(*grid, facts) % (*cluster)[axis] == 0)
      continue;
    auto whole =
        host::make(host::ExprOp::Eq,
                   {host::make(host::ExprOp::Mod, {grid, host::intConstant((*cluster)[axis])}), host::intConstant(0)});
    if (whole->op != host::ExprOp::BoolConstant) {
      imply(info, whole, "a grid of whole clusters: " + host::toFly(*whole), options.at("cluster")->range);
      collectFacts(*whole, facts);
    } else if (!whole->boolValue) {
      e.report(diag::bad_grid, options.at("grid")->range,
               {"a grid of " + std::to_string(grid->intValue) + " workgroups in " + "xyz"[axis] +
                " cannot be divided into clusters of " + std::to_string((*cluster)[axis])})
          .note(options.at("cluster")->range, "clusters of " + clusterText(*cluster) + " workgroups");
      throw Failed{};
    }
  }
}

void Signature::requireResidency(artifact::InstanceInfo &info, const ast::Expr &expr) {
  constexpr int64_t most = 64;
  const int64_t each = requireInt(e, e.eval(expr), expr.range, "`resident=`");
  if (each < 1 || each > most)
    e.fail(expr.range,
           diag::out_of_range{.what = "`resident=`", .low = 1, .high = most, .found = std::to_string(each)});
  using host::ExprOp;
  auto groups = host::make(ExprOp::Mul, {host::make(ExprOp::Mul, {info.grid[0], info.grid[1]}), info.grid[2]});
  auto room = host::make(ExprOp::Mul, {host::deviceNumber("compute_units"), host::intConstant(each)});
  imply(info, host::make(ExprOp::Le, {groups, room}),
        "all workgroups on the device at once: at most " + std::to_string(each) + " for each compute unit", expr.range);
}

void Signature::implyBlock(artifact::InstanceInfo &info, SourceRange at) {
  auto threads =
      host::make(host::ExprOp::Mul, {host::make(host::ExprOp::Mul, {info.block[0], info.block[1]}), info.block[2]});
  imply(info, host::make(host::ExprOp::Le, {threads, host::intConstant(maxBlock)}),
        "a workgroup has at most " + std::to_string(maxBlock) + " threads", at);
}

void Signature::readSizes(const std::map<std::string, const ast::Expr *> &options, artifact::InstanceInfo &info) {
  readDimensions(*options.at("grid"), "grid", info.grid);
  readDimensions(*options.at("block"), "block", info.block);
  if (auto found = options.find("cluster"); found != options.end()) {
    auto extents = readCluster(e, *found->second);
    std::copy(extents.begin(), extents.end(), info.cluster.begin());
    if (extents != std::array<int32_t, 3>{1, 1, 1})
      cluster = extents;
  }
  info.dynamicLds = host::intConstant(0);
  if (auto found = options.find("lds"); found != options.end())
    readDynamicLds(*found->second, info);
  Values known;
  int64_t threads = 1;
  for (auto &dimension : info.block)
    if (dimension->op == host::ExprOp::IntConstant) {
      known.push_back(Value(dimension->intValue));
      threads *= dimension->intValue;
    }
  SourceRange at = options.at("block")->range;
  if (auto found = options.find("max_block"); found != options.end()) {
    int64_t most = requireInt(e, e.eval(*found->second), found->second->range, "`max_block=`");
    if (most < 1 || most > e.target.maxWorkgroupSize)
      e.fail(found->second->range, diag::block_too_large{.threads = most,
                                                         .arch = std::string(e.target.name),
                                                         .limit = e.target.maxWorkgroupSize});
    if (known.size() == 3 && threads > most)
      e.fail(
          diag::bad_grid, at,
          {"`block=` has " + std::to_string(threads) + " threads, more than `max_block=" + std::to_string(most) + "`"});
    maxBlock = unsigned(most);
  }
  if (known.size() != 3)
    implyBlock(info, at);
  if (known.size() == 3) {
    if (threads > e.target.maxWorkgroupSize)
      e.fail(at, diag::block_too_large{
                     .threads = threads, .arch = std::string(e.target.name), .limit = e.target.maxWorkgroupSize});
    blockDim = makeTuple(known);
  }
}

void Signature::readParameters() {
  auto &def = *kernel.kernel->def;
  for (auto &p : def.parameters) {
    if (p.kind != ast::Parameter::One)
      e.fail(diag::kernel_parameter, p.range,
             {p.name, "kernel `" + def.name + "`; a launch passes every value by position"});
    if (p.keywordOnly) {
      auto *annotation = llvm::dyn_cast_or_null<ast::SubscriptExpr>(p.annotation);
      // `Constexpr[int]`, or `Constexpr` for any kind
      auto *name = llvm::dyn_cast_or_null<ast::NameExpr>(annotation ? annotation->base : p.annotation);
      if (p.annotation && (!name || name->name != "Constexpr"))
        e.fail(diag::kernel_parameter, p.range,
               {p.name, "kernel `" + def.name + "` after `*`; it is `Constexpr[...]`"});
      continue;
    }
    if (!p.annotation)
      e.fail(p.range, diag::missing_annotation{.parameter = p.name, .kernel = def.name});
    if (p.defaultValue) {
      auto builder = e.report(diag::kernel_parameter, p.range,
                              {p.name, "kernel `" + def.name + "` with a default; a launch passes every value"});
      if (const auto text = e.diags.sources.text(p.annotation->range); text.starts_with("Constexpr"))
        builder.help("compile-time parameters follow a `*`: `*, " + p.name + ": " + text + " = ...`");
      throw Failed{};
    }
    parameters.emplace_back().node = &p;
    if (isTensorAnnotation(p.annotation))
      continue;
    Value annotation = e.eval(*p.annotation);
    if (annotation.is<StructTypeValue>()) { // its launch-time values are numbered when all parameters are known
      parameters.back().record = annotation;
      parameters.back().recordInfo = structInfo(e, annotation, p.annotation->range);
      continue;
    }
    if (auto *pointer = annotation.as<PointerTypeValue>()) {
      if (pointer->space != ir::AddressSpace::Global && pointer->space != ir::AddressSpace::Constant)
        e.fail(diag::kernel_parameter, p.annotation->range,
               {p.name, "type `" + toText(annotation) + "`; a caller has only pointers to global memory"});
      parameters.back().pointer = *pointer;
      continue;
    }
    auto *type = annotation.as<Type>();
    if (!type || type->isVector()) {
      const std::string text = e.diags.sources.text(p.annotation->range).str();
      auto builder = e.report(
          diag::kernel_parameter, p.annotation->range,
          {p.name, "type `" + text + "`; allowed are scalars, structs, pointers, `In[...]`, `Out[...]`, `InOut[...]`"});
      if (llvm::StringRef(text).starts_with("Constexpr"))
        builder.help("put compile-time parameters after a `*`: `*, " + p.name + ": " + text + "`");
      else if (text == "int" || text == "float")
        builder.help("use `" + std::string(text == "int" ? "i32" : "f32") + "` for a run-time value, or `Constexpr[" +
                     text + "]` after a `*` for a compile-time value");
      else if (text == "In" || text == "Out" || text == "InOut")
        builder.help("give an element type and a shape: `" + text + "[f32, (n,)]`");
      throw Failed{};
    }
    parameters.back().scalar = *type;
    auto kind = type->isFloat() ? host::ExprKind::Float : type->isBool() ? host::ExprKind::Bool : host::ExprKind::Int;
    e.frame->variables[p.name] = Value(HostValue{host::parameter(unsigned(parameters.size() - 1), p.name, kind),
                                                 type->format().bits > 32 ? 64u : 32u});
  }
  uint32_t offset = 0;
  for (auto &p : parameters) {
    offset = place(p, offset).second;
    if (p.recordInfo)
      e.frame->variables[p.node->name] = launchStruct(*p.recordInfo, p.record, p.node->name,
                                                      unsigned(parameters.size()), offset - p.recordInfo->size, fields);
  }
  for (auto &p : parameters)
    if (isTensorAnnotation(p.node->annotation))
      readTensor(p);
}

void Signature::readDynamicLds(const ast::Expr &expr, artifact::InstanceInfo &info) {
  info.dynamicLds = toHostExpr(e, e.eval(expr), host::ExprKind::Int, expr.range);
  if (info.dynamicLds->kind != host::ExprKind::Int)
    e.fail(diag::bad_grid, expr.range, {"`lds=` must be an integer, got `" + host::toFly(*info.dynamicLds) + "`"});
  if (info.dynamicLds->op != host::ExprOp::IntConstant)
    return;
  int64_t bytes = info.dynamicLds->intValue;
  if (bytes < 0)
    e.fail(diag::bad_grid, expr.range, {"`lds=` must be non-negative, got " + std::to_string(bytes)});
  if (bytes > int64_t(e.target.ldsBytes))
    e.report(expr.range, diag::lds_over_budget{.kernel = kernel.kernel->name,
                                               .bytes = groupedDigits(uint64_t(bytes)),
                                               .arch = std::string(e.target.name),
                                               .limit = groupedDigits(e.target.ldsBytes)}),
        throw Failed{};
}

void Signature::readTensor(Parameter &p) {
  SourceRange range = p.node->annotation->range;
  Value annotation = e.eval(*p.node->annotation);
  p.tensor = *annotation.as<TensorTypeValue>();
  if (auto *subscript = llvm::dyn_cast<ast::SubscriptExpr>(p.node->annotation);
      subscript && subscript->items.size() > 1)
    range = subscript->items[1].value->range; // shape and strides
  p.layout = readLaunchShape(e, *p.tensor->shape, p.tensor->stride ? *p.tensor->stride : Value(), range);
  auto seen = std::make_shared<HostTensor>(); // how the decorator sees it: `grid=ceil_div(x.shape[0], 64)`
  seen->name = p.node->name;
  seen->element = p.tensor->element;
  seen->shape = p.layout.shape;
  seen->strides = p.layout.strides;
  seen->modes = p.layout.modes;
  e.frame->variables[p.node->name] = Value(HostTensorValue{std::move(seen)});
}

void Signature::readDimensions(const ast::Expr &expr, const char *what, std::array<host::ExprRef, 3> &out) {
  Value value = e.eval(expr);
  Values list = value.sequence() ? *value.sequence() : Values{value};
  if (list.empty() || list.size() > 3)
    e.fail(diag::bad_grid, expr.range,
           {"`" + std::string(what) + "=` takes 1 to 3 dimensions, got " + std::to_string(list.size())});
  for (size_t i = 0; i < 3; ++i) {
    out[i] = i < list.size() ? toHostExpr(e, list[i], host::ExprKind::Int, expr.range) : host::intConstant(1);
    if (out[i]->kind != host::ExprKind::Int)
      e.fail(diag::bad_grid, expr.range,
             {"`" + std::string(what) + "=` must be an integer, got `" + host::toFly(*out[i]) + "`"});
    if (out[i]->op == host::ExprOp::IntConstant && (out[i]->intValue < 1 || out[i]->intValue > INT32_MAX))
      e.fail(diag::bad_grid, expr.range,
             {"`" + std::string(what) + "=` must be positive and below 2^31, got " + std::to_string(out[i]->intValue)});
  }
}

void Signature::readRequires(const ast::Expr &expr, artifact::InstanceInfo &info) {
  std::vector<const ast::Expr *> list = {&expr};
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&expr))
    list.assign(tuple->elements.begin(), tuple->elements.end());
  else if (auto *elements = llvm::dyn_cast<ast::ListExpr>(&expr))
    list.assign(elements->elements.begin(), elements->elements.end());
  auto read = [&](const Value &value, std::string text, const ast::Expr *condition) {
    if (!value.is<HostValue>() && !value.is<bool>())
      e.fail(condition->range,
             diag::bad_requires{.message = "a precondition must be true or false, got " + describe(value)});
    host::ExprRef holds = toHostExpr(e, value, host::ExprKind::Bool, condition->range);
    if (holds->op == host::ExprOp::BoolConstant) {
      if (!holds->boolValue)
        e.fail(condition->range,
               diag::bad_requires{.message = "this precondition is never satisfied with these constants"});
      return;
    }
    collectFacts(*holds, facts);
    require(info, holds, text.empty() ? host::toFly(*holds) : std::move(text), condition->range);
  };
  for (auto *condition : list) {
    Value value = e.eval(*condition);
    if (auto *several = value.sequence()) // of a conditional expression, or what a function returns
      for (auto &each : *several)
        read(each, "", condition);
    else
      read(value, e.diags.sources.text(condition->range).str(), condition);
  }
}

void Signature::implyBytes(artifact::InstanceInfo &info) {
  for (auto &p : parameters) {
    if (!p.tensor || !liesPacked(p.tensor->element))
      continue;
    const int64_t unit = unitOf(p.tensor->element).elements;
    const std::string bits = std::to_string(host::format(p.tensor->element).bits);
    std::set<std::string> said;
    for (size_t i = 0; i < p.layout.shape.size(); ++i) {
      const host::Expr &stride = *p.layout.strides[i];
      const bool isContiguous = stride.op == host::ExprOp::IntConstant && stride.intValue == 1;
      const auto &number = isContiguous ? p.layout.shape[i] : p.layout.strides[i];
      if (divisorOf(*number, facts) % unit == 0)
        continue;
      auto whole = host::make(host::ExprOp::Eq,
                              {host::make(host::ExprOp::Mod, {number, host::intConstant(unit)}), host::intConstant(0)});
      if (whole->op == host::ExprOp::BoolConstant) {
        auto &items = llvm::cast<ast::SubscriptExpr>(p.node->annotation)->items;
        e.report(diag::part_of_byte, items[1].range,
                 {"mode " + std::to_string(i) + " of `" + p.node->name + "` has " +
                  (isContiguous ? "extent " : "stride ") + std::to_string(number->intValue) + ", but elements of " +
                  bits + " bits fill whole bytes only in multiples of " + std::to_string(unit)})
            .help("pad it: use `(m, n):(lda, 1)` with strides that are multiples");
        throw Failed{};
      }
      if (!said.insert(host::toFly(*whole)).second)
        continue;
      imply(info, whole, "rows of `" + p.node->name + "` are whole bytes: " + host::toFly(*whole), p.node->range);
      collectFacts(*whole, facts);
    }
  }
}

void Signature::implyOffsets(artifact::InstanceInfo &info) {
  for (auto &p : parameters) {
    if (!p.tensor || p.layout.bits == 64)
      continue;
    host::ExprRef last = host::intConstant(0);
    for (size_t i = 0; i < p.layout.shape.size(); ++i) {
      auto steps = host::make(host::ExprOp::Sub, {p.layout.shape[i], host::intConstant(1)});
      last = host::make(host::ExprOp::Add, {last, host::make(host::ExprOp::Mul, {steps, p.layout.strides[i]})});
    }
    int64_t bits = host::format(p.tensor->element).bits;
    int64_t elements = std::min<int64_t>(int64_t(1) << 31, (int64_t(1) << 35) / bits);
    // An i32 extent of neighbouring elements cannot exceed 31 bits.
    bool always = p.layout.shape.size() == 1 && p.layout.shape[0]->op == host::ExprOp::Parameter &&
                  p.layout.strides[0]->op == host::ExprOp::IntConstant && p.layout.strides[0]->intValue <= 1;
    if (always && elements == int64_t(1) << 31)
      continue;
    auto fits = host::make(host::ExprOp::Lt, {last, host::intConstant(elements)});
    if (fits->op == host::ExprOp::BoolConstant) {
      if (!fits->boolValue) // known to be large
        p.layout.bits = 64;
      continue;
    }
    imply(info, fits,
          "`" + p.node->name + "` ends below 2^" + (elements == int64_t(1) << 31 ? "31 elements" : "32 bytes") +
              "; an i64 extent lifts this",
          p.node->range);
  }
}
void fillParameters(const Signature &signature, artifact::InstanceInfo &info, Elaborator &e) {
  auto &parameters = signature.parameters;
  info.fields = signature.fields;
  uint32_t offset = 0;
  for (auto &p : parameters) {
    artifact::ParameterInfo out;
    out.name = p.node->name;
    if (p.tensor) {
      auto &format = host::format(p.tensor->element);
      out.kind = artifact::ParameterKind::Tensor;
      out.type = format.name;
      out.elementBytes = liesPacked(p.tensor->element) ? 0 : format.bytes();
      out.elementBits = liesPacked(p.tensor->element) ? format.bits : 0;
      out.direction = p.tensor->access == Access::Read    ? artifact::Direction::In
                      : p.tensor->access == Access::Write ? artifact::Direction::Out
                                                          : artifact::Direction::InOut;
      out.alignment = p.tensor->alignment;
      out.shape = p.layout.shape;
      out.strides = p.layout.strides;
      out.modes = p.layout.modes;
      out.size = 8;
    } else if (p.pointer) {
      auto *element = p.pointer->element->as<Type>();
      out.kind = artifact::ParameterKind::Pointer;
      out.type = element ? element->format().name : toText(*p.pointer->element);
      out.elementBytes = uint32_t(layoutOf(e, *p.pointer->element, p.node->range).bytes);
      out.direction =
          p.pointer->space == ir::AddressSpace::Constant ? artifact::Direction::In : artifact::Direction::InOut;
      out.alignment = p.pointer->alignment;
    } else if (p.recordInfo) {
      out.kind = artifact::ParameterKind::Struct;
      out.type = p.recordInfo->name;
      out.elementBytes = out.size = p.recordInfo->size;
      out.alignment = p.recordInfo->alignment;
      out.record = p.recordInfo;
    } else {
      out.type = p.scalar.format().name;
      out.elementBytes = out.size = p.scalar.format().bytes();
    }
    std::tie(out.offset, offset) = place(p, offset);
    info.parameters.push_back(std::move(out));
  }
}

} // namespace fly::sema
