// See MachineCode.h.
#include "compiler/editor/MachineCode.h"

#include "compiler/compilation/ArchCompilation.h"
#include "compiler/editor/Documents.h"
#include "compiler/editor/Problems.h"
#include "compiler/editor/Runs.h"
#include "compiler/report/Report.h"
#include "compiler/sema/kernel/Launches.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sys/resource.h>
#ifdef __linux__
#include <csignal>
#include <sys/prctl.h>
#endif

namespace fly::editor {

namespace json = llvm::json;

json::Value CompileJob::toJson() const {
  json::Object modules;
  for (auto &[name, module] : unsaved)
    modules[json::fixUTF8(name)] = json::fixUTF8(module);
  return json::Object{{"path", json::fixUTF8(path)},
                      {"text", json::fixUTF8(text)},
                      {"unsaved", std::move(modules)},
                      {"kernel", kernel},
                      {"isUtf8", encoding == PositionEncoding::Utf8},
                      {"symbol", symbol}};
}

// ---------------------------------------------------------------------------------------------------------
// The process that compiles

namespace {

/// From where in the document the code of other files comes: instructions know only the innermost place, and the IR of
/// the kernel the calls around it.
class Origins {
public:
  Origins(const driver::Session &session, const artifact::PlacedText &ir)
      : file(session.locationName(session.mainFile)) {
    for (FileId each = 1; each <= session.sources.fileCount(); ++each)
      uris[session.locationName(each)] = uriOfPath(session.sources.name(each));
    for (auto &place : ir.places) {
      if (place.file == file)
        continue;
      int32_t around = place.caller;
      while (around >= 0 && ir.places[size_t(around)].file != file)
        around = ir.places[size_t(around)].caller;
      if (around >= 0)
        calls[{place.file, place.line}].insert(ir.places[size_t(around)].line);
    }
  }

  /// An instruction of the report's listing, as the server reads it.
  report::Json described(const report::Json &each) const {
    report::Json result{{"address", each["address"]}, {"text", each["text"]}};
    const report::Json &source = each["source"];
    if (source.is_null())
      return result;
    const std::string name = source["file"];
    result["line"] = source["line"];
    if (name == file)
      return result;
    auto uri = uris.find(name);
    result["uri"] = uri == uris.end() ? name : uri->second;
    if (auto found = calls.find({name, source["line"].get<uint32_t>()}); found != calls.end())
      result["calls"] = found->second;
    return result;
  }

private:
  const std::string file; ///< of the document, as line tables have it
  std::map<std::string, std::string> uris;
  std::map<std::pair<std::string, uint32_t>, std::set<uint32_t>> calls;
};

constexpr int absent = 3; ///< the status if the kernel has no instance for the target

/// The instance of a kernel with this symbol, else the kernel's first; of those that the module exports and those that
/// it launches.
std::optional<sema::ExportedInstance> instanceOf(driver::ArchCompilation &compilation, llvm::StringRef kernel,
                                                 llvm::StringRef symbol) {
  std::optional<sema::ExportedInstance> first;
  auto look = [&](const sema::ExportedInstance &instance) {
    auto &its = *instance.kernel.kernel;
    if (its.isLaunch || its.module != compilation.main || its.name != kernel)
      return false;
    const bool isIt = instance.symbol == symbol;
    if (isIt || !first)
      first = instance;
    return isIt;
  };
  const auto exported = sema::exportedInstances(compilation.elaborator, *compilation.main);
  for (auto &instance : exported)
    if (look(instance))
      return first;
  for (auto &instance : exported)
    try {
      if (instance.kernel.kernel->isLaunch)
        for (auto &needed : sema::planLaunch(compilation.elaborator, instance.kernel, instance.range).kernels)
          if (look({sema::instanceSymbol(compilation.elaborator, needed.kernel, needed.range), needed.kernel,
                    needed.range}))
            return first;
    } catch (sema::Failed &) { // reported
    }
  return first;
}

} // namespace

int describeMachineCode(const driver::Options &options, const target::Target &target, const std::string &jobFile,
                        llvm::raw_ostream &out) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); // what nobody waits for
#endif
  setpriority(PRIO_PROCESS, 0, 10); // behind the answers of the server
  auto buffer = llvm::MemoryBuffer::getFile(jobFile);
  if (!buffer)
    return 2;
  auto read = json::parse((*buffer)->getBuffer());
  if (!read) {
    llvm::consumeError(read.takeError());
    return 2;
  }
  json::Object *job = read->getAsObject();
  auto path = job ? job->getString("path") : std::nullopt, text = job ? job->getString("text") : std::nullopt,
       kernel = job ? job->getString("kernel") : std::nullopt, symbol = job ? job->getString("symbol") : std::nullopt;
  json::Object *unsaved = job ? job->getObject("unsaved") : nullptr;
  if (!path || !text || !kernel || !symbol || !unsaved)
    return 2;

  driver::Session session(options);
  auto failed = [&] {
    session.finish();
    return 1;
  };
  if (!session.open(path->str(), session.sources.add(path->str(), text->str())))
    return failed();
  driver::ArchCompilation compilation(session, target);
  compilation.loader.unsaved = [&](llvm::StringRef module) -> std::optional<std::string> {
    auto found = unsaved->getString(module);
    return found ? std::optional(found->str()) : std::nullopt;
  };
  compilation.elaborator.printTo = &llvm::nulls();
  if (!compilation.run())
    return failed();
  const auto instance = instanceOf(compilation, *kernel, *symbol);
  if (!instance && !session.diags.hasErrors())
    return absent;
  auto compiled =
      instance ? compilation.compile(instance->kernel, instance->symbol, instance->range, driver::Keep{.places = true})
               : nullptr;
  if (!compiled || session.diags.hasErrors())
    return failed();
  const std::string code = compilation.link({compiled.get()}, {}, session.moduleName);
  if (code.empty() || session.diags.hasErrors())
    return failed();
  auto object = isa::CodeObject::read(code);
  auto report = object ? report::reportOf(*object, path->str(), {instance->symbol, /*listing=*/true})
                       : llvm::Expected<report::Json>(object.takeError());
  if (!report) {
    llvm::errs() << llvm::toString(report.takeError()) << "\n";
    return 1;
  }
  const Origins origins(session, compiled->placedFly);
  report::Json small; // what is shown, and no more
  for (report::Json &each : (*report)["kernels"])
    if (each["name"] == instance->symbol) {
      for (const char *part : {"resources", "occupancy", "loops"})
        small[part] = std::move(each[part]);
      for (report::Json &instruction : each["listing"])
        small["listing"].push_back(origins.described(instruction));
    }
  small["file"] = session.locationName(session.mainFile);
  small["instance"] = instance->symbol;
  const auto encoding = job->getBoolean("isUtf8").value_or(false) ? PositionEncoding::Utf8 : PositionEncoding::Utf16;
  const json::Value warnings = problemsOf(session.sources, session.diags.all(), session.mainFile, encoding);
  small["warnings"] = report::Json::parse(llvm::formatv("{0}", warnings).str());
  out << small.dump(-1, ' ', false, report::Json::error_handler_t::replace) << "\n";
  return 0;
}

// ---------------------------------------------------------------------------------------------------------
// The server's side

KernelCompilation::KernelCompilation(const driver::Options &options, const target::Target &target,
                                     const CompileJob &given, unsigned timeout)
    : job(given), arch(target.name) {
  std::error_code error;
  llvm::raw_fd_ostream out(jobFile.path(), error);
  if (!error)
    out << given.toJson();
  out.close();
  out.clear_error(); // a full disk: the child refuses the file
  std::vector<std::string> arguments{
      "lsp", "--compile", jobFile.path().str(), "--arch", std::string(target.name), "--color=never"};
  for (auto &each : sourceArguments(options))
    arguments.push_back(each);
  child = std::make_unique<driver::ChildProcess>(arguments, timeout);
}

/// "1 wave", "2 waves".
static std::string counted(int64_t count, const std::string &thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

static std::string bytesText(int64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB" : llvm::formatv("{0:f1} KiB", bytes / 1024.0).str();
}

static std::string summaryOf(const json::Object &resources, const json::Object &occupancy) {
  auto number = [](const json::Object &object, llvm::StringRef name) { return object.getInteger(name).value_or(0); };
  std::string text = counted(number(resources, "vgprs"), "VGPR");
  if (int64_t agprs = number(resources, "agprs"))
    text += ", " + counted(agprs, "AGPR");
  text += ", " + counted(number(resources, "sgprs"), "SGPR");
  if (int64_t lds = number(resources, "lds_bytes"))
    text += ", " + bytesText(lds) + " LDS";
  text += ", " + counted(number(occupancy, "waves"), "wave") + " per SIMD";
  for (auto [name, thing] : {std::pair("vgpr_spills", "VGPR spill"), std::pair("sgpr_spills", "SGPR spill")})
    if (int64_t spills = number(resources, name))
      text += ", " + counted(spills, thing);
  if (int64_t scratch = number(resources, "scratch_bytes"))
    text += ", " + bytesText(scratch) + " scratch per lane";
  return text;
}

/// A name of the report as words: "vector_registers".
static std::string wordsOf(llvm::StringRef name) {
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

static std::string detailsOf(const json::Object &occupancy, const json::Array *loops, llvm::StringRef file) {
  std::string text;
  if (auto *limits = occupancy.getArray("limited_by"))
    for (auto &limit : *limits)
      text += (text.empty() ? "limited by " : " and ") + wordsOf(limit.getAsString().value_or(""));
  if (!text.empty())
    text += "\n";
  if (!loops || loops->empty())
    return text;
  // One row a loop; a column for each class of instructions that one of them has.
  std::vector<std::string> columns;
  for (auto &value : *loops)
    if (auto *counts = value.getAsObject()->getObject("counts"))
      if (auto *classes = counts->getObject("classes"))
        for (llvm::StringRef name : {"instructions", "valu", "trans", "salu", "mfma", "wmma", "vmem", "lds", "smem"})
          if (classes->getInteger(name).value_or(0) && !llvm::is_contained(columns, name))
            columns.push_back(name.str());
  text += "\n| loop |";
  std::string rule = "\n|---|";
  for (auto &column : columns) {
    text += " " + column + " |";
    rule += "---|";
  }
  text += rule;
  for (auto &value : *loops) {
    const json::Object &loop = *value.getAsObject();
    auto *source = loop.getObject("source");
    std::string name = "depth " + std::to_string(loop.getInteger("depth").value_or(1));
    if (source && source->getInteger("line")) {
      const llvm::StringRef where = source->getString("file").value_or("");
      name = (where == file ? std::string("line ") : where.str() + ":") + std::to_string(*source->getInteger("line")) +
             ", " + name;
    }
    text += "\n| " + name + " |";
    auto *counts = loop.getObject("counts");
    auto *classes = counts ? counts->getObject("classes") : nullptr;
    for (auto &column : columns)
      text += " " + std::to_string(classes ? classes->getInteger(column).value_or(0) : 0) + " |";
  }
  return text + "\n";
}

MachineCode KernelCompilation::result() const {
  MachineCode code;
  code.symbol = code.instance = job.symbol;
  code.arch = arch;
  code.isAbsent = child->status() == absent;
  if (child->status() != 0) {
    const std::string said = child->errors();
    // The first line of a diagnostic says it; what else went wrong is the process's.
    const llvm::StringRef line = llvm::StringRef(said).trim().split('\n').first;
    code.problem = child->status() == 1 && !line.empty() ? line.str() : child->cause("--compile-timeout");
    return code;
  }
  auto read = json::parse(child->output());
  const json::Object *report = read ? read->getAsObject() : nullptr;
  const json::Object *resources = report ? report->getObject("resources") : nullptr;
  const json::Object *occupancy = report ? report->getObject("occupancy") : nullptr;
  if (!resources || !occupancy) {
    if (!read)
      llvm::consumeError(read.takeError());
    code.problem = "its description cannot be read";
    return code;
  }
  const llvm::StringRef file = report->getString("file").value_or("");
  code.instance = report->getString("instance").value_or(job.symbol);
  if (auto *warnings = report->getArray("warnings"))
    code.warnings = *warnings;
  code.summary = summaryOf(*resources, *occupancy);
  code.details = detailsOf(*occupancy, report->getArray("loops"), file);
  if (auto *listing = report->getArray("listing"))
    for (auto &value : *listing) {
      const json::Object &each = *value.getAsObject();
      MachineInstruction instruction{each.getString("text").value_or("").str(),
                                     each.getInteger("address").value_or(0),
                                     each.getInteger("line").value_or(0),
                                     each.getString("uri").value_or("").str(),
                                     {}};
      if (auto *calls = each.getArray("calls"))
        for (auto &call : *calls)
          instruction.calls.push_back(call.getAsInteger().value_or(0));
      code.listing.push_back(std::move(instruction));
    }
  return code;
}

} // namespace fly::editor
