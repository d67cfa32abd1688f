// `flyc cache`: where objects of earlier runs are kept, and how many there are.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Session.h"
#include "compiler/text/Words.h"

#include "llvm/Support/Format.h"

namespace fly::driver {

namespace {

class CacheCommand final : public Command {
public:
  CacheCommand() : Command("cache", "Show where objects of earlier runs are kept, and how many there are") {
    usesCache = true;
    needsLargeStack = false;
  }
  void declare(OptionTable &table) override {
    table.add("--clear", clear, "Remove all of them");
    messageOptions(table, options);
  }
  int run() override;

  bool clear = false;
};

int CacheCommand::run() {
  Session session(options);
  const std::string folder = cacheFolder();
  if (folder.empty()) {
    llvm::outs() << "no cache: FLY_CACHE_DIR is empty\n";
    return session.finish() ? 0 : 1;
  }
  const CacheContents found = cacheContents(folder, clear);
  if (found.error) {
    session.diags.report(diag::cannot_read, {}).arg(folder).arg(llvm::StringRef(found.error.message()).lower());
    session.finish();
    return 1;
  }
  llvm::outs() << folder << ": " << counted(found.entries, "object") << ", "
               << llvm::format("%.1f MB", double(found.bytes) / 1e6) << (clear ? ", removed" : "")
               << llvm::format(" (limit %.0f MB)\n", double(cacheSizeLimit()) / 1e6);
  return session.finish() ? 0 : 1;
}

} // namespace

std::unique_ptr<Command> cacheCommand() { return std::make_unique<CacheCommand>(); }

} // namespace fly::driver
