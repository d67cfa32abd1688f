// Finds and reads the bitcode of a kernel's extern functions and compares it with the declarations.
#include "compiler/compilation/ExternBitcode.h"

#include "compiler/codegen/Bitcode.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace fly::driver {

/// "float (float, <4 x i32>)": the declaration as LLVM writes it.
static std::string llvmType(const sema::ExternDefinition &definition) {
  auto one = [](const sema::Type &type) {
    std::string element;
    switch (type.number) {
    case host::Number::F16: element = "half"; break;
    case host::Number::BF16: element = "bfloat"; break;
    case host::Number::F32: element = "float"; break;
    case host::Number::F64: element = "double"; break;
    default: element = "i" + std::to_string(type.format().bits); break;
    }
    return type.isVector() ? "<" + std::to_string(type.lanes) + " x " + element + ">" : element;
  };
  std::string text = (definition.result ? one(*definition.result) : "void") + " (";
  for (size_t i = 0; i < definition.parameters.size(); ++i)
    text += (i ? ", " : "") + one(definition.parameters[i]);
  return text + ")";
}

static std::optional<std::string> readFile(Session &session, const std::string &path, SourceRange range) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    session.diags.report(diag::cannot_read, range).arg(path).arg(llvm::StringRef(buffer.getError().message()).lower());
    return std::nullopt;
  }
  return (*buffer)->getBuffer().str();
}

std::optional<std::vector<codegen::Bitcode>>
collectBitcode(Session &session, const target::Target &target,
               const std::vector<const sema::ExternDefinition *> &externs) {
  std::vector<codegen::Bitcode> files;
  bool good = true;
  for (auto *definition : externs) {
    SourceRange at = definition->def->nameRange;
    std::vector<std::string> candidates = session.options.bitcode;
    if (!definition->file.empty()) { // next to the source that names it
      llvm::SmallString<256> path(llvm::sys::path::parent_path(session.sources.name(at.file)));
      if (llvm::sys::path::is_absolute(definition->file))
        path.clear();
      llvm::sys::path::append(path, definition->file);
      candidates = {std::string(path)};
    }
    std::string missing;
    bool found = false;
    for (auto &path : candidates) {
      auto bytes = readFile(session, path, at);
      if (!bytes)
        return std::nullopt;
      auto answer = codegen::checkBitcode(*bytes, definition->symbol, llvmType(*definition), target);
      if (answer.problem == codegen::BitcodeProblem::NoSuchFunction && candidates.size() > 1)
        continue;
      if (answer.problem != codegen::BitcodeProblem::None) {
        session.diags.report(diag::bad_extern, at).arg("`" + path + "` " + answer.message);
        good = false;
      } else if (llvm::none_of(files, [&](auto &file) { return file.name == path; })) {
        files.push_back({path, std::move(*bytes)});
        if (!llvm::is_contained(session.bitcodeRead, path))
          session.bitcodeRead.push_back(path);
      }
      found = true;
      break;
    }
    if (!found) {
      session.diags.report(diag::bad_extern, at)
          .arg(candidates.empty() ? "no bitcode for `" + definition->symbol +
                                        "`; name a file, `@extern(\"FILE.bc\")`, or give one with `--link FILE.bc`"
                                  : "no file of `--link` defines `" + definition->symbol + "`");
      good = false;
    }
  }
  if (!good)
    return std::nullopt;
  return files;
}

} // namespace fly::driver
