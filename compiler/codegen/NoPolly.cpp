// Debian's LLVM is built with Polly as a compiled-in extension: link-time optimisation, which lld's ELF driver links
// though we never run it, asks for Polly's plugin. An empty plugin answers, and Polly's libraries stay out.

#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no-polly", "", [](llvm::PassBuilder &) {}, nullptr};
}
