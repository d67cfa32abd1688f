// Kernel instances: constants, signature, decorator, body.
//
//   1. Constexpr parameters: the instance's own, `-D`, or the default (which may use earlier ones).
//   2. Signature and decorator in one scope, where scalar parameters are launch-time values: annotations give
//      tensor layouts as expressions, `grid=`, `block=` and `requires=` become trees.
//   3. `requires` also gives facts about the layouts: `n % 8 == 0` makes a stride of n a multiple of 8.
//   4. The body, with parameters as machine values and tensors.
#include "compiler/sema/Kernels.h"
#include "compiler/sema/AccessPatterns.h"
#include "compiler/sema/Clusters.h"
#include "compiler/sema/FastMath.h"

#include "compiler/sema/Kinds.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/Divergence.h"
#include "compiler/sema/PackedElements.h"
#include "compiler/sema/ParameterStructs.h"
#include "compiler/sema/TakenParts.h"
#include "compiler/sema/TilesOutside.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"

#include <bit>

namespace fly::sema {

using layout::IntTuple;
using layout::Leaf;

static bool isTensorAnnotation(const ast::Expr *annotation) {
  auto *subscript = llvm::dyn_cast_or_null<ast::SubscriptExpr>(annotation);
  auto *name = subscript ? llvm::dyn_cast<ast::NameExpr>(subscript->base) : nullptr;
  return name && (name->name == "In" || name->name == "Out" || name->name == "InOut");
}

std::map<std::string, Value> resolveConstants(Elaborator &e, const KernelValue &kernel, SourceRange range) {
  FrameScope scope(e, kernel.kernel->module);
  std::map<std::string, Value> constants = *kernel.constants;
  for (auto &[name, value] : constants)
    e.frame->variables[name] = value;
  for (auto &p : kernel.kernel->def->parameters) {
    if (!p.keywordOnly || constants.count(p.name))
      continue;
    if (auto define = e.definitions.find(p.name); define != e.definitions.end() && !kernel.kernel->module->imported) {
      constants[p.name] = checkConstant(e, "-D " + p.name, p, define->second, p.range);
      e.usedDefinitions.insert(p.name);
    } else if (p.defaultValue)
      constants[p.name] = checkConstant(e, kernel.kernel->name, p, e.eval(*p.defaultValue), p.defaultValue->range);
    else {
      auto builder = e.report(diag::missing_constexpr, range.valid() ? range : kernel.kernel->def->nameRange,
                              {kernel.kernel->name, p.name});
      builder.note(p.range, "`" + p.name + "` is declared here, without a default");
      builder.help("make an instance: `" + kernel.kernel->name + "[" + p.name + "=...]`");
      throw Failed{};
    }
    e.frame->variables[p.name] = constants[p.name];
  }
  return constants;
}

std::optional<std::string> notForTarget(Elaborator &e, const ast::Expr *arch, ModuleScope *module) {
  if (!arch)
    return std::nullopt;
  FrameScope scope(e, module);
  Value value = e.eval(*arch);
  if (auto *holds = value.as<bool>())
    return *holds ? std::nullopt : std::optional<std::string>("where `" + e.diags.sources.text(arch->range).str() + "` holds");
  Values names = value.sequence() ? *value.sequence() : Values{value};
  std::string others;
  for (auto &each : names) {
    auto *name = each.as<std::string>();
    if (!name)
      e.fail(diag::wrong_value, arch->range, {"`arch=`", "the name of an architecture, a list of them, or a condition", describe(each)});
    auto *found = target::find(*name);
    if (!found) {
      std::vector<std::string> all;
      for (auto &t : target::all())
        all.push_back(std::string(t.name));
      auto guess = didYouMean(*name, all);
      e.report(diag::unknown_arch, arch->range, {*name, guess ? "; did you mean `" + *guess + "`?" : ""}).help("targets: " + target::names());
      throw Failed{};
    }
    if (found == &e.target)
      return std::nullopt;
    others += (others.empty() ? "for " : ", ") + *name;
  }
  return others.empty() ? "for no architecture" : others;
}

static std::optional<std::string> notForTarget(Elaborator &e, const KernelDefinition &kernel) {
  auto found = kernel.options.find("arch");
  return notForTarget(e, found == kernel.options.end() ? nullptr : found->second, kernel.module);
}

bool hasAllConstants(Elaborator &e, const KernelDefinition &kernel) {
  return llvm::all_of(kernel.def->parameters, [&](auto &p) {
    return !p.keywordOnly || p.defaultValue || (e.definitions.count(p.name) && !kernel.module->imported);
  });
}

std::string anonymousSymbol(const KernelDefinition &kernel, const std::map<std::string, Value> &constants) {
  std::string symbol = kernel.name;
  for (auto &p : kernel.def->parameters)
    if (auto found = constants.find(p.name); p.keywordOnly && found != constants.end()) {
      symbol += "__" + p.name + "_";
      for (char c : toText(found->second))
        symbol += llvm::isAlnum(c) ? c : c == '-' ? 'm' : '_';
    }
  return symbol;
}

std::string instanceKey(const KernelDefinition &kernel, const std::map<std::string, Value> &constants) {
  std::string key = kernel.module->path + ":" + kernel.name;
  for (auto &[name, value] : constants)
    key += "\n" + name + "=" + toText(value, true);
  return key;
}

// ---------------------------------------------------------------------------------------------------------
// Signature and decorator

namespace {
struct Parameter {
  const ast::Parameter *node = nullptr;
  std::optional<TensorTypeValue> tensor;
  std::optional<PointerTypeValue> pointer;
  Value record;                        ///< a struct type, of one that is passed by value
  std::shared_ptr<const artifact::StructInfo> recordInfo;
  Type scalar;
  std::vector<host::ExprRef> shape, stride;
  IntTuple shapeTree, strideTree;      ///< profile; leaves number the expressions
  unsigned bits = 32;
};

/// Where a parameter begins in the argument block if the one before ends at `offset`, and where it ends.
std::pair<uint32_t, uint32_t> place(const Parameter &p, uint32_t offset) {
  uint32_t size = p.tensor || p.pointer || isTensorAnnotation(p.node->annotation) ? 8 : p.recordInfo ? p.recordInfo->size : p.scalar.format().bytes();
  uint32_t alignment = p.recordInfo ? p.recordInfo->alignment : size;
  uint32_t begin = (offset + alignment - 1) / alignment * alignment;
  return {begin, begin + size};
}

/// Divisibility that the preconditions promise: parameter index to divisor.
using Facts = std::map<unsigned, int64_t>;
constexpr int64_t largestDivisor = int64_t(1) << 20;

void collectFacts(const host::Expr &expr, Facts &facts) {
  using host::ExprOp;
  if (expr.op == ExprOp::And)
    for (auto &operand : expr.operands)
      collectFacts(*operand, facts);
  if (expr.op != ExprOp::Eq)
    return;
  auto &mod = *expr.operands[0], &zero = *expr.operands[1];
  if (mod.op != ExprOp::Mod || zero.op != ExprOp::IntConstant || zero.intValue != 0)
    return;
  auto &what = *mod.operands[0], &by = *mod.operands[1];
  if (what.op != ExprOp::Parameter || by.op != ExprOp::IntConstant || by.intValue < 1 || by.intValue > largestDivisor)
    return;
  int64_t &known = facts.try_emplace(what.parameter, 1).first->second;
  int64_t both = known / std::gcd(known, by.intValue) * by.intValue;
  known = both <= largestDivisor ? both : std::max(known, by.intValue);
}

int64_t divisorOf(const host::Expr &expr, const Facts &facts) {
  using host::ExprOp;
  auto of = [&](size_t i) { return divisorOf(*expr.operands[i], facts); };
  constexpr int64_t limit = largestDivisor;
  switch (expr.op) {
  case ExprOp::IntConstant: // of 0 and large ones, the power of two in them
    if (expr.intValue != 0 && expr.intValue >= -limit && expr.intValue <= limit)
      return std::abs(expr.intValue);
    return std::min(limit, int64_t(1) << std::min(20, std::countr_zero(uint64_t(expr.intValue))));
  case ExprOp::Parameter: {
    auto found = facts.find(expr.parameter);
    return found == facts.end() ? 1 : found->second;
  }
  case ExprOp::Mul: {
    int64_t x = of(0), y = of(1);
    return x > limit / y ? std::max(x, y) : x * y;
  }
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Min:
  case ExprOp::Max: return std::gcd(of(0), of(1));
  case ExprOp::FloorDiv:
    if (auto &by = *expr.operands[1]; by.op == ExprOp::IntConstant && by.intValue > 0 && of(0) % by.intValue == 0)
      return of(0) / by.intValue;
    return 1;
  default: return 1;
  }
}

class Signature {
public:
  Signature(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants)
      : maxBlock(e.target.maxWorkgroupSize), e(e), kernel(kernel), scope(e, kernel.kernel->module) {
    for (auto &[name, value] : constants)
      e.frame->variables[name] = value;
    readParameters();
  }

  void readDecorator(artifact::InstanceInfo &info) {
    auto &options = kernel.kernel->options;
    if (!kernel.kernel->isLaunch) // whose kernels have grids
      readSizes(options, info);
    if (auto found = options.find("requires"); found != options.end())
      readRequires(*found->second, info);
    if (cluster)
      requireWholeClusters(info);
    if (auto found = options.find("fastmath"); found != options.end())
      fastmath = readFastMath(e, e.eval(*found->second), found->second->range);
    if (auto found = options.find("denormals"); found != options.end())
      flushesDenormals = readDenormalsFlush(e, e.eval(*found->second), found->second->range);
    implyBytes(info);
    implyOffsets(info);
  }

  std::vector<Parameter> parameters;
  std::vector<artifact::ParameterInfo> fields; ///< numbers of struct parameters (ParameterStructs.h)
  Facts facts;
  Value blockDim;
  unsigned fastmath = 0;
  bool flushesDenormals = false;
  unsigned maxBlock;                   ///< threads, where `block=` is known at launch
  std::optional<std::array<int32_t, 3>> cluster; ///< of several workgroups

private:
  /// Adds a precondition of flyc's own.
  void imply(artifact::InstanceInfo &info, host::ExprRef condition, std::string text, SourceRange at) {
    artifact::RequirementInfo requirement;
    requirement.expr = std::move(condition);
    requirement.text = std::move(text);
    requirement.file = e.locationNames ? e.locationNames(at.file) : e.diags.sources.name(at.file).str();
    requirement.line = e.diags.sources.lineColumn(at.file, at.begin).line;
    requirement.implied = true;
    info.requirements.push_back(std::move(requirement));
  }

  /// The hardware starts whole clusters: their extents divide the grid's. What the compiler cannot see the launch checks,
  /// and the code may count on it.
  void requireWholeClusters(artifact::InstanceInfo &info) {
    auto &options = kernel.kernel->options;
    for (size_t axis = 0; axis < 3; ++axis) {
      auto &grid = info.grid[axis];
      if (divisorOf(*grid, facts) % (*cluster)[axis] == 0)
        continue;
      auto whole = host::make(host::ExprOp::Eq, {host::make(host::ExprOp::Mod, {grid, host::intConstant((*cluster)[axis])}), host::intConstant(0)});
      if (whole->op != host::ExprOp::BoolConstant) {
        imply(info, whole, "a grid of whole clusters: " + host::toFly(*whole), options.at("cluster")->range);
        collectFacts(*whole, facts);
      } else if (!whole->boolValue) {
        e.report(diag::bad_grid, options.at("grid")->range,
                 {"a grid of " + std::to_string(grid->intValue) + " workgroups in " + "xyz"[axis] + " is not made of clusters of " + std::to_string((*cluster)[axis])})
            .note(options.at("cluster")->range, "clusters of " + clusterText(*cluster) + " workgroups");
        throw Failed{};
      }
    }
  }

  /// A block that the launch decides has at most as many threads as the code was compiled for.
  void implyBlock(artifact::InstanceInfo &info, SourceRange at) {
    auto threads = host::make(host::ExprOp::Mul, {host::make(host::ExprOp::Mul, {info.block[0], info.block[1]}), info.block[2]});
    imply(info, host::make(host::ExprOp::Le, {threads, host::intConstant(maxBlock)}),
          "a workgroup has at most " + std::to_string(maxBlock) + " threads", at);
  }

  void readSizes(const std::map<std::string, const ast::Expr *> &options, artifact::InstanceInfo &info) {
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
      int64_t most = e.requireInt(e.eval(*found->second), found->second->range, "`max_block=`");
      if (most < 1 || most > e.target.maxWorkgroupSize)
        e.fail(diag::block_too_large, found->second->range, {std::to_string(most), std::string(e.target.name), std::to_string(e.target.maxWorkgroupSize)});
      if (known.size() == 3 && threads > most)
        e.fail(diag::bad_grid, at, {"`block=` has " + std::to_string(threads) + " threads, more than `max_block=" + std::to_string(most) + "`"});
      maxBlock = unsigned(most);
    }
    if (known.size() != 3)
      implyBlock(info, at);
    if (known.size() == 3) {
      if (threads > e.target.maxWorkgroupSize)
        e.fail(diag::block_too_large, at, {std::to_string(threads), std::string(e.target.name), std::to_string(e.target.maxWorkgroupSize)});
      blockDim = makeTuple(known);
    }
  }

  void readParameters() {
    auto &def = *kernel.kernel->def;
    for (auto &p : def.parameters) {
      if (p.kind != ast::Parameter::One)
        e.fail(diag::kernel_parameter, p.range, {p.name, "kernel `" + def.name + "`; a launch gives each value by its place"});
      if (p.keywordOnly) {
        auto *annotation = llvm::dyn_cast_or_null<ast::SubscriptExpr>(p.annotation);
        auto *name = annotation ? llvm::dyn_cast<ast::NameExpr>(annotation->base) : nullptr;
        if (p.annotation && (!name || name->name != "Constexpr"))
          e.fail(diag::kernel_parameter, p.range, {p.name, "kernel `" + def.name + "` after `*`; it is `Constexpr[...]`"});
        continue;
      }
      if (!p.annotation)
        e.fail(diag::missing_annotation, p.range, {p.name, def.name});
      if (p.defaultValue)
        e.fail(diag::kernel_parameter, p.range, {p.name, "kernel `" + def.name + "` with a default; a launch gives every value"});
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
          e.fail(diag::kernel_parameter, p.annotation->range, {p.name, "type `" + toText(annotation) + "`; a caller has pointers to global memory only"});
        parameters.back().pointer = *pointer;
        continue;
      }
      auto *type = annotation.as<Type>();
      if (!type || type->isVector()) {
        const std::string text = e.diags.sources.text(p.annotation->range).str();
        auto builder = e.report(diag::kernel_parameter, p.annotation->range, {p.name, "type `" + text + "`; there are scalars, structs, pointers, `In[...]`, `Out[...]`, `InOut[...]`"});
        if (llvm::StringRef(text).starts_with("Constexpr"))
          builder.help("what is known at compile time stands behind a `*`: `*, " + p.name + ": " + text + "`");
        else if (text == "int" || text == "float")
          builder.help("at run time it is `" + std::string(text == "int" ? "i32" : "f32") + "`; at compile time, behind a `*`, `Constexpr[" + text + "]`");
        else if (text == "In" || text == "Out" || text == "InOut")
          builder.help("with element type and shape: `" + text + "[f32, (n,)]`");
        throw Failed{};
      }
      parameters.back().scalar = *type;
      auto kind = type->isFloat() ? host::ExprKind::Float : type->isBool() ? host::ExprKind::Bool : host::ExprKind::Int;
      e.frame->variables[p.name] =
          Value(HostValue{host::parameter(unsigned(parameters.size() - 1), p.name, kind), type->format().bits > 32 ? 64u : 32u});
    }
    uint32_t offset = 0;
    for (auto &p : parameters) {
      offset = place(p, offset).second;
      if (p.recordInfo)
        e.frame->variables[p.node->name] =
            launchStruct(*p.recordInfo, p.record, p.node->name, unsigned(parameters.size()), offset - p.recordInfo->size, fields);
    }
    for (auto &p : parameters)
      if (isTensorAnnotation(p.node->annotation))
        readTensor(p);
  }

  void readDynamicLds(const ast::Expr &expr, artifact::InstanceInfo &info) {
    info.dynamicLds = e.toHostExpr(e.eval(expr), host::ExprKind::Int, expr.range);
    if (info.dynamicLds->kind != host::ExprKind::Int)
      e.fail(diag::bad_grid, expr.range, {"`lds=` counts bytes; `" + host::toFly(*info.dynamicLds) + "` is no integer"});
    if (info.dynamicLds->op != host::ExprOp::IntConstant)
      return;
    int64_t bytes = info.dynamicLds->intValue;
    if (bytes < 0)
      e.fail(diag::bad_grid, expr.range, {"`lds=` counts bytes, this is " + std::to_string(bytes)});
    if (bytes > int64_t(e.target.ldsBytes))
      e.report(diag::lds_over_budget, expr.range, {kernel.kernel->name, groupedDigits(uint64_t(bytes)), std::string(e.target.name), groupedDigits(e.target.ldsBytes)}), throw Failed{};
  }

  host::ExprRef leaf(const Value &value, SourceRange range, Parameter &p) {
    if (auto *h = value.as<HostValue>())
      p.bits = std::max(p.bits, h->bits);
    auto expr = e.toHostExpr(value, host::ExprKind::Int, range);
    if (expr->kind != host::ExprKind::Int)
      e.fail(diag::wrong_value, range, {"an extent or stride", "an integer", "`" + host::toFly(*expr) + "`"});
    if (expr->op == host::ExprOp::IntConstant && expr->intValue < 0)
      e.fail(diag::wrong_value, range, {"an extent or stride", "not negative", std::to_string(expr->intValue)});
    if (expr->op == host::ExprOp::IntConstant && expr->intValue > INT32_MAX)
      p.bits = 64;
    return expr;
  }

  void readTensor(Parameter &p) {
    SourceRange range = p.node->annotation->range;
    Value annotation = e.eval(*p.node->annotation);
    p.tensor = *annotation.as<TensorTypeValue>();
    if (auto *subscript = llvm::dyn_cast<ast::SubscriptExpr>(p.node->annotation); subscript && subscript->items.size() > 1)
      range = subscript->items[1].value->range; // shape and strides
    auto list = [&](const Value &v, std::vector<host::ExprRef> &out) {
      for (auto &extent : v.sequence() ? *v.sequence() : Values{v}) {
        if (extent.sequence())
          e.fail(diag::not_supported, range, {"a nested shape of a parameter", "one extent a mode"});
        out.push_back(leaf(extent, range, p));
      }
    };
    list(*p.tensor->shape, p.shape);
    if (p.tensor->stride) {
      list(*p.tensor->stride, p.stride);
      if (p.stride.size() != p.shape.size())
        e.fail(diag::wrong_value, range, {"the strides of `" + p.node->name + "`", "one for each of " + std::to_string(p.shape.size()) + " modes", std::to_string(p.stride.size())});
    } else { // storage is row-major
      host::ExprRef stride = host::intConstant(1);
      for (auto extent = p.shape.rbegin(); extent != p.shape.rend(); ++extent) {
        p.stride.insert(p.stride.begin(), stride);
        stride = host::make(host::ExprOp::Mul, {*extent, stride});
      }
    }
    auto seen = std::make_shared<HostTensor>(); // what the decorator sees of it: `grid=ceil_div(x.shape[0], 64)`
    seen->name = p.node->name;
    seen->element = p.tensor->element;
    seen->shape = p.shape;
    seen->strides = p.stride;
    e.frame->variables[p.node->name] = Value(HostTensorValue{std::move(seen)});
  }

  void readDimensions(const ast::Expr &expr, const char *what, std::array<host::ExprRef, 3> &out) {
    Value value = e.eval(expr);
    Values list = value.sequence() ? *value.sequence() : Values{value};
    if (list.empty() || list.size() > 3)
      e.fail(diag::bad_grid, expr.range, {"`" + std::string(what) + "=` has 1 to 3 dimensions, this has " + std::to_string(list.size())});
    for (size_t i = 0; i < 3; ++i) {
      out[i] = i < list.size() ? e.toHostExpr(list[i], host::ExprKind::Int, expr.range) : host::intConstant(1);
      if (out[i]->kind != host::ExprKind::Int)
        e.fail(diag::bad_grid, expr.range, {"`" + std::string(what) + "=` counts; `" + host::toFly(*out[i]) + "` is no integer"});
      if (out[i]->op == host::ExprOp::IntConstant && (out[i]->intValue < 1 || out[i]->intValue > INT32_MAX))
        e.fail(diag::bad_grid, expr.range, {"`" + std::string(what) + "=` is positive and below 2^31, this is " + std::to_string(out[i]->intValue)});
    }
  }

  void readRequires(const ast::Expr &expr, artifact::InstanceInfo &info) {
    std::vector<const ast::Expr *> list = {&expr};
    if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&expr))
      list.assign(tuple->elements.begin(), tuple->elements.end());
    else if (auto *elements = llvm::dyn_cast<ast::ListExpr>(&expr))
      list.assign(elements->elements.begin(), elements->elements.end());
    for (auto *condition : list) {
      Value value = e.eval(*condition);
      if (!value.is<HostValue>() && !value.is<bool>())
        e.fail(diag::bad_requires, condition->range, {"a precondition is true or false, this is " + describe(value)});
      artifact::RequirementInfo requirement;
      requirement.expr = e.toHostExpr(value, host::ExprKind::Bool, condition->range);
      if (requirement.expr->op == host::ExprOp::BoolConstant) {
        if (!requirement.expr->boolValue)
          e.fail(diag::bad_requires, condition->range, {"this precondition never holds for these constants"});
        continue;
      }
      requirement.text = e.diags.sources.text(condition->range).str();
      requirement.file = e.locationNames ? e.locationNames(condition->range.file) : e.diags.sources.name(condition->range.file).str();
      requirement.line = e.diags.sources.lineColumn(condition->range.file, condition->range.begin).line;
      collectFacts(*requirement.expr, facts);
      info.requirements.push_back(std::move(requirement));
    }
  }

  /// What lies several in a byte has rows of whole bytes: the extent of the contiguous mode and all other strides. The launch
  /// checks what is not known, and the code counts on it.
  void implyBytes(artifact::InstanceInfo &info) {
    for (auto &p : parameters) {
      if (!p.tensor || !liesPacked(p.tensor->element))
        continue;
      const int64_t unit = unitOf(p.tensor->element).elements;
      const std::string bits = std::to_string(host::format(p.tensor->element).bits);
      std::set<std::string> said;
      for (size_t i = 0; i < p.shape.size(); ++i) {
        const bool isContiguous = p.stride[i]->op == host::ExprOp::IntConstant && p.stride[i]->intValue == 1;
        const auto &number = isContiguous ? p.shape[i] : p.stride[i];
        if (divisorOf(*number, facts) % unit == 0)
          continue;
        auto whole = host::make(host::ExprOp::Eq, {host::make(host::ExprOp::Mod, {number, host::intConstant(unit)}), host::intConstant(0)});
        if (whole->op == host::ExprOp::BoolConstant) {
          auto &items = llvm::cast<ast::SubscriptExpr>(p.node->annotation)->items;
          e.report(diag::part_of_byte, items[1].range, {"mode " + std::to_string(i) + " of `" + p.node->name + "` has " + (isContiguous ? "extent " : "stride ") + std::to_string(number->intValue) + ", elements of " + bits + " bits fill them in multiples of " + std::to_string(unit)})
              .help("pad it: `(m, n):(lda, 1)` with strides that are multiples");
          throw Failed{};
        }
        if (!said.insert(host::toFly(*whole)).second)
          continue;
        imply(info, whole, "rows of `" + p.node->name + "` are whole bytes: " + host::toFly(*whole), p.node->range);
        collectFacts(*whole, facts);
      }
    }
  }

  /// Constants decide at once, a constant of 64 bits too. With 32-bit extents, offsets are computed in 32 bits, in bytes where an address is a uniform base and a lane's
  /// offset: the launch checks that the last element's are below 2^31 elements and 2^32 bytes.
  void implyOffsets(artifact::InstanceInfo &info) {
    for (auto &p : parameters) {
      if (!p.tensor || p.bits == 64)
        continue;
      host::ExprRef last = host::intConstant(0);
      for (size_t i = 0; i < p.shape.size(); ++i) {
        auto steps = host::make(host::ExprOp::Sub, {p.shape[i], host::intConstant(1)});
        last = host::make(host::ExprOp::Add, {last, host::make(host::ExprOp::Mul, {steps, p.stride[i]})});
      }
      int64_t bits = host::format(p.tensor->element).bits;
      int64_t elements = std::min<int64_t>(int64_t(1) << 31, (int64_t(1) << 35) / bits);
      // An i32 extent of neighbouring elements cannot exceed 31 bits.
      bool always = p.shape.size() == 1 && p.shape[0]->op == host::ExprOp::Parameter &&
                    p.stride[0]->op == host::ExprOp::IntConstant && p.stride[0]->intValue <= 1;
      if (always && elements == int64_t(1) << 31)
        continue;
      auto fits = host::make(host::ExprOp::Lt, {last, host::intConstant(elements)});
      if (fits->op == host::ExprOp::BoolConstant) {
        if (!fits->boolValue) // known to be large
          p.bits = 64;
        continue;
      }
      imply(info, fits, "`" + p.node->name + "` ends below 2^" + (elements == int64_t(1) << 31 ? "31 elements" : "32 bytes") +
                            "; an i64 extent lifts this", p.node->range);
    }
  }

  Elaborator &e;
  const KernelValue &kernel;
  FrameScope scope;
};

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
      out.shape = p.shape;
      out.strides = p.stride;
      out.size = 8;
    } else if (p.pointer) {
      auto *element = p.pointer->element->as<Type>();
      out.kind = artifact::ParameterKind::Pointer;
      out.type = element ? element->format().name : toText(*p.pointer->element);
      out.elementBytes = uint32_t(layoutOf(e, *p.pointer->element, p.node->range).bytes);
      out.direction = p.pointer->space == ir::AddressSpace::Constant ? artifact::Direction::In : artifact::Direction::InOut;
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

/// A pointer, or a struct read from the argument block: its numbers follow the parameters in `scalars`.
Value parameterInMemory(Elaborator &e, const Parameter &p, mlir::Value argument, Values &scalars) {
  if (p.pointer)
    return Value(PointerValue{argument, p.pointer->element, p.pointer->space == ir::AddressSpace::Constant ? Access::Read : Access::ReadWrite, p.node->name});
  AccessOptions options;
  options.isInvariant = true;
  Value record = loadFrom(e, argument, p.record, options, p.node->range);
  numbersOf(*p.recordInfo, record, scalars);
  return record;
}

/// The tensor of a parameter: its layout's dynamic leaves computed from the scalar arguments.
TensorValue makeParameterTensor(Elaborator &e, const Parameter &p, mlir::Value pointer, const Values &scalars, const Facts &facts) {
  auto &b = *e.builder;
  SourceRange range = p.node->range;
  auto loc = e.location(range);
  llvm::SmallVector<mlir::Value> dynamic;
  auto tree = [&](const std::vector<host::ExprRef> &exprs) {
    std::vector<IntTuple> modes;
    for (auto &expr : exprs) {
      if (expr->op == host::ExprOp::IntConstant) {
        modes.push_back(IntTuple(expr->intValue));
        continue;
      }
      dynamic.push_back(e.emitHostExpr(*expr, scalars, p.bits, range).value);
      modes.push_back(Leaf::dynamic(p.bits, divisorOf(*expr, facts)));
    }
    return IntTuple(std::move(modes));
  };
  IntTuple shape = tree(p.shape), stride = tree(p.stride);
  auto type = ir::LayoutType::get(&e.context, layout::Layout(shape, stride));
  mlir::Value made = ir::MakeLayoutOp::create(b, loc, type, dynamic);
  TensorValue tensor;
  tensor.element = p.tensor->element;
  tensor.access = p.tensor->access;
  tensor.name = p.node->name;
  bool fits = p.bits == 32; // Signature::implyOffsets
  tensor.value = ir::MakeTensorOp::create(b, loc, pointer, made, mlir::TypeAttr::get(memoryType(e, tensor.element)),
                                          fits ? b.getUnitAttr() : mlir::UnitAttr{});
  return tensor;
}
} // namespace

// ---------------------------------------------------------------------------------------------------------
// The body

/// `matmul[STAGES=3]`: as the author wrote the instance.
static std::string displayName(const KernelValue &kernel) {
  std::string text;
  for (auto &p : kernel.kernel->def->parameters)
    if (auto found = kernel.constants->find(p.name); p.keywordOnly && found != kernel.constants->end())
      text += (text.empty() ? "[" : ", ") + p.name + "=" + toText(found->second, true);
  return kernel.kernel->name + (text.empty() ? "" : text + "]");
}

/// The extents of the grid; 1 where the launch decides.
static std::array<int64_t, 3> knownGrid(const artifact::InstanceInfo &info) {
  std::array<int64_t, 3> out = {1, 1, 1};
  for (size_t i = 0; i < out.size(); ++i)
    if (auto &extent = info.grid[i]; extent && extent->op == host::ExprOp::IntConstant && extent->intValue > 0)
      out[i] = extent->intValue;
  return out;
}

static void emitBody(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants,
                     Signature &signature, Instance &instance) {
  auto &def = *kernel.kernel->def;
  mlir::OpBuilder builder(&e.context);
  auto loc = e.location(def.nameRange);
  instance.module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToStart(instance.module->getBody());
  llvm::SmallVector<mlir::Type> types;
  for (auto &p : signature.parameters)
    types.push_back(p.tensor       ? mlir::Type(ir::PtrType::get(&e.context, ir::AddressSpace::Global, p.tensor->alignment))
                    : p.pointer    ? mlir::Type(ir::PtrType::get(&e.context, p.pointer->space, p.pointer->alignment))
                    : p.recordInfo ? mlir::Type(ir::PtrType::get(&e.context, ir::AddressSpace::Constant, p.recordInfo->alignment))
                                   : e.mlirType(p.scalar));
  auto op = ir::KernelOp::create(builder, loc, instance.info.symbol, types);
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    auto &p = signature.parameters[i];
    op.setArgAttr(unsigned(i), ir::KernelOp::argumentNameAttr, builder.getStringAttr(p.node->name));
    if (p.recordInfo)
      op.setArgAttr(unsigned(i), ir::KernelOp::byValueAttr, builder.getI64IntegerAttr(p.recordInfo->size));
    if ((p.tensor && p.tensor->access == Access::Read) || (p.pointer && p.pointer->space == ir::AddressSpace::Constant))
      op.setArgAttr(unsigned(i), ir::KernelOp::readonlyAttr, builder.getUnitAttr());
  }
  if (auto *known = signature.blockDim.sequence()) {
    llvm::SmallVector<int32_t> sizes;
    for (auto &v : *known)
      sizes.push_back(int32_t(*toInt64(v)));
    op.setKnownBlock(llvm::ArrayRef<int32_t>(sizes));
  } else
    op.setMaxBlockThreads(signature.maxBlock);
  if (signature.cluster)
    op.setKnownCluster(llvm::ArrayRef<int32_t>(*signature.cluster));

  if (signature.flushesDenormals)
    op->setAttr(ir::KernelOp::flushDenormalsAttr, builder.getUnitAttr());

  FrameScope scope(e, kernel.kernel->module);
  FastMathScope flags(e, signature.fastmath);
  FastMathListener listener(e);
  builder.setListener(&listener);
  mlir::Block *entry = &op.getBody().front();
  e.builder = &builder;
  e.kernelEntry = entry;
  e.lds = {};
  if (auto option = kernel.kernel->options.find("lds"); option != kernel.kernel->options.end()) {
    e.lds.hasDynamic = true;
    e.lds.dynamicRange = option->second->range;
    if (auto &bytes = instance.info.dynamicLds; bytes->op == host::ExprOp::IntConstant)
      e.lds.dynamicBytes = uint64_t(bytes->intValue);
  }
  e.barriers.clear();
  e.waveOperands.clear();
  e.accesses.clear();
  e.conditions.clear();
  e.usedExterns.clear();
  e.blockDim = signature.blockDim;
  e.kernelName = displayName(kernel);
  builder.setInsertionPointToStart(entry);
  e.frame->isKernel = true;
  for (auto &[name, value] : constants)
    e.frame->variables[name] = value;
  Values scalars(signature.parameters.size());
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (auto &p = signature.parameters[i]; p.pointer || p.recordInfo)
      e.frame->variables[p.node->name] = parameterInMemory(e, p, entry->getArgument(unsigned(i)), scalars);
    else if (!p.tensor)
      scalars[i] = e.frame->variables[p.node->name] = Value(MachineValue{entry->getArgument(unsigned(i)), p.scalar});
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (auto &p = signature.parameters[i]; p.tensor)
      e.frame->variables[p.node->name] = Value(makeParameterTensor(e, p, entry->getArgument(unsigned(i)), scalars, signature.facts));
  unsigned errors = e.failures;
  Flow flow = e.execBlock(def.body);
  e.joinReturns(flow, def.nameRange);
  ir::ReturnOp::create(builder, loc);
  e.kernelEntry = nullptr;
  instance.externs = e.usedExterns;
  builder.setInsertionPointToStart(instance.module->getBody());
  std::set<std::string> declared; // two declarations may name one symbol
  for (auto *function : instance.externs) {
    if (!declared.insert(function->symbol).second)
      continue;
    llvm::SmallVector<mlir::Type> operands;
    for (auto &type : function->parameters)
      operands.push_back(e.mlirType(type));
    auto result = function->result ? e.mlirType(*function->result) : mlir::Type(mlir::LLVM::LLVMVoidType::get(&e.context));
    mlir::LLVM::LLVMFuncOp::create(builder, e.location(function->def->nameRange), function->symbol,
                                   mlir::LLVM::LLVMFunctionType::get(result, operands));
  }
  if (e.failures == errors) {
    checkBarriers(e, op);
    checkWaveOperands(e, op);
    checkTakenParts(e, op);
    checkTilesInside(e, op, knownGrid(instance.info));
    checkAccesses(e, op);
  }
}

static std::unique_ptr<Instance> elaborate(Elaborator &e, const KernelValue &kernel, std::string symbol, SourceRange range);

/// A compile-time integer of the kernel with which it would elaborate without errors, found by trying smaller ones with an
/// elaborator of their own: "STAGES=2". Empty if there is none.
static std::string smallerConstant(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants) {
  e.diags.suspend();
  std::string found;
  for (auto &p : kernel.kernel->def->parameters) {
    auto constant = constants.find(p.name);
    auto value = p.keywordOnly && constant != constants.end() && constant->second.is<Int>() ? toInt64(constant->second) : std::nullopt;
    if (!value)
      continue;
    for (int64_t smaller : {*value - 1, *value - 2, *value / 2, *value / 4}) {
      if (smaller < 1 || smaller >= *value || !found.empty())
        continue;
      auto changed = constants;
      changed[p.name] = Value(smaller);
      Elaborator other(e.diags, e.target, e.loader, e.context);
      other.definitions = e.definitions;
      KernelValue instance{kernel.kernel, std::make_shared<const std::map<std::string, Value>>(std::move(changed))};
      if (elaborate(other, instance, "smaller", {}))
        found = p.name + "=" + std::to_string(smaller);
    }
  }
  e.diags.resume();
  return found;
}

static void describe(const KernelValue &kernel, std::map<std::string, Value> &constants, artifact::InstanceInfo &info) {
  info.kernel = kernel.kernel->name;
  for (auto &p : kernel.kernel->def->parameters)
    if (p.keywordOnly)
      info.constants.push_back({p.name, toText(constants[p.name], true)});
}

/// Fails where `arch=` leaves the target out.
static void requireTarget(Elaborator &e, const KernelValue &kernel, SourceRange range) {
  if (auto why = notForTarget(e, *kernel.kernel)) {
    e.report(diag::not_on_target, range.valid() ? range : kernel.kernel->def->nameRange, {describe(Value(kernel)), std::string(e.target.name)})
        .note(kernel.kernel->options.at("arch")->range, "it is " + *why);
    throw Failed{};
  }
}

artifact::InstanceInfo describeInstance(Elaborator &e, const KernelValue &kernel, SourceRange range) {
  requireTarget(e, kernel, range);
  artifact::InstanceInfo info;
  auto constants = resolveConstants(e, kernel, range);
  info.symbol = anonymousSymbol(*kernel.kernel, constants);
  describe(kernel, constants, info);
  Signature signature(e, kernel, constants);
  signature.readDecorator(info);
  fillParameters(signature, info, e);
  return info;
}

std::unique_ptr<Instance> instantiate(Elaborator &e, const KernelValue &kernel, std::string symbol, SourceRange range) {
  e.suggestSmaller = [&] { return smallerConstant(e, kernel, resolveConstants(e, kernel, range)); };
  auto instance = elaborate(e, kernel, std::move(symbol), range);
  e.suggestSmaller = nullptr;
  return instance;
}

static std::unique_ptr<Instance> elaborate(Elaborator &e, const KernelValue &kernel, std::string symbol, SourceRange range) {
  auto instance = std::make_unique<Instance>();
  unsigned errors = e.failures;
  try {
    requireTarget(e, kernel, range);
    auto constants = resolveConstants(e, kernel, range);
    instance->info.symbol = symbol.empty() ? anonymousSymbol(*kernel.kernel, constants) : symbol;
    describe(kernel, constants, instance->info);
    Signature signature(e, kernel, constants);
    signature.readDecorator(instance->info);
    fillParameters(signature, instance->info, e);
    emitBody(e, kernel, constants, signature, *instance);
  } catch (Failed &) {
    ++e.failures;
  }
  if (e.failures != errors)
    return nullptr;
  if (mlir::failed(mlir::verify(*instance->module))) {
    e.report(diag::backend_failure, kernel.kernel->def->nameRange, {instance->info.symbol, "the intermediate form is not valid"});
    return nullptr;
  }
  return instance;
}

std::vector<ExportedInstance> exportedInstances(Elaborator &e, const ModuleScope &module, std::vector<std::string> *skipped) {
  std::vector<ExportedInstance> out;
  for (auto &kernel : module.kernels)
    if (kernel->name[0] != '_' && hasAllConstants(e, *kernel))
      out.push_back({kernel->name, KernelValue{kernel.get(), std::make_shared<const std::map<std::string, Value>>()}, kernel->def->nameRange});
  for (auto &named : module.exports)
    out.push_back({named.symbol, named.instance, named.range});
  llvm::erase_if(out, [&](auto &instance) {
    try {
      auto why = notForTarget(e, *instance.kernel.kernel);
      if (why && skipped)
        skipped->push_back(instance.symbol + " " + std::string(e.target.name) + "  not compiled: it is " + *why);
      return why.has_value();
    } catch (Failed &) {
      return true; // reported
    }
  });
  std::map<std::string, SourceRange> seen;
  for (auto &instance : out)
    if (!seen.insert({instance.symbol, instance.range}).second)
      e.report(diag::duplicate_symbol, instance.range, {instance.symbol}).note(seen[instance.symbol], "the first one is here");
  for (auto &instance : out) // a launch function has two names in the header
    if (auto found = seen.find(instance.symbol + "_workspace_bytes"); instance.kernel.kernel->isLaunch && found != seen.end())
      e.report(diag::duplicate_symbol, found->second, {found->first}).note(instance.range, "`" + instance.symbol + "` gives the first one");
  return out;
}

} // namespace fly::sema
