// `flyc run`: one kernel on the emulator, its arguments from files and descriptions, its results to files.
//
//   1. open the kernel (RunKernel.h) and parse the whole command line before anything runs;
//   2. bind arguments to parameters, each held against the kernel's metadata;
//   3. grid and block: as given, else from the .fly kernel's launch expressions, whose preconditions are checked;
//   4. launch; a fault is reported and nothing is written;
//   5. print, and write all files together.
#include "compiler/driver/RunArguments.h"
#include "compiler/driver/RunKernel.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/emulator/watch/Profile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <cstring>

namespace fly::driver {

namespace {

using Extents = std::array<uint32_t, 3>;
std::string textOf(const Extents &e) {
  return std::to_string(e[0]) + "x" + std::to_string(e[1]) + "x" + std::to_string(e[2]);
}

struct Binding {
  std::optional<ArgumentSpec> spec;
  ArgumentContent content;
  uint64_t address = 0;
  std::string result;                        ///< bytes after the run
};

class KernelRun {
public:
  KernelRun(Session &session, const RunCommand &command) : session(session), command(command) {}
  int run();

private:
  void refuse(const llvm::Twine &what, const llvm::Twine &why) {
    session.diags.report(diag::bad_option, {}).arg(what).arg(why);
  }
  bool readOptions();
  void bind(std::vector<ArgumentSpec> specs);
  void check(size_t i);
  void checkShape(size_t i);
  std::optional<size_t> find(const std::string &name, const std::string &text);
  bool shapeOfLaunch();
  bool place();
  bool fetch();
  std::string printed() const;
  std::string profileReport() const;

  Session &session;
  const RunCommand &command;
  RunnableKernel kernel;
  std::vector<Binding> bindings;
  std::vector<std::pair<size_t, std::string>> outputs;      ///< parameter, path
  std::vector<std::pair<size_t, PrintSpec>> prints;
  std::vector<host::ScalarValue> scalars;                   ///< of a .fly kernel, by parameter
  emulator::LaunchConfig config;
  emulator::Profile profile;
  std::unique_ptr<emulator::Device> device;
  std::shared_ptr<emulator::Module> module;
  std::string kernargs;
};

/// Options that do not depend on the kernel.
bool KernelRun::readOptions() {
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
  config.checkRaces = command.races;
  if (command.matrix == "fast")
    config.matrix = emulator::MatrixArithmetic::Fast;
  else if (command.matrix != "exact")
    refuse("--matrix " + command.matrix, "choose one of exact, fast");
  if (!command.profile.empty() && command.profile != "text" && command.profile != "json" && command.profile != "annotate")
    refuse("--profile=" + command.profile, "choose one of text, json, annotate");
  if (command.profile.empty() && !command.profileOutput.empty())
    refuse("--profile-out " + command.profileOutput, "there is nothing to write without `--profile`");
  for (auto [name, sizes] : {std::pair("--grid", &command.grid), std::pair("--block", &command.block),
                             std::pair("--cluster", &command.cluster)})
    if (sizes->size() > 3 || llvm::is_contained(*sizes, 0u))
      refuse(name, "it takes one to three numbers above 0: X,Y,Z");
  return !session.diags.hasErrors();
}

std::optional<size_t> KernelRun::find(const std::string &name, const std::string &text) {
  auto &parameters = kernel.parameters;
  size_t position;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name && !name.empty())
      return i;
  if (!llvm::StringRef(name).getAsInteger(10, position) && position < parameters.size())
    return position;
  std::vector<std::string> names;
  for (auto &p : parameters)
    names.push_back(p.name);
  auto guess = didYouMean(name, names);
  session.diags.report(diag::bad_option, {}).arg(text)
      .arg("kernel `" + kernel.kernel->name + "` has no parameter `" + name + "`" + (guess ? "; did you mean `" + *guess + "`?" : ""))
      .help("its arguments are " + describe(parameters));
  return std::nullopt;
}

void KernelRun::bind(std::vector<ArgumentSpec> specs) {
  auto &parameters = kernel.parameters;
  bindings.resize(parameters.size());
  size_t next = 0;
  for (auto &spec : specs) {
    std::optional<size_t> at = next;
    if (!spec.name.empty())
      at = find(spec.name, "--arg " + spec.text);
    else if (next++ >= parameters.size())
      at.reset(), session.diags.report(diag::bad_option, {}).arg("--arg " + spec.text)
                      .arg("kernel `" + kernel.kernel->name + "` takes " + std::to_string(parameters.size()) + (parameters.size() == 1 ? " argument" : " arguments")).help("its arguments are " + describe(parameters));
    if (!at)
      continue;
    if (bindings[*at].spec) {
      refuse("--arg " + spec.text, nameOf(parameters[*at], *at) + " is given twice");
      continue;
    }
    bindings[*at].spec = std::move(spec);
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (bindings[i].spec)
      check(i);
    else if (!session.diags.hasErrors())
      session.diags.report(diag::bad_option, {}).arg("--arg").arg("kernel `" + kernel.kernel->name + "` needs " + nameOf(parameters[i], i))
          .help("its arguments are " + describe(parameters));
  }
}

/// Kind, size and type of an argument against the parameter's.
void KernelRun::check(size_t i) {
  auto &p = kernel.parameters[i];
  auto &b = bindings[i];
  std::string what = "--arg " + b.spec->text, name = nameOf(p, i);
  auto content = contentOf(*b.spec, p.type);
  if (!content.ok())
    return refuse(what, content.error);
  b.content = std::move(content.value);
  auto &c = b.content;
  bool isLds = b.spec->kind == ArgumentSpec::Lds, isNull = b.spec->kind == ArgumentSpec::Null,
       isValue = b.spec->kind == ArgumentSpec::Value;
  switch (p.kind) {
  case KernelParameter::Lds:
    if (!isLds)
      refuse(what, name + " is a pointer to LDS; give its bytes as lds:BYTES");
    break;
  case KernelParameter::Value:
    if (isNull || isLds || (c.isBuffer && b.spec->kind != ArgumentSpec::Bytes))
      refuse(what, name + " is a value of " + std::to_string(p.size) + " bytes, not a buffer");
    else if (c.size != p.size || (p.type && isValue && c.type != p.type))
      refuse(what,
             name + " is " +
                 (p.type ? "of type " + std::string(p.type->name) : "a value of " + std::to_string(p.size) + " bytes") +
                 ", this is " + (isValue ? std::string(c.type->name) + ", " : "") + std::to_string(c.size) + " bytes");
    c.isBuffer = false;
    break;
  case KernelParameter::Buffer:
    if (isValue && c.size == 8 && !p.type)
      break; // an address
    if (isLds || isValue)
      refuse(what, name + " is a buffer; give a file, zeros:TYPE[SHAPE], ... or null");
    else if (p.type && c.type && c.type != p.type)
      refuse(what, name + " is a buffer of " + p.type->name + ", this is one of " + c.type->name);
    else if (p.type && !c.type && c.elementBytes != p.type->bytes && b.spec->kind != ArgumentSpec::Bytes)
      refuse(what, name + " is a buffer of " + p.type->name + ", this has elements of " +
                       std::to_string(c.elementBytes) + " bytes");
    break;
  }
  if (!b.spec->output.empty())
    outputs.push_back({i, b.spec->output});
}

/// A .fly kernel's tensor: as many elements as its layout spans. Layouts with gaps take the memory as it is.
void KernelRun::checkShape(size_t i) {
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
                                                  " and reaches " + std::to_string(span.value) +
                                                  " elements, this has " + std::to_string(held));
}

/// Grid, block and LDS.
bool KernelRun::shapeOfLaunch() {
  auto &required = kernel.kernel->requiredWorkgroupSize;
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
      if (size < 1 || size > INT32_MAX)
        return refuse(name, value.ok() ? "the kernel's own expression gives " + std::to_string(size) : value.error);
      out[axis] = uint32_t(size);
    }
  };
  sizes("--grid", command.grid, kernel.info ? &kernel.info->grid : nullptr, config.grid);
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
  if (command.grid.empty() && !kernel.info)
    refuse("--grid", "give the number of workgroups as X,Y,Z");
  int64_t lds = command.ldsBytes;
  if (lds < 0 && kernel.info && kernel.info->dynamicLds)
    if (auto value = host::evaluate(*kernel.info->dynamicLds, scalars); value.ok())
      lds = std::get<int64_t>(value.value);
  config.dynamicLdsBytes = uint32_t(std::max<int64_t>(lds, 0));
  return !session.diags.hasErrors();
}

/// Memory and the argument block.
bool KernelRun::place() {
  uint32_t kernargBytes = kernel.kernel->explicitKernargSize();
  for (auto &p : kernel.parameters)
    kernargBytes = std::max(kernargBytes, p.offset + p.size);
  kernargs.assign(kernargBytes, '\0');
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    auto &p = kernel.parameters[i];
    auto &b = bindings[i];
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
      std::memcpy(kernargs.data() + p.offset, b.content.bytes.data(), b.content.bytes.size());
      continue;
    }
    std::memcpy(kernargs.data() + p.offset, &value, std::min<uint32_t>(p.size, 8));
  }
  return true;
}

bool KernelRun::fetch() {
  for (size_t i = 0; i < bindings.size(); ++i) {
    bool wanted = llvm::any_of(outputs, [&](auto &o) { return o.first == i; }) ||
                  llvm::any_of(prints, [&](auto &o) { return o.first == i; });
    auto &b = bindings[i];
    if (!wanted)
      continue;
    b.result.resize(b.content.size);
    if (!device->read(b.address, b.result.data(), b.result.size()))
      return false;
  }
  return true;
}

/// All values of a requested part; host::toText shortens long axes.
void putValues(const host::HostArray &array, size_t axis, int64_t &at, std::string &text) {
  if (axis == array.shape.size()) {
    text += host::toText(array.at(at++), array.type);
    return;
  }
  text += "[";
  for (int64_t i = 0; i < array.shape[axis]; ++i) {
    text += i ? ", " : "";
    putValues(array, axis + 1, at, text);
  }
  text += "]";
}

std::string KernelRun::printed() const {
  std::string text;
  for (auto &[i, spec] : prints) {
    auto &c = bindings[i].content;
    static const ElementType *const byte = findElementType("u8");
    const ElementType &type = c.type ? *c.type : *byte;
    host::Shape shape = c.shape;
    if (!c.type && c.elementBytes > 1)
      shape.push_back(c.elementBytes); // raw elements as their bytes
    auto array = fromElements(bindings[i].result, type, shape);
    text += spec.text + " = ";
    if (spec.subscripts.empty()) {
      text += host::toText(array) + "\n";
      continue;
    }
    auto part = host::subscript(array, spec.subscripts);
    if (!part.ok()) {
      session.diags.report(diag::bad_option, {}).arg("--print " + spec.text).arg(part.error);
      continue;
    }
    part.value.type = array.type;
    int64_t at = 0;
    putValues(part.value, 0, at, text);
    text += "\n";
  }
  return text;
}

std::string KernelRun::profileReport() const {
  if (command.profile == "json")
    return emulator::profileJson(profile);
  if (command.profile == "text")
    return emulator::profileText(profile);
  // Names in line tables are relative to the source's folder, or to where the compiler ran.
  std::map<std::string, std::vector<std::string>> files;
  return emulator::profileListing(profile, [&](const std::string &file, unsigned line) -> std::string {
    auto [known, isNew] = files.insert({file, {}});
    if (isNew) {
      llvm::SmallString<256> beside(kernel.folder);
      llvm::sys::path::append(beside, file);
      auto content = readFile(std::string(beside));
      if (!content.ok())
        content = readFile(file);
      for (llvm::StringRef text : llvm::split(content.value, '\n'))
        known->second.push_back(text.trim().str());
    }
    return line && line <= known->second.size() ? known->second[line - 1] : "";
  });
}

int KernelRun::run() {
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
  parse("--arg", command.arguments, parseArgument, specs);
  parse("--out", command.outputs, parseOutput, outs);
  std::vector<PrintSpec> printSpecs;
  parse("--print", command.prints, parsePrint, printSpecs);
  if (session.diags.hasErrors())
    return 2;
  if (int status = openKernel(session, command.path, command.kernel, command.arch, kernel))
    return status;
  auto *arch = emulator::findArchitecture(kernel.object.architecture());
  if (!arch) {
    refuse(command.path, "it is for " + kernel.object.architecture() + ", which the emulator does not support; `flyc report` describes it");
    return 2;
  }
  bind(std::move(specs));
  auto buffer = [&](const std::string &name, const std::string &text) -> std::optional<size_t> {
    auto at = find(name, text);
    if (at && bindings[*at].spec && !bindings[*at].content.isBuffer) {
      refuse(text, nameOf(kernel.parameters[*at], *at) + " is not a buffer");
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
  if (!command.profileOutput.empty())
    paths.push_back(command.profileOutput);
  for (auto &[i, path] : outputs) {
    if (llvm::is_contained(paths, path))
      refuse("--out " + path, "two results would be written to one file");
    paths.push_back(path);
  }
  if (session.diags.hasErrors() || !shapeOfLaunch())
    return 2;

  device = std::make_unique<emulator::Device>(*arch);
  std::string error;
  module = device->load(kernel.bytes, error);
  if (!module) {
    session.diags.report(diag::cannot_read, {}).arg(command.path).arg(error);
    return 2;
  }
  if (!place())
    return 2;
  if (!command.profile.empty())
    config.profile = &profile;
  auto result = device->launch(*module, kernel.kernel->name, config, kernargs);
  llvm::outs() << result.output;
  if (!result.ok) {
    const llvm::StringRef report = llvm::StringRef(result.report).rtrim();
    if (session.diags.asJson) {
      auto [first, rest] = report.split('\n');
      auto fault = session.diags.report(diag::kernel_fault, {});
      fault.arg(first);
      for (; !rest.empty(); rest = rest.split('\n').second)
        fault.note(rest.split('\n').first.trim());
    }
    session.finish();
    if (!session.diags.asJson)
      llvm::errs() << "error: " << report << '\n';
    return result.fault == emulator::FaultKind::BadLaunch ? 2 : 1;
  }
  if (!fetch())
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
            (canRace && !config.checkRaces ? ", races not checked (--races)" : "") +
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
  if (!command.profile.empty()) {
    if (command.profileOutput.empty())
      text += (text.empty() || command.profile == "json" ? "" : "\n") + profileReport();
    else
      files.push_back({command.profileOutput, profileReport()});
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

} // namespace

int run(const Options &options, const RunCommand &command) {
  Session session(options);
  int status = KernelRun(session, command).run();
  session.finish();
  if (command.time) {
    session.times.print(llvm::errs());
    session.cache.print(llvm::errs());
  }
  return status;
}

} // namespace fly::driver
