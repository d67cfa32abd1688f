// See Model.h.
#include "compiler/page/Columns.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::page {

namespace {

constexpr int schemaVersion = 1;
constexpr size_t longestSource = 4u << 20; // bytes

unsigned waveSizeOf(const isa::CodeObject &object, const report::Code &code) {
  return code.kernel ? code.kernel->waveSize : object.kernels().empty() ? 64 : object.kernels().front().waveSize;
}

/// By loop of the report, what the source calls it; empty: nothing. One loop of the source may be several of the code.
Json loopNames(const Json &loops, const Compiled *known) {
  Json out = Json::array();
  for (const Json &loop : loops) {
    const Json &at = loop["source"];
    std::string name;
    if (known && !at.is_null())
      for (const LoopName &named : known->loops)
        if (at["file"] == named.file && at["line"] == named.line)
          name = named.name;
    out.push_back(std::move(name));
  }
  return out;
}

} // namespace

int32_t Model::fileOf(const std::string &name, const SourceText &source) {
  std::optional<std::string> text = source ? source(name) : std::nullopt;
  if (text && (text->size() > longestSource || llvm::StringRef(*text).contains('\0')))
    text.reset();
  auto [found, isNew] = known.try_emplace({name, text.value_or("")}, static_cast<int32_t>(files.size()));
  if (isNew)
    files.push_back({{"name", name}, {"text", text ? Json(*text) : Json()}});
  return found->second;
}

llvm::Error Model::add(const isa::CodeObject &object, const std::string &name, const std::string &kernel,
                       const std::map<std::string, Compiled> &compiled, const SourceText &source) {
  auto codes = report::readCode(object, kernel);
  if (!codes)
    return codes.takeError();
  auto report = report::reportOf(object, name, {kernel, /*listing=*/true});
  if (!report)
    return report.takeError();
  std::map<std::string, int32_t> numbers;
  auto numberOf = [&](const std::string &file) {
    auto [found, isNew] = numbers.try_emplace(file);
    if (isNew)
      found->second = fileOf(file, source);
    return found->second;
  };
  for (const char *kind : {"kernels", "functions"})
    for (Json &described : (*report)[kind]) {
      const auto code = llvm::find_if(*codes, [&](const report::Code &c) {
        return c.name == described["name"].get<std::string>() &&
               (c.kernel != nullptr) == (kind == std::string("kernels"));
      });
      if (code == codes->end())
        continue;
      const auto found = compiled.find(code->name);
      const Compiled *known = found == compiled.end() ? nullptr : &found->second;
      Json listing = std::move(described["listing"]);
      described.erase("listing");
      Places places(numberOf);
      Json one;
      one["object"] = name;
      one["architecture"] = object.architecture();
      one["kind"] = code->kernel ? "kernel" : "function";
      one["loop_names"] = loopNames(described["loops"], known);
      one["report"] = std::move(described);
      one["code"] = codeColumns(object, *code, listing, places);
      one["fly"] = known ? textColumns(known->fly, places) : Json();
      one["llvm"] = known ? textColumns(known->llvmIr, places) : Json();
      one["accesses"] =
          known ? accessList(known->accesses, object.architecture(), waveSizeOf(object, *code), places) : Json();
      one["places"] = places.json();
      one["counts"] = nullptr;
      one["times"] = nullptr;
      count += code->instructions.size();
      list.push_back(std::move(one));
    }
  return llvm::Error::success();
}

Json Model::json() const {
  Json out;
  out["schema_version"] = schemaVersion;
  out["files"] = files;
  out["kernels"] = list;
  return out;
}

} // namespace fly::page
