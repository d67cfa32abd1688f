// Joins LLVM's instructions, the emulator's tables and the tests' records; see Coverage.h.
#include "runtime/emulator/decode/Rows.h"
#include "tools/emulator-coverage/Coverage.h"

#include "runtime/emulator/wave/Program.h"

#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

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
struct LeftOut {
  const char *part, *why;
};
constexpr LeftOut leftOut[] = {
    {"V_INTERP_", "interpolation of pixel attributes"},
    {"DS_PARAM_LOAD", "interpolation of pixel attributes"},
    {"DS_DIRECT_LOAD", "interpolation of pixel attributes"},
    {"_GWS_", "global wave sync"},
    {"DS_ORDERED_COUNT", "global data share"},
    {"DS_BVH_STACK", "ray tracing"},
};

std::string unitOf(const isa::OpcodeEntry &entry) {
  switch (entry.cls) {
  case Class::Scalar: return "scalar arithmetic";
  case Class::ScalarMemory: return "scalar memory";
  case Class::Vector:
  case Class::Transcendental: return "vector arithmetic";
  case Class::Matrix: return "matrix";
  case Class::Lds: return "LDS";
  case Class::VectorMemory:
    if (entry.baseForm == Form::MUBUF || entry.baseForm == Form::MTBUF)
      return "buffer";
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
    if (entry.path().extension() != ".coverage")
      continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string arch, name, source, more;
      if (!(words >> arch >> name >> source) || words >> more)
        return failure(entry.path().string() + ": cannot read `" + line + "`");
      records[arch][name].insert(source);
    }
  }
  if (error)
    return failure(folder + ": " + error.message());
  return records;
}

llvm::Expected<Coverage> coverageOf(const std::string &architecture, const Records &records) {
  auto list = isa::listOpcodes(architecture);
  if (!list)
    return list.takeError();
  std::map<std::string, std::set<std::string>> mine;
  if (auto it = records.find(architecture); it != records.end())
    mine = it->second;
  auto handlerOf = [](const char *name) { return emulator::findRow(isa::findOp(name))->run; };
  const emulator::Handler noResult[] = {handlerOf("S_NOP"), handlerOf("S_SLEEP")};
  Coverage result{architecture, {}, list->unbuilt};
  for (const isa::OpcodeEntry &entry : list->entries) {
    Instruction i;
    i.name = isa::name(entry.op);
    const emulator::Row *row = emulator::findRow(entry.op);
    i.executed = row;
    i.withoutEffect = row && llvm::is_contained(noResult, row->run);
    for (Form form : entry.forms)
      i.forms += (i.forms.empty() ? "" : " ") + std::string(isa::name(form));
    i.unit = unitOf(entry);
    if (entry.baseForm == Form::EXP)
      i.unit = "export to the fixed functions", i.leftOut = true;
    for (const LeftOut &l : leftOut)
      if (i.name.find(l.part) != i.name.npos)
        i.unit = l.why, i.leftOut = true;
    if (!entry.assembles)
      i.unit = "decoded, but LLVM's assembler says that the GPU does not have it", i.leftOut = true;
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
      return failure("a test has recorded " + name + ", which is not an instruction of " + architecture);
  return result;
}

static std::vector<std::string> stringsOf(const llvm::json::Object &object, llvm::StringRef key) {
  std::vector<std::string> strings;
  if (const llvm::json::Array *array = object.getArray(key))
    for (const llvm::json::Value &v : *array)
      strings.push_back(v.getAsString().value_or("").str());
  return strings;
}

llvm::Expected<Notes> readNotes(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return failure("cannot read " + path);
  auto parsed = llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return parsed.takeError();
  Notes notes;
  for (auto [key, list] : {std::pair{"matched", &notes.matched}, std::pair{"open", &notes.open}}) {
    const llvm::json::Object *root = parsed->getAsObject();
    const llvm::json::Array *array = root ? root->getArray(key) : nullptr;
    if (!array)
      return failure(path + " has no list `" + key + "`");
    for (const llvm::json::Value &v : *array) {
      const llvm::json::Object *o = v.getAsObject();
      if (!o)
        return failure(path + ": an entry of `" + key + "` is not an object");
      auto text = [&](llvm::StringRef name) { return o->getString(name).value_or("").str(); };
      Note note{stringsOf(*o, "architectures"), stringsOf(*o, "instructions"), text("who"), text("what"), text("link")};
      const bool sourced = !note.who.empty() && !note.link.empty();
      if (note.what.empty() || (list == &notes.matched) != sourced)
        return failure(path + ": an entry of `" + key + "` lacks who, what or link, or has too many of them");
      list->push_back(std::move(note));
    }
  }
  return notes;
}

llvm::Expected<std::vector<std::string>> meantBy(const Note &note, const Coverage &coverage) {
  std::set<std::string> names;
  for (const std::string &text : note.patterns) {
    auto pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return pattern.takeError();
    bool any = false;
    for (const Instruction &i : coverage.instructions)
      if (i.executed && !i.leftOut && pattern->match(i.name))
        any = true, names.insert(i.name);
    if (!any)
      return failure("the note `" + note.what + "` means " + text + ", which " + coverage.architecture +
                     " does not have");
  }
  return std::vector<std::string>(names.begin(), names.end());
}

} // namespace fly::coverage
