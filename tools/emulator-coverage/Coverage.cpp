// Joins LLVM's instructions, the emulator's tables and the tests' records; see Coverage.h.
#include "tools/emulator-coverage/Coverage.h"

#include "runtime/emulator/wave/Program.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fly::coverage {

namespace {

using isa::Class;
using isa::Form;

llvm::Error failure(const std::string &text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

/// What is left out, by a part of the name, and why.
struct LeftOut { const char *part, *why; };
constexpr LeftOut leftOut[] = {
    {"V_INTERP_", "interpolation of pixel attributes"}, {"DS_PARAM_LOAD", "interpolation of pixel attributes"},
    {"DS_DIRECT_LOAD", "interpolation of pixel attributes"}, {"_GWS_", "global wave sync"},
    {"DS_ORDERED_COUNT", "global data share"}, {"DS_BVH_STACK", "ray tracing"},
};

std::string unitOf(const isa::OpcodeEntry &entry) {
  switch (entry.cls) {
  case Class::Scalar: return "scalar arithmetic";
  case Class::ScalarMemory: return "scalar memory";
  case Class::Vector: case Class::Transcendental: return "vector arithmetic";
  case Class::Matrix: return "matrix";
  case Class::Lds: return "LDS";
  case Class::VectorMemory:
    if (entry.baseForm == Form::MUBUF || entry.baseForm == Form::MTBUF) return "buffer";
    return entry.baseForm == Form::TENSOR ? "tensor data mover" : "flat, global, scratch";
  default: return "program control";
  }
}

} // namespace

const std::vector<std::string> &unitNames() {
  static const std::vector<std::string> names = {
      "scalar arithmetic",     "scalar memory", "vector arithmetic", "matrix",         "LDS",
      "flat, global, scratch", "buffer",        "tensor data mover", "program control"};
  return names;
}

llvm::Expected<Records> readRecords(const std::string &folder) {
  Records records;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".coverage") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string arch, name, source, more;
      if (!(words >> arch >> name >> source) || words >> more)
        return failure(entry.path().string() + ": cannot read `" + line + "`");
      records[arch][name].insert(source);
    }
  }
  if (error) return failure(folder + ": " + error.message());
  return records;
}

llvm::Expected<Coverage> coverageOf(const std::string &architecture, const Records &records) {
  auto list = isa::listOpcodes(architecture);
  if (!list) return list.takeError();
  std::map<std::string, std::set<std::string>> mine;
  if (auto it = records.find(architecture); it != records.end()) mine = it->second;
  const emulator::Row *nop = emulator::findRow(isa::findOp("S_NOP"));
  Coverage result{architecture, {}, list->unbuilt};
  for (const isa::OpcodeEntry &entry : list->entries) {
    Instruction i;
    i.name = isa::name(entry.op);
    const emulator::Row *row = emulator::findRow(entry.op);
    i.executed = row;
    i.withoutEffect = row && nop && row->run == nop->run;
    for (Form form : entry.forms) i.forms += (i.forms.empty() ? "" : " ") + std::string(isa::name(form));
    i.unit = unitOf(entry);
    if (entry.baseForm == Form::EXP) i.unit = "export to the fixed functions", i.leftOut = true;
    for (const LeftOut &l : leftOut)
      if (i.name.find(l.part) != i.name.npos) i.unit = l.why, i.leftOut = true;
    if (!entry.assembles) i.unit = "decoded, but LLVM's assembler says that the GPU does not have it", i.leftOut = true;
    if (auto it = mine.find(i.name); it != mine.end()) {
      i.sources = it->second;
      mine.erase(it);
      if (!i.executed)
        return failure("a test has recorded " + i.name + " on " + architecture +
                       ", which the emulator does not execute");
    }
    result.instructions.push_back(std::move(i));
  }
  // A pair is recorded by its halves; whatever else is left over is a misspelt name.
  for (auto &[name, sources] : mine)
    if (!llvm::StringRef(name).starts_with("V_DUAL_"))
      return failure("a test has recorded " + name + ", which is no instruction of " + architecture);
  return result;
}

} // namespace fly::coverage
