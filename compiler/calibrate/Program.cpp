// The microbenchmarks as a HIP program: code objects and probes as a header, and the files of embedded/program.
#include "compiler/calibrate/Calibration.h"

#include "compiler/compilation/ArchBuild.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

namespace fly::driver::calibration {

namespace {

std::string headerOf(const std::map<std::string, std::string> &objects, const emulator::Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// The microbenchmarks of `flyc calibrate`: machine code, and how it is launched. Generated.\n#pragma once\n\n"
        "#include <cstddef>\n#include <cstdint>\n\n"
        "static const char *const architecture = \""
     << machine.architecture << "\";\n/// Of a vector instruction that waits for the one before it.\n"
     << "static const double chainCycles = " << llvm::format("%g", chainCycles(machine)) << ";\n\n";
  for (auto &[name, bytes] : objects) {
    os << "alignas(4096) static const unsigned char " << name << "[] = {";
    for (size_t k = 0; k < bytes.size(); ++k) {
      if (k % 32 == 0)
        os << "\n  ";
      os << unsigned(static_cast<unsigned char>(bytes[k])) << ',';
    }
    os << "};\n";
  }
  os << "struct Code { const char *name; const unsigned char *bytes; };\nstatic const Code codes[] = {";
  for (auto &[name, bytes] : objects)
    os << "{\"" << name << "\", " << name << "}, ";
  os << "};\n\n"
        "/// Trips of the loop, or workgroups if `isDispatch`: few, many, and how many times as many here.\n"
        "struct Probe {\n  const char *name, *source, *kernel;\n  unsigned workgroups, block;\n"
        "  std::uint64_t few, many, scale, bytes, step, hop;\n  bool isDispatch;\n};\nstatic const Probe probes[] = "
        "{\n";
  for (const Probe &p : probesOf(machine))
    os << "  {\"" << p.name << "\", \"" << p.source << "\", \"" << p.kernel << "\", " << p.workgroups << ", " << p.block
       << ", " << p.few << ", " << p.many << ", " << p.scale << ", " << p.bytes << ", " << p.step << ", " << p.hop
       << ", " << (p.isDispatch ? "true" : "false") << "},\n";
  os << "};\n";
  return text;
}

} // namespace

bool writeProgram(Session &session, const target::Target &target, const emulator::Machine &machine,
                  const std::string &folder) {
  const auto objects = buildKernels(session, target);
  if (!objects)
    return false;
  auto inFolder = [&](const std::string &name) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    return std::string(path);
  };
  std::vector<artifact::OutputFile> files{{inFolder("kernels.h"), headerOf(*objects, machine)},
                                          {inFolder("main.cpp"), std::string(programText("program/main"))},
                                          {inFolder("CMakeLists.txt"), std::string(programText("program/CMakeLists"))},
                                          {inFolder("README.md"), std::string(programText("program/README"))}};
  for (auto &[name, bytes] : *objects)
    files.push_back({inFolder(name + "." + std::string(target.name) + ".hsaco"), bytes});
  std::string error;
  if (auto code = llvm::sys::fs::create_directories(folder))
    error = llvm::StringRef(code.message()).lower();
  if (error.empty())
    error = artifact::writeAtomically(files);
  if (!error.empty())
    session.diags.report(diag::cannot_write, {}).arg(folder).arg(error);
  return error.empty();
}

} // namespace fly::driver::calibration
