// fly-pack-trees OUTPUT FOLDER MODULE...: the syntax trees of FOLDER/MODULE.fly as rows of a table in C++,
// {"MODULE", "bytes"sv}, to embed them (compiler/sema/module/EmbeddedLibrary.cpp). Runs while flyc is built.
#include "compiler/syntax/Parser.h"
#include "compiler/syntax/TreeBytes.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  using namespace fly;
  if (argc < 3) {
    llvm::errs() << "usage: fly-pack-trees OUTPUT FOLDER MODULE...\n";
    return 2;
  }
  std::string rows;
  for (int i = 3; i < argc; ++i) {
    const std::string path = std::string(argv[2]) + "/" + argv[i] + ".fly";
    auto text = llvm::MemoryBuffer::getFile(path);
    if (!text) {
      llvm::errs() << path << ": " << text.getError().message() << "\n";
      return 1;
    }
    SourceManager sources;
    DiagnosticEngine diags(sources);
    auto tree = parseModule(sources.add(path, (*text)->getBuffer().str()), diags);
    if (!tree) {
      diags.flush(llvm::errs());
      return 1;
    }
    llvm::raw_string_ostream out(rows);
    out << "{\"" << argv[i] << "\", \"";
    for (const unsigned char byte : treeToBytes(*tree))
      out << '\\' << char('0' + (byte >> 6)) << char('0' + (byte >> 3 & 7)) << char('0' + (byte & 7));
    out << "\"sv},\n";
  }
  std::error_code error;
  llvm::raw_fd_ostream file(argv[1], error);
  file << rows;
  file.close();
  if (error || file.has_error()) {
    llvm::errs() << argv[1] << ": cannot be written\n";
    return 1;
  }
}
