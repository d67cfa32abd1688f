// Fuzzes what `flyc report` does with a file of any kind: the walk to its code objects, each code object, its report as
// JSON and text, and its summary. Any bytes must give objects or errors, never a crash, a hang or memory out of
// proportion.
//
// Also checked: what is found lies in the file or in memory of its own, names are one line, an error has a text, and
// the size of an image in memory stays within what may be read.
#include "compiler/container/Container.h"
#include "compiler/container/InMemory.h"
#include "compiler/isa/CodeObject.h"
#include "compiler/report/Report.h"
#include "compiler/report/ReportDiff.h"
#include "compiler/report/Summary.h"

#include <cstdlib>

using namespace fly;

extern "C" const char *__asan_default_options() {
  // LLVM is a library without instrumentation: its containers are not annotated.
  return "detect_container_overflow=0:detect_leaks=1";
}

static void require(bool condition, const llvm::Twine &what) {
  if (condition)
    return;
  llvm::errs() << "violated: " << what << "\n";
  std::abort();
}

static void requireText(llvm::Error error) {
  require(!llvm::toString(std::move(error)).empty(), "an error has a text");
}

static void describe(const std::string &path, llvm::StringRef bytes) {
  isa::CodeObject::architectureOf(bytes);
  auto object = isa::CodeObject::read(bytes);
  if (!object)
    return requireText(object.takeError());
  static report::Summarizer summarizer;
  auto summary = summarizer.of(*object, "");
  if (summary)
    report::printSummary(llvm::nulls(), object->architecture(), *summary);
  else
    requireText(summary.takeError());
  auto report = report::reportOf(*object, path, {.kernel = "", .listing = true});
  if (!report)
    return requireText(report.takeError());
  require(bool(summary), "what has a report has a summary");
  report::Json document = report::wrap({*report});
  document.dump(2, ' ', false, report::Json::error_handler_t::replace);
  report::toText(document);
  report::toDiffText(report::diffOf(document, document));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  struct Visit : container::Visitor {
    uint64_t inObjects = 0;
    bool object(const container::Found &found) override {
      require(found.path.find('\n') == std::string::npos, "a path is one line");
      inObjects += found.bytes.size();
      if (found.bytes.size() <= 1 << 16) // the time is for what is read, not for large code
        describe(found.path, found.bytes);
      return true;
    }
    void damage(const std::string &path, const std::string &what) override {
      require(path.find('\n') == std::string::npos && !what.empty(), "damage is told");
    }
  } visit;
  container::Limits limits;
  limits.bundle = 1 << 20;
  limits.file = 1 << 22;
  container::Contents contents = container::walk(bytes, visit, limits);
  require(contents.objects || contents.damages || !contents.what.empty(), "a file without objects says what it is");
  require(visit.inObjects <= size + limits.file, "parts do not overlap");
  auto inMemory = container::sizeInMemory(
      bytes.data(), [&](uint64_t offset, uint64_t count) { return offset <= size && count <= size - offset; });
  if (inMemory)
    require(*inMemory <= size, "an image ends within what may be read");
  else
    requireText(inMemory.takeError());
  return 0;
}
