// Fuzzes the front end: any bytes must give a tree or diagnostics, never a crash, a hang or an unbounded recursion.
//
// Also checked: there is a tree if and only if there is no error; every place lies in the file; all that can be
// printed prints; what parses can be formatted, which keeps its tree and is done at once. Built with libFuzzer and
// AddressSanitizer. `ninja run_fuzz_frontend` runs it for a minute; longer:
//
//     bin/fuzz_frontend -max_len=4096 -timeout=10 -dict=tests/fuzz/fly.dict CORPUS tests/syntax kernels
//
// writes what it finds interesting into the folder CORPUS, and a crash into crash-<hash>.
#include "Properties.h"

using namespace fly;

extern "C" const char *__asan_default_options() {
  // The ANTLR runtime is a library without instrumentation: its containers are not annotated.
  return "detect_container_overflow=0:detect_leaks=1";
}

static void check(llvm::StringRef text, bool asExpression) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  const FileId file = sources.add("fuzz.fly", text.str());
  auto module = asExpression ? parseExpression(file, diags) : parseModule(file, diags);
  fuzz::require((module != nullptr) == !diags.hasErrors(), "a tree if and only if there are no errors");
  llvm::raw_null_ostream nothing;
  fuzz::checkDiagnostics(diags);
  if (module && !asExpression)
    fuzz::checkFormat(file, diags);
  if (module)
    printAST(*module, sources, nothing);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  check(text, false);
  check(text, true);
  return 0;
}
