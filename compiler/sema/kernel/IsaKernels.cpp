// See IsaKernels.h. The steps after the body: choose registers, insert waits if the author asked for it, hold the
// result against the verifier, and write the object. Each reports at the lines of the source.
#include "compiler/sema/kernel/IsaKernels.h"

#include "compiler/sema/control/ControlFlow.h"
#include "compiler/assembly/KernelObject.h"
#include "compiler/sema/isa/Stream.h"

#include "llvm/ADT/ScopeExit.h"

namespace fly::sema {

static bool flagOf(Elaborator &e, const ast::Expr &expr, llvm::StringRef what) {
  Value value = e.eval(expr);
  auto *flag = value.as<bool>();
  if (!flag)
    e.fail(expr.range, diag::not_true_or_false{.what = "`" + what.str() + "=`", .found = toText(value, true)});
  return *flag;
}

bool isIsaKernel(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants) {
  auto &options = kernel.kernel->options;
  auto isa = options.find("isa");
  FrameScope scope(e, kernel.kernel->module);
  bindConstants(e, *kernel.kernel, constants);
  const bool is = isa != options.end() && flagOf(e, *isa->second, "isa");
  for (const char *other : {"auto_wait"})
    if (auto found = options.find(other); found != options.end() && !is)
      e.fail(diag::bad_decorator, found->second->range,
             {"`" + std::string(other) + "=` is for kernels with `isa=True`"});
  for (const char *other : {"fastmath", "agprs", "cluster", "llvm"})
    if (auto found = options.find(other); found != options.end() && is)
      e.fail(
          diag::bad_decorator, found->second->range,
          {"`" + std::string(other) + "=` has no effect with `isa=True`, where the body contains every instruction"});
  return is;
}

namespace {

/// LDS that is known now is part of the code object; what the launch decides stays with the launch.
uint32_t staticLds(Elaborator &e, const KernelValue &kernel, const IsaStream &stream, artifact::InstanceInfo &info) {
  auto option = kernel.kernel->options.find("lds");
  if (option == kernel.kernel->options.end())
    return stream.sharedBytes;
  if (stream.sharedBytes)
    e.fail(diag::bad_decorator, option->second->range,
           {"`lds=` counts all LDS of the kernel, including that of `isa.shared`; use one of the two"});
  if (info.dynamicLds->op != host::ExprOp::IntConstant)
    return 0;
  const uint32_t bytes = uint32_t(info.dynamicLds->intValue);
  info.dynamicLds = host::intConstant(0);
  return bytes;
}

/// Branches back to a label, by its name.
std::vector<IsaCode::Loop> loopsOf(Elaborator &e, const IsaStream &stream) {
  std::vector<IsaCode::Loop> loops;
  std::set<uint32_t> placed;
  for (const assembly::Item &item : stream.program.items)
    if (!item.isCode())
      placed.insert(item.label);
    else if (item.statement.label && placed.count(*item.statement.label)) {
      const SourceRange at = stream.rangeOf(item.statement.place);
      loops.push_back({stream.program.labels[*item.statement.label].name, e.locationName(at.file),
                       e.diags.sources.lineColumn(at.file, at.begin).line});
    }
  return loops;
}

assembly::KernelHead headOf(Elaborator &e, IsaStream &stream, const Signature &signature,
                            const artifact::InstanceInfo &info) {
  assembly::KernelHead head;
  head.symbol = info.symbol;
  for (auto &p : info.parameters) {
    head.arguments.push_back({p.name, p.offset, p.size,
                              p.kind == artifact::ParameterKind::Tensor || p.kind == artifact::ParameterKind::Pointer});
    head.kernargBytes = std::max(head.kernargBytes, p.offset + p.size);
  }
  head.flushDenormals = signature.flushesDenormals;
  head.maxWorkgroupSize = signature.maxBlock;
  if (auto *known = signature.blockDim.sequence()) {
    head.workgroup.emplace();
    head.maxWorkgroupSize = 1;
    for (size_t i = 0; i < 3; ++i)
      head.maxWorkgroupSize *= (*head.workgroup)[i] = uint32_t(*toInt64((*known)[i]));
  }
  if (stream.usesPackedWorkitem)
    head.descriptor["system_vgpr_workitem_id"] = 2;
  return head;
}

/// Workitem ids are packed by what the descriptor says, and `abi.workitem_id.x` is v0 only where they are not.
void checkWorkitemIds(Elaborator &e, const IsaStream &stream) {
  constexpr const char *name = "system_vgpr_workitem_id";
  auto field = stream.program.descriptor.find(name);
  if (field == stream.program.descriptor.end())
    return;
  const int64_t value = field->second.value;
  if (stream.usesPackedWorkitem ? value > 0 : !stream.usesWorkitemX || value == 0)
    return;
  e.fail(stream.rangeOf(field->second.place),
         diag::isa_input_disabled{.field = name,
                                  .value = std::to_string(value),
                                  .input = stream.usesPackedWorkitem ? "abi.workitem_id.packed" : "abi.workitem_id.x"});
}

} // namespace

IsaCode elaborateIsa(Elaborator &e, const KernelValue &kernel, const std::map<std::string, Value> &constants,
                     const Signature &signature, artifact::InstanceInfo &info) {
  auto &def = *kernel.kernel->def;
  auto assembler = isa::Assembler::create(std::string(e.target.name));
  if (!assembler)
    e.fail(diag::backend_failure, def.nameRange, {info.symbol, llvm::toString(assembler.takeError())});
  auto kept = std::make_shared<IsaStream>(e, std::move(*assembler)); // by what reports findings later
  IsaStream &stream = *kept;
  auto failIfReported = [&, before = e.failures] {
    if (e.failures != before)
      throw Failed{};
  };
  bool waits = false;
  {
    FrameScope scope(e, kernel.kernel->module, kernelRole());
    for (auto &[name, value] : constants)
      e.frame->variables[name] = value;
    if (auto option = kernel.kernel->options.find("auto_wait"); option != kernel.kernel->options.end())
      waits = flagOf(e, *option->second, "auto_wait");
    for (auto [p, described] : llvm::zip(signature.parameters, info.parameters))
      e.frame->variables[p.node->name] = isaParameter(p.node->name, described.type, described.offset);
    e.kernel.name = displayName(kernel);
    e.frame->isKernel = true;
    e.kernel.isaStream = &stream;
    joinReturns(e, e.execBlock(def.body), def.nameRange);
  }
  failIfReported();
  auto report = [&](llvm::ArrayRef<assembly::Problem> problems) {
    for (const assembly::Problem &problem : problems)
      stream.report(problem, kernel.kernel->name);
    failIfReported();
  };
  if (stream.program.items.empty())
    e.fail(def.nameRange, diag::isa_no_end{.kernel = kernel.kernel->name});
  const uint32_t lds = staticLds(e, kernel, stream, info);
  checkWorkitemIds(e, stream);
  const assembly::KernelHead launch = headOf(e, stream, signature, info);
  report(assembly::allocate(stream.program, {.vgprs = signature.vgprs ? unsigned(*signature.vgprs) : 0,
                                             .workgroup = launch.maxWorkgroupSize}));
  if (waits)
    assembly::complete(stream.program);
  IsaCode code;
  for (const assembly::Problem &problem : assembly::check(stream.program)) {
    if (problem.kind != assembly::Problem::Kind::NotProved)
      report({problem});
    code.unproved.push_back(
        {problem.arguments[0], [kept, problem, name = kernel.kernel->name] { kept->report(problem, name); }});
  }

  assembly::KernelHead head = launch;
  head.ldsBytes = lds;
  head.lineOf = [&](assembly::Place place) -> assembly::SourceLine {
    const SourceRange at = stream.rangeOf(place);
    const std::string file = e.locationName(at.file);
    auto known = llvm::find(head.files, file);
    const LineColumn where = e.diags.sources.lineColumn(at.file, at.begin);
    return {unsigned(known - head.files.begin()), where.line, where.column};
  };
  for (const assembly::Item &item : stream.program.items)
    if (std::string file = e.locationName(stream.rangeOf(item.statement.place).file);
        !llvm::is_contained(head.files, file))
      head.files.push_back(file);
  auto object = assembly::kernelObject(stream.program, head);
  if (!object)
    e.fail(def.nameRange,
           diag::isa_descriptor{.kernel = kernel.kernel->name, .message = llvm::toString(object.takeError())});
  code.object = std::move(*object);
  code.loops = loopsOf(e, stream);
  code.listing = [kept, &e] {
    return assembly::listing(kept->program, [&](assembly::Place place) {
      const SourceRange at = kept->rangeOf(place);
      return e.locationName(at.file) + ":" + std::to_string(e.diags.sources.lineColumn(at.file, at.begin).line);
    });
  };
  return code;
}

} // namespace fly::sema
