// See SingleLaunch.h. What happens, in order:
//
//   1. open the kernel (RunnableKernel.h) and parse the whole command line before anything runs;
//   2. bind arguments to parameters and to places of the block of arguments (ArgumentBinding.cpp);
//   3. grid and block: as given, else from the .fly kernel's launch expressions, whose preconditions are checked;
//   4. launch; a fault is reported and nothing is written;
//   5. print, and write all files together.
#include "compiler/launch/SingleLaunch.h"

#include "compiler/launch/EmulatorOptions.h"
#include "compiler/launch/TimeOptions.h"
#include "compiler/timing/Perfetto.h"
#include "compiler/timing/Pictures.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include "runtime/sizes.h"

#include <cstring>

namespace fly::driver {

using Extents = std::array<uint32_t, 3>;
static std::string textOf(const Extents &e) {
  return std::to_string(e[0]) + "x" + std::to_string(e[1]) + "x" + std::to_string(e[2]);
}

static bool isPerfetto(llvm::StringRef path) { return path.ends_with(".pftrace"); }

/// "2*compute_units" to a number; none if it is no such text, or not a number of workgroups.
static std::optional<uint32_t> gridAxis(llvm::StringRef text, unsigned computeUnits) {
  const bool byUnits = text.consume_back("compute_units");
  uint64_t count = 1;
  const bool isCounted = !byUnits || !text.empty();
  if (byUnits && isCounted && !text.consume_back("*"))
    return std::nullopt;
  if (isCounted && text.getAsInteger(10, count))
    return std::nullopt;
  count = std::min<uint64_t>(count, uint64_t(1) << 32) * (byUnits ? computeUnits : 1);
  return count <= UINT32_MAX ? std::optional(uint32_t(count)) : std::nullopt;
}

/// Options that do not depend on the kernel.
bool SingleLaunch::readOptions() {
  if (llvm::StringRef order = command.order; order == "descending")
    config.order = emulator::WaveOrder::Descending;
  else if (order.consume_front("seed:") && !order.getAsInteger(0, config.seed))
    config.order = emulator::WaveOrder::Seeded;
  else if (order.consume_front("interleaved:") && !order.getAsInteger(0, config.seed))
    config.order = emulator::WaveOrder::Interleaved;
  else if (command.order != "ascending")
    refuse("--order " + command.order, "choose one of ascending, descending, seed:N, interleaved:N");
  config.instructionLimit = command.limit;
  config.threads = command.threads;
  if (command.matrix == "fast")
    config.matrix = emulator::MatrixArithmetic::Fast;
  else if (command.matrix != "exact")
    refuse("--matrix " + command.matrix, "choose one of exact, fast");
  if (!command.profile.empty() && command.profile != "text" && command.profile != "json" &&
      command.profile != "annotate")
    refuse("--profile=" + command.profile, "choose one of text, json, annotate");
  if (command.profile.empty() && !command.profileOutput.empty())
    refuse("--profile-out " + command.profileOutput, "there is nothing to write without `--profile`");
  if (!command.timeModel.empty() && command.timeModel != "text" && command.timeModel != "json")
    refuse("--time-model=" + command.timeModel, "choose one of text, json");
  const llvm::StringRef page = command.timePage;
  if (!page.empty() && !page.ends_with(".html") && !page.ends_with(".svg"))
    refuse("--time-page " + command.timePage, "a page is a file `.html`, a picture of the waves a file `.svg`");
  if (!command.timeModel.empty())
    if (auto options = timingOptionsOf(session, command.timing)) {
      timing.options = *options;
      timing.options.timelineCycles = command.timePage.empty() && !isPerfetto(command.timeOutput) ? 0 : UINT32_MAX;
    }
  bool areNumbers = command.grid.size() <= 3;
  for (auto &axis : command.grid) {
    const auto count = gridAxis(axis, computeUnitsOf(command.emulator));
    areNumbers &= count.has_value();
    grid.push_back(count.value_or(0));
  }
  if (!areNumbers)
    refuse("--grid", "it takes one to three numbers: X,Y,Z; a number may be compute_units or 2*compute_units");
  for (auto [name, sizes] : {std::pair("--block", &command.block), std::pair("--cluster", &command.cluster)})
    if (sizes->size() > 3 || llvm::is_contained(*sizes, 0u))
      refuse(name, "it takes one to three numbers above 0: X,Y,Z");
  return !session.diags.hasErrors();
}

/// A .fly kernel's tensor: as many elements as its layout spans. Layouts with gaps take the memory as it is.
void SingleLaunch::checkShape(size_t i) {
  auto *info = kernel.parameters[i].info;
  auto &c = bindings[i].content;
  if (!info || info->kind != artifact::ParameterKind::Tensor || !c.isBuffer)
    return;
  host::Shape shape, strides;
  for (auto [exprs, values] : {std::pair(&info->shape, &shape), std::pair(&info->strides, &strides)})
    for (auto &expr : *exprs) {
      auto value = host::evaluate(*expr, scalars);
      if (!value.ok())
        return refuse("--arg " + bindings[i].spec->text, "the layout of `" + info->name + "`: " + value.error);
      values->push_back(std::get<int64_t>(value.value));
    }
  auto span = host::elementSpan(shape, strides);
  if (!span.ok())
    return refuse("--arg " + bindings[i].spec->text, span.error);
  const uint64_t held =
      c.size * 8 / (info->elementBits ? info->elementBits : info->elementBytes * 8); // packed ones are given as bytes
  if (held < uint64_t(span.value))
    refuse("--arg " + bindings[i].spec->text, "`" + info->name + "` has shape " + host::toText(shape) +
                                                  " and reaches " + std::to_string(span.value) + " elements, got " +
                                                  std::to_string(held));
}

/// Grid, block and LDS.
bool SingleLaunch::shapeOfLaunch() {
  auto &required = kernel.kernel->requiredWorkgroupSize;
  emulator::Checks checks = kernel.info ? emulator::Checks() : emulator::Checks::ofOthers(); // docs/others-objects.md
  if (command.races)
    checks.races = emulator::CheckMode::Error;
  config.checks = checksOf(command.emulator, checks);
  if (kernel.info) {
    scalars.resize(kernel.info->parameters.size());
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      auto &p = kernel.parameters[i];
      if (!p.info || p.kind != KernelParameter::Value || !p.type)
        continue;
      uint64_t bits = 0;
      std::memcpy(&bits, bindings[i].content.bytes.data(), std::min<size_t>(8, bindings[i].content.bytes.size()));
      auto &scalar = scalars[size_t(p.info - kernel.info->parameters.data())];
      auto &format = host::format(p.type->number);
      if (format.isFloat())
        scalar = host::decode(p.type->number, bits);
      else if (format.isBool())
        scalar = bits != 0;
      else
        scalar = int64_t(host::decodeInteger(p.type->number, bits));
    }
    for (auto &requirement : kernel.info->requirements) {
      auto holds = host::evaluate(*requirement.expr, scalars);
      if (!holds.ok() || !std::get<bool>(holds.value))
        refuse("--arg", "kernel `" + kernel.info->kernel + "` needs `" + requirement.text + "`" +
                            (holds.ok() ? "" : ": " + holds.error));
    }
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      checkShape(i);
  }
  auto sizes = [&](const char *name, const std::vector<uint32_t> &given, const std::array<host::ExprRef, 3> *exprs,
                   std::array<uint32_t, 3> &out) {
    for (size_t axis = 0; axis < 3; ++axis) {
      out[axis] = axis < given.size() ? given[axis] : 1;
      if (!given.empty() || !exprs || !(*exprs)[axis])
        continue;
      auto value = host::evaluate(*(*exprs)[axis], scalars);
      int64_t size = value.ok() ? std::get<int64_t>(value.value) : 0;
      if (size < (&out == &config.grid ? 0 : 1) || size > INT32_MAX)
        return refuse(name, value.ok() ? "the kernel's own expression gives " + std::to_string(size) : value.error);
      out[axis] = uint32_t(size);
    }
  };
  sizes("--grid", grid, kernel.info ? &kernel.info->grid : nullptr, config.grid);
  sizes("--block", command.block, kernel.info ? &kernel.info->block : nullptr, config.block);
  sizes("--cluster", command.cluster, nullptr, config.cluster);
  if (kernel.info && !command.cluster.empty() && config.cluster != kernel.info->cluster)
    refuse("--cluster", "kernel `" + kernel.info->kernel + "` is compiled for clusters of " +
                            textOf(kernel.info->cluster) + "; `@kernel(cluster=...)` says it");
  if (command.block.empty() && !kernel.info) {
    if (!required[0])
      refuse("--block", "the code object does not say how large a workgroup is; give X,Y,Z");
    config.block = required;
  }
  if (grid.empty() && !kernel.info)
    refuse("--grid", "give the number of workgroups as X,Y,Z");
  int64_t lds = command.ldsBytes;
  if (lds < 0 && kernel.info && kernel.info->dynamicLds)
    if (auto value = host::evaluate(*kernel.info->dynamicLds, scalars); value.ok())
      lds = std::get<int64_t>(value.value);
  config.dynamicLdsBytes = uint32_t(std::max<int64_t>(lds, 0));
  fly_launch checked{};
  for (size_t axis = 0; axis < 3; ++axis) {
    checked.grid[axis] = config.grid[axis];
    checked.block[axis] = config.block[axis];
  }
  checked.dynamic_lds = config.dynamicLdsBytes;
  checked.max_workgroup_size = kernel.kernel->hasMetadata ? kernel.kernel->maxFlatWorkgroupSize : 1024;
  const std::string architecture = kernel.object.architecture();
  const fly_place place = {architecture.c_str(), kernel.kernel->name.c_str(), nullptr, 0, 0};
  if (!session.diags.hasErrors() && fly_check_sizes(&place, &checked) != FLY_OK)
    refuse("--grid", fly_error()); // the rules of the runtime, in its words
  return !session.diags.hasErrors();
}

/// Memory and the argument block.
bool SingleLaunch::place() {
  kernargs = argumentBlock.value_or("");
  kernargs.resize(kernel.argumentBytes); // the emulator fills in the hidden ones
  auto put = [&](const KernelParameter &p, std::string bytes) {
    const size_t begin = std::min<size_t>(p.offset, kernargs.size()),
                 count = std::min<size_t>(p.size, kernargs.size() - begin); // the kernel receives no more
    bytes.resize(count);
    kernargs.replace(begin, count, bytes);
  };
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    auto &p = kernel.parameters[i];
    auto &b = bindings[i];
    if (!b.spec)
      continue;
    uint64_t value = 0;
    if (b.content.isBuffer) {
      value = b.address = device->allocate(b.content.size, p.name.empty() ? "argument " + std::to_string(i) : p.name);
      if (!value) {
        refuse("--arg " + b.spec->text, "there is no memory for " + std::to_string(b.content.size) + " bytes");
        return false;
      }
      if (!b.content.isEmpty)
        device->write(b.address, b.content.bytes.data(), b.content.size);
      b.content.bytes = {};
    } else if (p.kind == KernelParameter::Lds) {
      // Behind the static part, each aligned to 16 bytes.
      uint64_t fixed = kernel.kernel->descriptor.groupSegmentFixedSize,
               at = (fixed + config.dynamicLdsBytes + 15) / 16 * 16;
      value = at;
      uint64_t end = at + b.spec->ldsBytes - fixed;
      config.dynamicLdsBytes = uint32_t(std::min<uint64_t>(end, UINT32_MAX));
    } else {
      put(p, b.content.bytes); // none: `null`
      continue;
    }
    put(p, std::string(reinterpret_cast<const char *>(&value), sizeof value));
  }
  return true;
}

int SingleLaunch::run() {
  std::vector<ArgumentSpec> specs;
  std::vector<OutputSpec> outs;
  readOptions();
  auto parse = [&](const char *option, const std::vector<std::string> &texts, auto parser, auto &list) {
    for (auto &text : texts) {
      auto parsed = parser(text);
      if (parsed.ok())
        list.push_back(std::move(parsed.value));
      else
        refuse(std::string(option) + " " + text, parsed.error);
    }
  };
  if (!command.kernarg.empty()) {
    auto bytes = parseBytes(command.kernarg, "it");
    if (bytes.ok())
      argumentBlock = std::move(bytes.value);
    else
      refuse("--kernarg " + command.kernarg, bytes.error);
  }
  parse("--arg", command.arguments, parseArgument, specs);
  parse("--out", command.outputs, parseOutput, outs);
  std::vector<PrintSpec> printSpecs;
  parse("--print", command.prints, parsePrint, printSpecs);
  if (session.diags.hasErrors())
    return 2;
  const bool isSource = llvm::StringRef(command.path).ends_with(".fly"); // whose phases are the compiler's
  if (int status = [&] {
        std::optional<PhaseTimes::Scope> scope;
        if (!isSource)
          scope.emplace(session.times.measure("read object"));
        return openKernel(session, command.path, command.kernel, command.arch, kernel);
      }())
    return status;
  auto *arch = emulator::findArchitecture(kernel.object.architecture());
  if (!arch) {
    refuse(command.path, "it is for " + kernel.object.architecture() +
                             ", which the emulator does not support; `flyc report` describes it");
    return 2;
  }
  {
    auto scope = session.times.measure("read arguments");
    bind(std::move(specs));
  }
  auto buffer = [&](const std::string &name, const std::string &text) -> std::optional<size_t> {
    auto at = find(name, text);
    if (at && !bindings[*at].content.isBuffer && !session.diags.hasErrors()) {
      refuse(text, nameOf(kernel.parameters[*at], *at) +
                       (bindings[*at].spec ? " is not a buffer" : " is not given a buffer"));
      return std::nullopt;
    }
    return at;
  };
  for (auto &out : outs)
    if (auto at = buffer(out.name, "--out " + out.text))
      outputs.push_back({*at, out.path});
  for (auto &print : printSpecs)
    if (auto at = buffer(print.name, "--print " + print.text))
      prints.push_back({*at, print});
  std::vector<std::string> paths;
  for (auto *path : {&command.profileOutput, &command.timeOutput, &command.timePage}) {
    if (!path->empty() && llvm::is_contained(paths, *path))
      refuse(*path, "two results would be written to one file");
    if (!path->empty())
      paths.push_back(*path);
  }
  for (auto &[i, path] : outputs) {
    if (llvm::is_contained(paths, path))
      refuse("--out " + path, "two results would be written to one file");
    paths.push_back(path);
  }
  if (session.diags.hasErrors() || !shapeOfLaunch())
    return 2;

  device = std::make_unique<emulator::Device>(*arch);
  std::string error;
  {
    auto scope = session.times.measure("decode object");
    module = device->load(kernel.bytes, error);
  }
  if (!module) {
    session.diags.report(diag::cannot_read, {}).arg(command.path).arg(error);
    return 2;
  }
  {
    auto scope = session.times.measure("fill memory");
    if (!place())
      return 2;
  }
  const bool isEmpty = llvm::is_contained(config.grid, 0u);
  if (isEmpty && !(command.profile.empty() && command.timeModel.empty())) {
    refuse("--grid", "the grid is empty, so there is nothing to count or to time");
    return 2;
  }
  if (!command.profile.empty())
    config.profile = &profile;
  if (!command.timeModel.empty())
    config.timing = &timing;
  emulator::LaunchResult result;
  {
    auto scope = session.times.measure("emulate");
    result.ok = isEmpty; // as HIP has it: an empty grid launches nothing
    if (!isEmpty)
      result = device->launch(*module, kernel.kernel->name, config, kernargs);
  }
  if (config.timing) { // measured inside, and no part of what is emulated
    session.times.add("time model", timing.replaySeconds * 1e3);
    session.times.add("emulate", -timing.replaySeconds * 1e3);
  }
  llvm::outs() << result.output;
  reportFindings(result.findings);
  if (!result.ok) {
    if (session.diags.asJson)
      addNotes(session.diags.report({}, diag::kernel_fault{.message = result.report.summary()}),
               result.report.details());
    session.finish();
    if (!session.diags.asJson)
      llvm::errs() << "error: " << llvm::StringRef(result.report.text()).rtrim() << '\n';
    return result.report.kind == emulator::FaultKind::BadLaunch ? 2 : 1;
  }
  if (session.diags.hasErrors() || !fetch()) // findings are errors with -W error
    return 1;
  std::string text;
  if (!command.quiet) {
    auto properties = *emulator::kernelProperties(*module, kernel.kernel->name);
    auto &g = config.grid, &b = config.block;
    uint64_t waves =
        (uint64_t(b[0]) * b[1] * b[2] + properties.waveSize - 1) / properties.waveSize * g[0] * g[1] * g[2];
    const bool canRace = properties.ldsBytes + config.dynamicLdsBytes > 0 && waves > uint64_t(g[0]) * g[1] * g[2];
    const Extents &own = kernel.kernel->clusterDims, &cluster = own[0] ? own : config.cluster;
    text += kernel.kernel->name + " on " + kernel.object.architecture() + ": grid " + textOf(g) + ", block " +
            textOf(b) + ", " +
            (cluster == Extents{1, 1, 1} && command.cluster.empty() ? "" : "cluster " + textOf(cluster) + ", ") +
            std::to_string(waves) + " waves, " + std::to_string(result.waveInstructions) + " instructions" +
            (canRace && config.checks.races == emulator::CheckMode::Off ? ", races not checked (--races)" : "") +
            equalStoresText(result.findings) +
            (config.matrix == emulator::MatrixArithmetic::Fast ? ", matrix sums in f32 (--matrix fast)" : "") + "\n";
  }
  text += printed();
  if (session.diags.hasErrors())
    return 2;
  std::vector<artifact::OutputFile> files;
  for (auto &[i, path] : outputs) {
    auto &c = bindings[i].content;
    host::NumPyArray array;
    array.kind = c.numpyKind;
    array.bytes = c.elementBytes;
    array.shape = c.shape;
    array.data = std::move(bindings[i].result);
    files.push_back({path, host::writeNumPy(array)});
    bindings[i].result = std::move(array.data);
  }
  auto addReport = [&](const std::string &path, bool isJson, std::string report) {
    if (path.empty())
      text += (text.empty() || isJson ? "" : "\n") + report;
    else
      files.push_back({path, std::move(report)});
  };
  if (!command.profile.empty())
    addReport(command.profileOutput, command.profile == "json", profileReport());
  if (!command.timeModel.empty()) {
    const bool isJson = command.timeModel == "json";
    addReport(command.timeOutput, isJson,
              isPerfetto(command.timeOutput) ? timing::perfettoTrace(timing)
              : isJson                       ? emulator::timingJson(timing)
                                             : emulator::timingText(timing));
    if (!command.timePage.empty())
      files.push_back({command.timePage, llvm::StringRef(command.timePage).ends_with(".svg")
                                             ? timing::timelineSvg(timing)
                                             : timing::timingPage(timing, sourceLookup())});
  }
  if (!files.empty())
    if (auto problem = artifact::writeAtomically(files); !problem.empty()) {
      auto [path, why] = llvm::StringRef(problem).split(": ");
      session.diags.report(diag::cannot_write, {}).arg(path).arg(why);
      return 1;
    }
  llvm::outs() << text;
  llvm::outs().flush();
  return 0;
}

} // namespace fly::driver
