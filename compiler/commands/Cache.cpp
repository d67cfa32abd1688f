// `flyc cache`: where objects of earlier runs are kept, and how many there are.
#include "compiler/commands/Commands.h"
#include "compiler/compilation/Session.h"

#include "llvm/Support/Format.h"

namespace fly::driver {

int cache(const Options &options, const CacheCommand &command) {
  Session session(options);
  const std::string folder = cacheFolder();
  if (folder.empty()) {
    llvm::outs() << "no cache: FLY_CACHE_DIR is empty\n";
    return session.finish() ? 0 : 1;
  }
  const CacheContents found = cacheContents(folder, command.clear);
  if (found.error) {
    session.diags.report(diag::cannot_read, {}).arg(folder).arg(llvm::StringRef(found.error.message()).lower());
    session.finish();
    return 1;
  }
  llvm::outs() << folder << ": " << found.entries << (found.entries == 1 ? " object, " : " objects, ")
               << llvm::format("%.1f MB", double(found.bytes) / 1e6) << (command.clear ? ", removed" : "")
               << llvm::format(" (limit %.0f MB)\n", double(cacheSizeLimit()) / 1e6);
  return session.finish() ? 0 : 1;
}

} // namespace fly::driver
