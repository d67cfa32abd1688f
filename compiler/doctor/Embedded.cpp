#include "compiler/doctor/Embedded.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::doctor {

llvm::ArrayRef<EmbeddedSource> embeddedSources() {
  static constexpr EmbeddedSource sources[] = {
#include "compiler/doctor/Embedded.inc"
  };
  return sources;
}

const char *findSource(llvm::StringRef name) {
  return llvm::find_if(embeddedSources(), [&](auto &source) { return name == source.name; })->text;
}

} // namespace fly::doctor
