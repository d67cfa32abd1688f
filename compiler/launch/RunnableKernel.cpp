// From a path to a kernel with its parameters.
#include "compiler/launch/RunnableKernel.h"

#include "compiler/compilation/ArchCompilation.h"
#include "compiler/compilation/CodeObjects.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/launch/Arguments.h"
#include "compiler/target/DefaultTarget.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

namespace fly::driver {

bool isPadding(const KernelParameter &parameter) {
  static const llvm::Regex padding("^_*(pad[0-9_]*|padding.*|reserved.*)$", llvm::Regex::IgnoreCase);
  return !parameter.info && parameter.kind == KernelParameter::Value && padding.match(parameter.name);
}

std::string nameOf(const KernelParameter &parameter, size_t position) {
  return parameter.name.empty() ? "parameter " + std::to_string(position) : "`" + parameter.name + "`";
}

std::string describe(const std::vector<KernelParameter> &parameters) {
  std::string text;
  for (size_t i = 0; i < parameters.size() && !parameters[i].isPlace; ++i) {
    auto &p = parameters[i];
    text += (i ? ", " : "") + (p.name.empty() ? std::to_string(i) : p.name) + ": ";
    if (p.kind == KernelParameter::Value)
      text += p.type ? std::string(p.type->name)
                     : std::to_string(p.size) + (isPadding(p) ? " bytes of padding" : "-byte value");
    else if (p.kind == KernelParameter::Lds)
      text += "pointer to LDS";
    else
      text += p.type ? "buffer of " + std::string(p.type->name) : "buffer";
  }
  return text.empty() ? "no arguments" : text;
}

namespace {

std::string listOf(const std::vector<std::string> &names) {
  std::string text;
  for (auto &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The index of the wanted name; none after a diagnostic. Without a name there must be one kernel.
std::optional<size_t> choose(Session &session, const std::string &path, const std::string &name,
                             const std::vector<std::vector<std::string>> &kernels) {
  std::vector<std::string> all;
  for (size_t i = 0; i < kernels.size(); ++i)
    for (auto &known : kernels[i]) {
      if (known == name && !name.empty())
        return i;
      all.push_back(known);
    }
  if (name.empty() && kernels.size() == 1)
    return 0;
  auto guess = didYouMean(name, all);
  auto builder = session.diags.report(diag::bad_option, {});
  if (kernels.empty())
    builder.arg(path).arg("there is no kernel in it");
  else if (name.empty())
    builder.arg(path).arg("it contains several kernels").help("name one with `--kernel`: " + listOf(all));
  else
    builder.arg("--kernel " + name)
        .arg("`" + path + "` has no such kernel" + (guess ? "; did you mean `" + *guess + "`?" : ""))
        .help("choose one of " + listOf(all));
  return std::nullopt;
}

bool readObject(Session &session, const std::string &path, RunnableKernel &out) {
  auto object = isa::CodeObject::read(llvm::StringRef(out.bytes));
  if (object) {
    out.object = std::move(*object);
    return true;
  }
  session.diags.report(diag::cannot_read, {}).arg(path).arg(llvm::toString(object.takeError()));
  return false;
}

/// The code object to run among all in the file or folder: of the architecture and with the kernel that were asked for.
/// It must be the only one that the emulator executes.
int chooseObject(Session &session, const std::string &path, const std::string &name, const std::string &arch,
                 RunnableKernel &out) {
  std::vector<std::string> fitting, archs;
  std::string first; // if none fits: what is wrong is said of this one
  auto each = [&](const std::string &file, llvm::StringRef bytes) {
    auto object = isa::CodeObject::read(bytes);
    const bool fits = object && target::find(object->architecture()) &&
                      (name.empty() ? !object->kernels().empty() : object->find(name) != nullptr);
    if (!object)
      llvm::consumeError(object.takeError());
    if (fits) {
      fitting.push_back(file);
      if (!llvm::is_contained(archs, object->architecture()))
        archs.push_back(object->architecture());
      if (fitting.size() == 1)
        out.bytes = bytes.str();
    } else if (first.empty()) {
      first = bytes.str();
    }
    return true;
  };
  const std::vector<std::string> wanted = arch.empty() ? std::vector<std::string>() : std::vector{arch};
  int status;
  if (llvm::sys::fs::is_directory(path)) {
    status = eachObjectOfFolder(session, path, wanted, each);
  } else {
    auto buffer = openInput(session, path);
    status = buffer ? eachObject(session, path, buffer->getBuffer(), wanted, each) : 2;
  }
  if (status)
    return 2;
  if (fitting.empty())
    out.bytes = std::move(first);
  if (fitting.size() > 1) {
    auto builder = session.diags.report(diag::bad_option, {});
    builder.arg(path);
    if (archs.size() > 1)
      builder.arg("it has code for several architectures").help("name one with `--arch`: " + listOf(archs));
    else
      builder.arg("several of its code objects " + (name.empty() ? "have kernels" : "have the kernel `" + name + "`"))
          .help("they are " + listOf(fitting));
    return 2;
  }
  return readObject(session, path, out) ? 0 : 2;
}

int compileSource(Session &session, const std::string &path, const std::string &name, const std::string &arch,
                  RunnableKernel &out) {
  if (!session.open(path))
    return session.mainFile ? 1 : 2;
  auto *target = target::find(arch.empty() ? target::defaultName : std::string_view(arch));
  if (!target) {
    session.diags.report(diag::unknown_arch, {}).arg(arch).arg("").help("targets: " + target::names());
    return 2;
  }
  ArchCompilation compilation(session, *target);
  if (!compilation.run())
    return statusOf(session.diags);
  auto exported = sema::exportedInstances(compilation.elaborator, *compilation.main);
  if (session.diags.hasErrors())
    return 1;
  std::vector<std::vector<std::string>> names;
  for (auto &instance : exported)
    if (instance.kernel.kernel->isLaunch && instance.symbol == name) {
      session.diags.report(diag::bad_option, {})
          .arg("--kernel " + name)
          .arg("it is a launch function, but this command launches single kernels");
      return 2;
    }
  llvm::erase_if(exported, [](auto &instance) { return instance.kernel.kernel->isLaunch; });
  for (auto &instance : exported)
    names.push_back({instance.symbol});
  auto chosen = choose(session, path, name, names);
  if (!chosen)
    return 2;
  auto &instance = exported[*chosen];
  auto compiled = compilation.compile(instance.kernel, instance.symbol, instance.range, Keep{});
  if (!compiled || session.diags.hasErrors())
    return 1;
  out.bytes = compilation.link({compiled.get()}, {}, session.moduleName);
  if (out.bytes.empty() || !readObject(session, path, out))
    return 1;
  out.info = std::move(compiled->info);
  out.kernel = out.object.find(out.info->symbol);
  return out.kernel ? 0 : 1;
}

/// Element types of a kernel that flyc compiled, found by offset.
void addTypes(RunnableKernel &out) {
  for (auto &p : out.parameters)
    for (auto &info : out.info->parameters)
      if (info.offset == p.offset) {
        p.name = info.name;
        p.info = &info;
        if (auto number = host::numberByName(info.type))
          p.type = elementTypeOf(*number);
      }
}

} // namespace

int openKernel(Session &session, const std::string &path, const std::string &name, const std::string &arch,
               RunnableKernel &out) {
  out.folder = llvm::sys::path::parent_path(path).str();
  if (llvm::StringRef(path).ends_with(".fly")) {
    if (int status = compileSource(session, path, name, arch, out))
      return status;
  } else {
    if (int status = chooseObject(session, path, name, arch, out))
      return status;
    std::vector<std::vector<std::string>> names;
    for (auto &kernel : out.object.kernels())
      names.push_back({kernel.name});
    auto chosen = choose(session, path, name, names);
    if (!chosen)
      return 2;
    out.kernel = &out.object.kernels()[*chosen];
  }
  out.argumentBytes = std::max(out.kernel->kernargSegmentSize, out.kernel->descriptor.kernargSize);
  for (auto &argument : out.kernel->arguments) {
    if (argument.hidden())
      continue;
    KernelParameter p;
    p.name = argument.name;
    p.offset = argument.offset;
    p.size = argument.size;
    if (argument.kind == "global_buffer")
      p.kind = KernelParameter::Buffer;
    else if (argument.kind == "dynamic_shared_pointer")
      p.kind = KernelParameter::Lds;
    else if (argument.kind != "by_value") {
      session.diags.report(diag::bad_option, {})
          .arg(path)
          .arg("parameter " + std::to_string(out.parameters.size()) + " of `" + out.kernel->name + "` is of kind `" +
               argument.kind + "`, which the emulator does not support");
      return 2;
    }
    out.parameters.push_back(std::move(p));
  }
  if (out.info)
    addTypes(out);
  return 0;
}

} // namespace fly::driver
