// Kernel instances: from constants (KernelConstants.cpp), signature and decorator (Signature.h) to the body, with
// parameters as machine values and tensors.
#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/control/ControlFlow.h"
#include "compiler/sema/number/FastMath.h"
#include "compiler/sema/elaborator/Kinds.h"
#include "compiler/sema/elaborator/LlvmOptions.h"
#include "compiler/sema/elaborator/Trial.h"
#include "compiler/sema/kernel/OverlappingOutputs.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/sema/kernel/IsaKernels.h"
#include "compiler/sema/kernel/ParameterStructs.h"
#include "compiler/sema/kernel/Signature.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/syntax/Walk.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"

namespace fly::sema {

using layout::IntTuple;
using layout::Leaf;

/// A pointer, or a struct read from the argument block: its numbers follow the parameters in `scalars`.
static Value parameterInMemory(Elaborator &e, const Parameter &p, mlir::Value argument, Values &scalars) {
  if (p.pointer)
    return Value(PointerValue{argument, p.pointer->element,
                              p.pointer->space == ir::AddressSpace::Constant ? Access::Read : Access::ReadWrite,
                              p.node->name});
  AccessOptions options;
  options.isInvariant = true;
  Value record = loadFrom(e, argument, p.record, options, p.node->range);
  numbersOf(*p.recordInfo, record, scalars);
  return record;
}

/// The tensor of a parameter: its layout's dynamic leaves computed from the scalar arguments.
static TensorValue makeParameterTensor(Elaborator &e, const Parameter &p, mlir::Value pointer, const Values &scalars,
                                       const Facts &facts) {
  auto &b = *e.kernel.builder;
  SourceRange range = p.node->range;
  auto loc = e.location(range);
  llvm::SmallVector<mlir::Value> dynamic;
  auto tree = [&](const std::vector<host::ExprRef> &exprs) {
    std::vector<IntTuple> leaves;
    for (auto &expr : exprs) {
      if (expr->op == host::ExprOp::IntConstant) {
        leaves.push_back(IntTuple(expr->intValue));
        continue;
      }
      dynamic.push_back(emitHostExpr(e, *expr, scalars, p.layout.bits, range).value);
      leaves.push_back(Leaf::dynamic(p.layout.bits, divisorOf(*expr, facts)));
    }
    return host::nested(p.layout.modes, std::move(leaves),
                        [](std::vector<IntTuple> parts) { return IntTuple(std::move(parts)); });
  };
  IntTuple shape = tree(p.layout.shape), stride = tree(p.layout.strides);
  auto type = ir::LayoutType::get(&e.context, layout::Layout(shape, stride));
  mlir::Value made = ir::MakeLayoutOp::create(b, loc, type, dynamic);
  TensorValue tensor;
  tensor.element = p.tensor->element;
  tensor.access = p.tensor->access;
  tensor.name = p.node->name;
  bool fits = p.layout.bits == 32; // Signature::implyOffsets
  tensor.value = ir::MakeTensorOp::create(b, loc, pointer, made, mlir::TypeAttr::get(memoryType(e, tensor.element)),
                                          fits ? b.getUnitAttr() : mlir::UnitAttr{});
  return tensor;
}

// ---------------------------------------------------------------------------------------------------------
// The body

/// The extents of the grid; 1 where the launch decides.
static std::array<int64_t, 3> knownGrid(const artifact::InstanceInfo &info) {
  std::array<int64_t, 3> out = {1, 1, 1};
  for (size_t i = 0; i < out.size(); ++i)
    if (auto &extent = info.grid[i]; extent && extent->op == host::ExprOp::IntConstant && extent->intValue > 0)
      out[i] = extent->intValue;
  return out;
}

/// Whether the name is used in a statement that an instance may leave out: one instance may write what another does
/// not.
static bool isConditional(const ast::Block &body, llvm::StringRef name) {
  return llvm::any_of(body, [&](const ast::Stmt *stmt) {
    if (llvm::isa<ast::ExprStmt, ast::AssignStmt, ast::AugAssignStmt, ast::AnnAssignStmt>(stmt))
      return false;
    bool found = false;
    auto *function = llvm::dyn_cast<ast::DefStmt>(stmt); // it may leave it out, too
    ast::walk(function ? function->body : ast::Block{const_cast<ast::Stmt *>(stmt)}, [&](const ast::Expr &expr) {
      auto *use = llvm::dyn_cast<ast::NameExpr>(&expr);
      found |= use && use->name == name;
    });
    return found;
  });
}

/// The parameters that are outputs alone, of a kernel that does something.
static llvm::SmallVector<analysis::Output> outputsOf(const ast::DefStmt &def, const Signature &signature) {
  llvm::SmallVector<analysis::Output> outputs;
  if (llvm::all_of(def.body, [](const ast::Stmt *stmt) { return llvm::isa<ast::PassStmt>(stmt); }))
    return outputs;
  for (auto [i, p] : llvm::enumerate(signature.parameters))
    if (p.tensor && p.tensor->access == Access::Write && !isConditional(def.body, p.node->name))
      outputs.push_back({unsigned(i), p.node->name, p.node->nameRange});
  return outputs;
}

/// Whether something that is computed from a value has an effect.
static bool isUsed(mlir::Value value) {
  return llvm::any_of(value.getUsers(), [](mlir::Operation *user) {
    return !mlir::isMemoryEffectFree(user) || user->hasTrait<mlir::OpTrait::IsTerminator>() ||
           llvm::any_of(user->getResults(), [](mlir::Value result) { return isUsed(result); });
  });
}

/// A constant with which a kernel's LDS would fit: "STAGES=2". Empty if there is none.
using Suggestion = std::function<std::string()>;

static void emitBody(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants,
                     Signature &signature, Instance &instance, Kept kept, const Suggestion &suggestSmaller) {
  auto &def = *kernel.kernel->def;
  mlir::OpBuilder builder(&e.context);
  auto loc = e.location(def.nameRange);
  instance.module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToStart(instance.module->getBody());
  llvm::SmallVector<mlir::Type> types;
  for (auto &p : signature.parameters)
    types.push_back(p.tensor ? mlir::Type(ir::PtrType::get(&e.context, ir::AddressSpace::Global, p.tensor->alignment))
                    : p.pointer ? mlir::Type(ir::PtrType::get(&e.context, p.pointer->space, p.pointer->alignment))
                    : p.recordInfo
                        ? mlir::Type(ir::PtrType::get(&e.context, ir::AddressSpace::Constant, p.recordInfo->alignment))
                        : mlirType(e, p.scalar));
  auto op = ir::KernelOp::create(builder, loc, instance.info.symbol, types);
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    auto &p = signature.parameters[i];
    op.setArgAttr(unsigned(i), ir::KernelOp::argumentNameAttr, builder.getStringAttr(p.node->name));
    if (p.recordInfo)
      op.setArgAttr(unsigned(i), ir::KernelOp::byValueAttr, builder.getI64IntegerAttr(p.recordInfo->size));
    if ((p.tensor && p.tensor->access == Access::Read) || (p.pointer && p.pointer->space == ir::AddressSpace::Constant))
      op.setArgAttr(unsigned(i), ir::KernelOp::readonlyAttr, builder.getUnitAttr());
    auto fact = signature.facts.find(unsigned(i));
    if (fact != signature.facts.end() && fact->second > 1 && types[i].isInteger())
      op.setArgAttr(unsigned(i), ir::KernelOp::multipleOfAttr, builder.getI64IntegerAttr(fact->second));
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

  if (signature.vgprs)
    op.setVgprs(*signature.vgprs);
  if (signature.agprs)
    op.setAgprs(*signature.agprs);
  if (signature.flushesDenormals)
    op->setAttr(ir::KernelOp::flushDenormalsAttr, builder.getUnitAttr());
  if (kept.accesses)
    op->setAttr(analysis::keepsTilingsAttr, builder.getUnitAttr());

  FrameScope scope(e, kernel.kernel->module, kernelRole());
  FastMathScope flags(e, signature.fastmath);
  FastMathListener listener(e);
  builder.setListener(&listener);
  mlir::Block *entry = &op.getBody().front();
  builder.setInsertionPointToStart(entry);
  e.kernel = {.builder = builder,
              .entry = entry,
              .name = displayName(kernel),
              .blockDim = signature.blockDim,
              .suggestSmaller = suggestSmaller};
  if (auto option = kernel.kernel->options.find("lds"); option != kernel.kernel->options.end()) {
    e.kernel.lds.hasDynamic = true;
    e.kernel.lds.dynamicRange = option->second->range;
    if (auto &bytes = instance.info.dynamicLds; bytes->op == host::ExprOp::IntConstant)
      e.kernel.lds.dynamicBytes = uint64_t(bytes->intValue);
  }
  e.frame->isKernel = true;
  bindConstants(e, *kernel.kernel, constants);
  Values scalars(signature.parameters.size());
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (auto &p = signature.parameters[i]; p.pointer || p.recordInfo)
      e.frame->variables[p.node->name] = parameterInMemory(e, p, entry->getArgument(unsigned(i)), scalars);
    else if (!p.tensor)
      scalars[i] = e.frame->variables[p.node->name] = Value(MachineValue{entry->getArgument(unsigned(i)), p.scalar});
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (auto &p = signature.parameters[i]; p.tensor)
      e.frame->variables[p.node->name] =
          Value(makeParameterTensor(e, p, entry->getArgument(unsigned(i)), scalars, signature.facts));
  unsigned errors = e.failures;
  Flow flow = e.execBlock(def.body);
  joinReturns(e, flow, def.nameRange);
  ir::ReturnOp::create(*e.kernel.builder, loc);
  for (size_t i = 0; i < instance.info.parameters.size(); ++i)
    instance.info.parameters[i].isUsed = isUsed(entry->getArgument(unsigned(i)));
  instance.allowsScratch = op->removeAttr(allowScratchAttr) != nullptr;
  instance.externs = e.kernel.usedExterns;
  builder.setInsertionPointToStart(instance.module->getBody());
  std::set<std::string> declared; // two declarations may name one symbol
  for (auto *function : instance.externs) {
    if (!declared.insert(function->symbol).second)
      continue;
    llvm::SmallVector<mlir::Type> operands;
    for (auto &type : function->parameters)
      operands.push_back(mlirType(e, type));
    auto result =
        function->result ? mlirType(e, *function->result) : mlir::Type(mlir::LLVM::LLVMVoidType::get(&e.context));
    mlir::LLVM::LLVMFuncOp::create(builder, e.location(function->def->nameRange), function->symbol,
                                   mlir::LLVM::LLVMFunctionType::get(result, operands));
  }
  if (e.failures != errors)
    return;
  analysis::LaunchFacts facts{knownGrid(instance.info), llvm::SmallVector<int64_t>(signature.parameters.size(), 1),
                              kernel.kernel->name, outputsOf(def, signature)};
  for (auto [parameter, divisor] : signature.facts)
    if (parameter < facts.divisors.size()) // those behind are numbers in structs
      facts.divisors[parameter] = divisor;
  if (kept.elaborated) {
    llvm::raw_string_ostream bytecode(instance.elaborated);
    (void)mlir::writeBytecodeToFile(*instance.module, bytecode);
  }
  instance.analyse = [&e, &instance, op, facts = std::move(facts), kept] {
    const unsigned errors = e.failures;
    const analysis::SourcePlaces places(e.diags.sources, [&](FileId file) { return e.locationName(file); });
    analysis::Ranges ranges(op);
    analysis::Context context{op, e.target, e, places, ranges};
    instance.neighbours = analysis::analyse(context, facts);
    if (kept.accesses && e.failures == errors)
      instance.accesses = analysis::knownAccesses(context);
  };
}

static std::unique_ptr<Instance> elaborate(Elaborator &e, const KernelValue &kernel, std::string symbol,
                                           SourceRange range, Kept kept, const Suggestion &suggestSmaller);

/// A value of a compile-time integer parameter with which the kernel would elaborate without errors, found by trying
/// smaller values in a separate elaborator: "STAGES=2". Empty if there is none.
static std::string smallerConstant(Elaborator &e, const KernelValue &kernel,
                                   const std::map<std::string, Value> &constants) {
  const Unheard unheard(e);
  std::string found;
  for (auto &p : kernel.kernel->def->parameters) {
    auto constant = constants.find(p.name);
    auto value = p.keywordOnly && constant != constants.end() && constant->second.is<Int>() ? toInt64(constant->second)
                                                                                            : std::nullopt;
    if (!value)
      continue;
    for (int64_t smaller : {*value - 1, *value - 2, *value / 2, *value / 4}) {
      if (smaller < 1 || smaller >= *value || !found.empty())
        continue;
      auto changed = constants;
      changed[p.name] = Value(smaller);
      Evaluator other(e.diags, e.target, e.loader, e.context);
      other.definitions = e.definitions;
      other.printTo = &llvm::nulls();
      KernelValue instance{kernel.kernel, std::make_shared<const std::map<std::string, Value>>(std::move(changed))};
      if (elaborate(other, instance, "smaller", {}, {}, nullptr))
        found = p.name + "=" + std::to_string(smaller);
    }
  }
  return found;
}

static void describe(const KernelValue &kernel, std::map<std::string, Value> &constants, artifact::InstanceInfo &info) {
  info.kernel = kernel.kernel->name;
  info.label = displayName(kernel);
  for (auto &p : kernel.kernel->def->parameters)
    if (p.keywordOnly)
      info.constants.push_back({p.name, toText(constants[p.name], true)});
  if (auto found = constants.find(llvmConstant); found != constants.end() && takesLlvmOptions(*kernel.kernel))
    info.constants.push_back({llvmConstant, toText(found->second, true)});
}

/// Fails where `arch=` leaves the target out.
static void requireTarget(Elaborator &e, const KernelValue &kernel, SourceRange range) {
  if (auto why = notForTarget(e, *kernel.kernel)) {
    e.report(diag::not_on_target, range.valid() ? range : kernel.kernel->def->nameRange,
             {describe(Value(kernel)), std::string(e.target.name)})
        .note(kernel.kernel->options.at("arch")->range, "it is " + *why);
    throw Failed{};
  }
}

artifact::InstanceInfo describeInstance(Elaborator &e, const KernelValue &kernel, SourceRange range) {
  requireTarget(e, kernel, range);
  artifact::InstanceInfo info;
  auto constants = resolveConstants(e, kernel, range);
  info.symbol = instanceSymbol(e, kernel, range);
  describe(kernel, constants, info);
  Signature signature(e, kernel, constants);
  signature.instanceAt = range;
  signature.readDecorator(info);
  fillParameters(signature, info, e);
  return info;
}

std::unique_ptr<Instance> instantiate(Elaborator &e, const KernelValue &kernel, std::string symbol, SourceRange range,
                                      Kept kept) {
  return elaborate(e, kernel, std::move(symbol), range, kept,
                   [&] { return smallerConstant(e, kernel, resolveConstants(e, kernel, range)); });
}

static std::unique_ptr<Instance> elaborate(Elaborator &e, const KernelValue &kernel, std::string symbol,
                                           SourceRange range, Kept kept, const Suggestion &suggestSmaller) {
  auto instance = std::make_unique<Instance>();
  unsigned errors = e.failures;
  try {
    requireTarget(e, kernel, range);
    auto constants = resolveConstants(e, kernel, range);
    instance->info.symbol = symbol.empty() ? instanceSymbol(e, kernel, range) : symbol;
    describe(kernel, constants, instance->info);
    Signature signature(e, kernel, constants);
    signature.instanceAt = range;
    signature.readDecorator(instance->info);
    instance->llvmOptionsAt = signature.llvmOptionsAt;
    fillParameters(signature, instance->info, e);
    warnOfOverlaps(e, signature);
    if (isIsaKernel(e, kernel, constants)) {
      instance->allowsScratch = true; // it is there only because the author asked for it
      instance->isa = elaborateIsa(e, kernel, constants, signature, instance->info);
    } else
      emitBody(e, kernel, constants, signature, *instance, kept, suggestSmaller);
  } catch (Failed &) {
    ++e.failures;
  }
  if (e.failures != errors || (!kept.unfinished && !finish(e, kernel, *instance)))
    return nullptr;
  return instance;
}

bool finish(Elaborator &e, const KernelValue &kernel, Instance &instance) {
  const unsigned errors = e.failures;
  if (auto analyse = std::exchange(instance.analyse, nullptr))
    try {
      analyse();
    } catch (Failed &) {
      ++e.failures;
    }
  if (e.failures != errors)
    return false;
  if (instance.module && mlir::failed(mlir::verify(*instance.module))) {
    e.report(diag::backend_failure, kernel.kernel->def->nameRange, {instance.info.symbol, "its IR is not valid"});
    return false;
  }
  return true;
}

std::vector<ExportedInstance> exportedInstances(Elaborator &e, const ModuleScope &module,
                                                std::vector<std::string> *skipped) {
  std::vector<ExportedInstance> out;
  for (auto &kernel : module.kernels)
    if (kernel->name[0] != '_' && hasAllConstants(e, *kernel))
      try {
        KernelValue defaults{kernel.get(), std::make_shared<const std::map<std::string, Value>>()};
        out.push_back({instanceSymbol(e, defaults, kernel->def->nameRange), defaults, kernel->def->nameRange});
      } catch (Failed &) {
        ++e.failures;
      }
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
      e.report(instance.range, diag::duplicate_symbol{.symbol = instance.symbol})
          .note(seen[instance.symbol], "the first one is here");
  for (auto &instance : out) // a launch function has two names in the header
    if (auto found = seen.find(instance.symbol + "_workspace_bytes");
        instance.kernel.kernel->isLaunch && found != seen.end())
      e.report(found->second, diag::duplicate_symbol{.symbol = found->first})
          .note(instance.range, "the first one comes from `" + instance.symbol + "`");
  return out;
}

} // namespace fly::sema
