// See BackendProcess.h. Job and result are CBOR, whose byte strings hold bitcode and objects as they are.
#include "compiler/compilation/BackendProcess.h"

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/compilation/ChildProcess.h"
#include "compiler/compilation/ObjectCache.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <unistd.h>

namespace fly::driver {

namespace {

using Document = nlohmann::json;

Document bytesOf(const std::string &text) { return Document::binary({text.begin(), text.end()}); }

std::string textOf(const Document &json) {
  auto &bytes = json.get_binary();
  return std::string(bytes.begin(), bytes.end());
}

std::string packed(const Document &json) {
  std::string out;
  Document::to_cbor(json, out);
  return out;
}

Document toJson(const artifact::PlacedText &text) {
  Document places = Document::array();
  for (const auto &place : text.places)
    places.push_back({bytesOf(place.file), place.line, place.column, place.caller});
  return {{"text", bytesOf(text.text)}, {"places", std::move(places)}, {"of_line", text.ofLine}};
}

artifact::PlacedText placedTextOf(const Document &json) {
  artifact::PlacedText text;
  text.text = textOf(json.at("text"));
  for (const Document &place : json.at("places"))
    text.places.push_back({textOf(place[0]), place[1], place[2], place[3]});
  text.ofLine = json.at("of_line").get<std::vector<int32_t>>();
  return text;
}

Document toJson(const BackendJob &job) {
  Document bitcode = Document::array();
  for (auto &file : job.options.bitcode)
    bitcode.push_back({file.name, bytesOf(file.bytes)});
  const Keep &keep = job.keep;
  // clang-format off
  return {{"target", job.target->name},
          {"bytecode", bytesOf(job.bytecode)},
          {"bitcode", std::move(bitcode)},
          {"attributes", job.options.attributes},
          {"globals", job.options.globals},
          {"level", job.options.optimizationLevel},
          {"keep_llvm", job.options.keepLlvmIr},
          {"keep_placed", job.options.keepPlacedIr},
          {"rules_off", job.options.rulesOff},
          {"plant_fault", job.plantFault},
          {"without", job.options.without},
          {"emit", job.options.emitObject},
          {"keep_after", job.options.keepAfter},
          {"stop_after_pass", job.options.stopAfter},
          {"keep", {keep.fly, keep.rocdl, keep.llvmIr, keep.object, keep.page}},
          {"stop_after", keep.stopAfter},
          {"print_after", keep.printAfter},
          {"print_all", keep.printAll}};
  // clang-format on
}

BackendJob jobOf(const Document &json) {
  BackendJob job;
  job.target = target::find(json.at("target").get<std::string>());
  job.bytecode = textOf(json.at("bytecode"));
  for (auto &file : json.at("bitcode"))
    job.options.bitcode.push_back({file[0].get<std::string>(), textOf(file[1])});
  job.options.attributes = json.at("attributes").get<codegen::LlvmOptions>();
  job.options.optimizationLevel = json.at("level");
  job.options.keepLlvmIr = json.at("keep_llvm");
  job.options.keepPlacedIr = json.at("keep_placed");
  job.options.rulesOff = json.at("rules_off").get<std::set<std::string>>();
  job.plantFault = json.at("plant_fault").get<std::string>();
  job.options.without = json.at("without").get<std::vector<std::string>>();
  job.options.emitObject = json.at("emit");
  auto &keep = json.at("keep");
  job.options.keepAfter = json.at("keep_after").get<std::vector<std::string>>();
  job.options.stopAfter = json.at("stop_after_pass");
  job.keep = {keep[0], keep[1], keep[2], keep[3], keep[4]};
  job.keep.stopAfter = json.at("stop_after");
  job.keep.printAfter = json.at("print_after").get<std::vector<std::string>>();
  job.keep.printAll = json.at("print_all");
  return job;
}

Document toJson(const BackendResult &result) {
  Document after = Document::array();
  for (const codegen::PassText &text : result.after)
    after.push_back({text.pass, bytesOf(text.text)});
  // clang-format off
  Document json{{"object", bytesOf(result.object)},
                {"rocdl", bytesOf(result.rocdl)},
                {"llvm", bytesOf(result.llvmIr)},
                {"placed", toJson(result.placedIr)},
                {"after", std::move(after)},
                {"passes_ms", result.passesMs},
                {"llvm_ms", result.llvmMs}};
  // clang-format on
  if (auto &failure = result.failure) {
    Document refusals = Document::array();
    for (auto &refusal : failure->refusals)
      refusals.push_back({bytesOf(refusal.message), bytesOf(refusal.file), refusal.line, refusal.column});
    json["failure"] = {int(failure->stage), bytesOf(failure->message), bytesOf(failure->details),
                       failure->option,     failure->crashed,          std::move(refusals)};
  }
  return json;
}

BackendResult resultOf(const Document &json) {
  BackendResult result;
  result.object = textOf(json.at("object"));
  result.rocdl = textOf(json.at("rocdl"));
  result.llvmIr = textOf(json.at("llvm"));
  result.placedIr = placedTextOf(json.at("placed"));
  for (const Document &text : json.at("after"))
    result.after.push_back({text[0].get<std::string>(), textOf(text[1])});
  result.passesMs = json.at("passes_ms");
  result.llvmMs = json.at("llvm_ms");
  if (auto found = json.find("failure"); found != json.end()) {
    result.failure = codegen::Failure{codegen::Failure::Stage((*found)[0].get<int>()), textOf((*found)[1]),
                                      textOf((*found)[2]), (*found)[4].get<bool>(), (*found)[3].get<std::string>()};
    for (auto &refusal : (*found)[5])
      result.failure->refusals.push_back({textOf(refusal[0]), textOf(refusal[1]), refusal[2], refusal[3]});
  }
  return result;
}

bool writeFile(llvm::StringRef path, const std::string &bytes) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return false;
  out << bytes;
  out.close();
  const bool good = !out.has_error();
  out.clear_error();
  return good;
}

codegen::Failure failure(std::string message, std::string option = "") {
  return {codegen::Failure::Stage::Emit, std::move(message), "", false, std::move(option)};
}

/// What LLVM's parser of options printed: "llvm: for the --name option: 'x' value invalid for integer argument!".
std::string saidOfOption(const std::string &errors) {
  llvm::StringRef line = llvm::StringRef(errors).trim().split('\n').first;
  if (auto [before, after] = line.split(" option: "); !after.empty())
    line = after;
  return line.rtrim('!').str();
}

} // namespace

BackendResult runBackendProcess(const BackendJob &job) {
  BackendResult result;
  TemporaryFile request("job"), answer("result");
  if (request.path().empty() || answer.path().empty() || !writeFile(request.path(), packed(toJson(job)))) {
    result.failure = failure("no temporary file can be written for the process that LLVM's options need");
    return result;
  }
  const auto start = std::chrono::steady_clock::now();
  ChildProcess child({"backend", request.path().str(), answer.path().str()}, job.options.timeout);
  child.wait();
  if (child.status() == 0)
    try {
      result = resultOf(Document::from_cbor(answer.text()));
    } catch (const Document::exception &) {
      result.failure = failure("the process of LLVM wrote no result");
    }
  else
    result.failure = failure("LLVM in its own process: " + child.cause("--llvm-timeout"));
  const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - start;
  result.processMs = std::max(0.0, all.count() - result.passesMs - result.llvmMs);
  if (result.failure && !result.failure->option.empty() && result.failure->message.empty())
    result.failure->message = saidOfOption(child.errors());
  else if (child.status() == 0)
    llvm::errs() << child.output() << child.errors(); // some options print
  return result;
}

int runBackendJob(const std::string &path, const std::string &resultPath) {
  // A parent that is killed takes this process with it: nobody waits for its result.
  const pid_t parent = getppid();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
    return 1;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return 1;
  BackendResult result;
  try {
    const Document json = Document::from_cbor((*buffer)->getBuffer());
    BackendJob job = jobOf(json);
    if (!job.target)
      return 1;
    if (auto problem = codegen::setGlobalOptions(json.at("globals").get<codegen::LlvmOptions>()))
      result.failure = failure(problem->text, problem->name);
    else {
      ContextPool contexts;
      ObjectCache none(/*wanted=*/false);
      result = runBackend(contexts, none, job);
    }
  } catch (const Document::exception &problem) {
    llvm::errs() << "the job is damaged: " << problem.what() << '\n';
    return 1;
  }
  return writeFile(resultPath, packed(toJson(result))) ? 0 : 1;
}

} // namespace fly::driver
