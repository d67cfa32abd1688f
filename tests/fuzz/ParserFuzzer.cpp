// Fuzzes the front end: any bytes must give a tree or diagnostics, never a crash, a hang or an unbounded recursion.
//
// Also checked: there is a tree if and only if there is no error; every place lies in the file; all that can be
// printed prints; what parses can be formatted, which keeps its tree and is done at once (formatFile compares). Built with libFuzzer and AddressSanitizer. `ninja run_fuzz_frontend` runs it for a minute; longer:
//
//     bin/fuzz_frontend -max_len=4096 -timeout=10 -dict=tests/fuzz/fly.dict CORPUS tests/syntax kernels
//
// writes what it finds interesting into the folder CORPUS, and a crash into crash-<hash>.
#include "compiler/format/Format.h"
#include "compiler/syntax/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace fly;

extern "C" const char *__asan_default_options() {
  // The ANTLR runtime is a library without instrumentation: its containers are not annotated.
  return "detect_container_overflow=0:detect_leaks=1";
}

static void require(bool condition, const char *what) {
  if (condition) return;
  llvm::errs() << "violated: " << what << "\n";
  std::abort();
}

static void check(llvm::StringRef text, bool asExpression) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  const FileId file = sources.add("fuzz.fly", text.str());
  auto module = asExpression ? parseExpression(file, diags) : parseModule(file, diags);
  require((module != nullptr) == !diags.hasErrors(), "a tree if and only if there are no errors");
  auto inside = [&](SourceRange range) { return !range.valid() || (range.begin <= range.end && range.end <= text.size()); };
  for (const Diagnostic &diagnostic : diags.all()) {
    require(inside(diagnostic.range), "the range of a diagnostic lies in the file");
    for (const auto &label : diagnostic.labels) require(inside(label.range), "the range of a label lies in the file");
  }
  llvm::raw_null_ostream nothing;
  diags.flush(nothing);
  if (module && !asExpression) require(formatFile(file, diags).has_value(), "what parses can be formatted");
  for (const Diagnostic &diagnostic : diags.all()) diags.renderJson(diagnostic);
  if (module) printAST(*module, sources, nothing);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  check(text, false);
  check(text, true);
  return 0;
}
