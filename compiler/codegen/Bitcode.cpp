// Bitcode by llvm::Linker. Linked code is internal to the kernel's module: two kernels may link different files that
// use the same name, and the optimizer sees every caller, so it inlines functions and drops unused ones.
#include "compiler/codegen/Bitcode.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace fly::codegen {

static llvm::Expected<std::unique_ptr<llvm::Module>> parse(std::string_view name, std::string_view bytes,
                                                           llvm::LLVMContext &context) {
  return llvm::parseBitcodeFile(llvm::MemoryBufferRef(llvm::StringRef(bytes), llvm::StringRef(name)), context);
}

static std::string textOf(const llvm::Type &type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

BitcodeAnswer checkBitcode(std::string_view bytes, std::string_view symbol, std::string_view type,
                           const target::Target &target) {
  auto other = [](const llvm::Twine &message) { return BitcodeAnswer{BitcodeProblem::Other, message.str()}; };
  if (!bytes.starts_with("BC\xc0\xde") && !bytes.starts_with("\xde\xc0\x17\x0b"))
    return other("is not LLVM bitcode (`clang -emit-llvm -c` writes it)");
  llvm::LLVMContext context;
  auto module = parse("bitcode", bytes, context);
  if (!module)
    return other("cannot be read as LLVM bitcode: " + llvm::toString(module.takeError()));
  auto &triple = (*module)->getTargetTriple();
  if (!triple.empty() && triple.getArch() != llvm::Triple::amdgcn)
    return other("is for " + triple.str() + ", not for amdgcn-amd-amdhsa");
  auto *function = (*module)->getFunction(llvm::StringRef(symbol));
  if (!function || function->isDeclaration())
    return {BitcodeProblem::NoSuchFunction, "defines no function `" + std::string(symbol) + "`"};
  std::string found = textOf(*function->getFunctionType());
  if (found != type)
    return other("has `" + llvm::Twine(llvm::StringRef(symbol)) + "` as `" + found + "`, which is declared as `" +
                 llvm::StringRef(type) + "`");
  auto cpu = function->getFnAttribute("target-cpu").getValueAsString();
  if (!cpu.empty() && cpu != llvm::StringRef(target.name))
    return other("has `" + llvm::Twine(llvm::StringRef(symbol)) + "` compiled for " + cpu + ", not for " +
                 llvm::StringRef(target.name));
  return {};
}

std::string linkBitcode(llvm::Module &module, const std::vector<Bitcode> &files) {
  std::set<std::string> before;
  for (auto &function : module)
    if (!function.isDeclaration())
      before.insert(function.getName().str());
  for (auto &file : files) {
    auto parsed = parse(file.name, file.bytes, module.getContext());
    if (!parsed)
      return file.name + ": " + llvm::toString(parsed.takeError());
    (*parsed)->setTargetTriple(module.getTargetTriple());
    (*parsed)->setDataLayout(module.getDataLayout());
    // What clang states about its whole module does not hold for the kernel's module.
    if (auto *flags = (*parsed)->getModuleFlagsMetadata())
      (*parsed)->eraseNamedMetadata(flags);
    if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded))
      return file.name + " cannot be linked";
  }
  for (auto &function : module) {
    if (function.isDeclaration()) {
      if (!function.isIntrinsic() && !function.use_empty())
        return "no bitcode defines `" + function.getName().str() + "`";
      continue;
    }
    if (before.count(function.getName().str()))
      continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    for (const char *attribute : {"target-cpu", "target-features"})
      function.removeFnAttr(attribute);
    function.addFnAttr("amdgpu-ieee", "false"); // the kernel's mode (KernelToRocdl.cpp), or it is never inlined
  }
  return "";
}

} // namespace fly::codegen
