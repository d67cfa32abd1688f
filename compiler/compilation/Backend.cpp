// Jobs, and the threads that run them. See Backend.h.
#include "compiler/compilation/Backend.h"

#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/dialect/FlyDialect.h"
#include "compiler/compilation/BackendProcess.h"
#include "compiler/compilation/LongCompile.h"
#include "compiler/compilation/ObjectCache.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PlantedFault.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Jobserver.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/thread.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace fly::driver {

namespace {

constexpr unsigned stackBytes = 256u << 20;       // passes recurse along regions and expressions
constexpr std::chrono::milliseconds slotPause(5); // waiting for a jobserver cannot be interrupted

using Clock = std::chrono::steady_clock;

/// Adds the scope's wall-clock time.
struct Stopwatch {
  double &ms;
  Clock::time_point start = Clock::now();
  explicit Stopwatch(double &ms) : ms(ms) {}
  ~Stopwatch() { ms += std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }
};

/// Keeps the text of the module after the first run of each pass that is wanted.
struct KeepAfterPasses : mlir::PassInstrumentation {
  std::vector<std::string> wanted;
  std::vector<codegen::PassText> &texts;
  KeepAfterPasses(std::vector<std::string> wanted, std::vector<codegen::PassText> &texts)
      : wanted(std::move(wanted)), texts(texts) {}
  void runAfterPass(mlir::Pass *done, mlir::Operation *op) override {
    auto found = llvm::find(wanted, done->getArgument());
    if (found == wanted.end())
      return;
    while (op->getParentOp())
      op = op->getParentOp();
    codegen::PassText &kept = texts.emplace_back(codegen::PassText{*found, ""});
    llvm::raw_string_ostream os(kept.text);
    op->print(os);
    wanted.erase(found);
  }
};

codegen::Failure passFailure(std::string said) {
  return {codegen::Failure::Stage::Translate, said.empty() ? "a pass failed" : std::move(said), "", false};
}

void compile(mlir::MLIRContext &context, const BackendJob &job, BackendResult &result) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    Stopwatch watch(result.passesMs);
    // A pass's message is shown as a note of one diagnostic of ours.
    std::string said;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && said.empty())
        said = diagnostic.str();
      return mlir::success();
    });
    module = readModule(job.bytecode, context);
    mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
    manager.enableVerifier(false); // the result is verified; tests and fuzzers verify behind each pass
    ir::FlyToLLVMOptions options;
    options.arch = std::string(job.target->name);
    ir::buildFlyToLLVMPipeline(manager, options);
    if (!job.plantFault.empty())
      manager.addInstrumentation(ir::plantFaultAfter(job.plantFault));
    if (auto wanted = job.keep.after(); !wanted.empty())
      manager.addInstrumentation(std::make_unique<KeepAfterPasses>(std::move(wanted), result.after));
    std::string all;
    llvm::raw_string_ostream printer(all);
    if (job.keep.printAll)
      manager.enableIRPrinting([](auto...) { return false; }, [](auto...) { return true; }, /*printModuleScope=*/true,
                               /*printAfterOnlyOnChange=*/false, /*printAfterOnlyOnFailure=*/false, printer);
    const bool isGood = module && mlir::succeeded(manager.run(*module)) && mlir::succeeded(mlir::verify(*module));
    if (job.keep.printAll)
      result.after.push_back({"", std::move(all)});
    if (!isGood) {
      result.failure = passFailure(std::move(said));
      return;
    }
    if (job.keep.rocdl) {
      llvm::raw_string_ostream os(result.rocdl);
      (*module)->print(os);
      os << '\n';
    }
  }
  if (!job.keep.object && !job.keep.llvmIr && job.options.stopAfter.empty())
    return;
  Stopwatch watch(result.llvmMs);
  auto object = codegen::compileToObject(*module, *job.target, job.options);
  if (!object) {
    result.failure = object.failure();
    if (object.failure().crashed)
      (void)module.release(); // it may be in any state
    return;
  }
  result.object = std::move(object->bytes);
  result.llvmIr = std::move(object->llvmIr);
  result.placedIr = std::move(object->placedIr);
  for (codegen::PassText &text : object->after)
    result.after.push_back(std::move(text));
}

enum class Jobserver { None, Closed, Open };

/// Reads MAKEFLAGS (GNU Make's manual, "POSIX Jobserver"); the last word wins. Make closes the pipe for commands that
/// it does not recognise as a sub-make.
Jobserver findJobserver() {
  Jobserver found = Jobserver::None;
  const std::string flags = llvm::sys::Process::GetEnv("MAKEFLAGS").value_or("");
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(flags).split(words, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    if (!word.consume_front("--jobserver-auth=") && !word.consume_front("--jobserver-fds="))
      continue;
    int read = -1, write = -1;
    auto [first, second] = word.split(',');
    bool open = word.consume_front("fifo:") ? ::access(word.str().c_str(), R_OK | W_OK) == 0
                                            : !first.getAsInteger(10, read) && !second.getAsInteger(10, write) &&
                                                  ::fcntl(read, F_GETFD) >= 0 && ::fcntl(write, F_GETFD) >= 0;
    found = open ? Jobserver::Open : Jobserver::Closed;
  }
  return found;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> readModule(const std::string &bytecode, mlir::MLIRContext &context) {
  mlir::Block block;
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false); // the pass manager verifies
  if (mlir::failed(mlir::readBytecodeFile(llvm::MemoryBufferRef(bytecode, "kernel"), &block, config)) || block.empty())
    return {};
  auto module = llvm::dyn_cast<mlir::ModuleOp>(block.front());
  if (module)
    module->remove();
  return module;
}

std::unique_ptr<mlir::MLIRContext> newContext() {
  mlir::DialectRegistry registry;
  ir::registerFlyDialects(registry);
  codegen::registerTranslations(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

std::vector<std::string> Keep::after() const {
  std::vector<std::string> names = printAfter;
  if (!stopAfter.empty() && !llvm::is_contained(names, stopAfter))
    names.push_back(stopAfter);
  return names;
}

std::vector<std::string> allPassNames(mlir::MLIRContext &context) {
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  ir::FlyToLLVMOptions options;
  ir::buildFlyToLLVMPipeline(manager, options);
  // The pipeline as text, `builtin.module(fly.kernel(pass{option=1},pass),pass)`: a name followed by `(` is not a pass.
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  std::vector<std::string> names;
  std::string word;
  unsigned braces = 0;
  for (char c : text) {
    if (c == '{')
      ++braces;
    if (braces == 0 && (llvm::isAlnum(c) || c == '-' || c == '.' || c == '_')) {
      word += c;
      continue;
    }
    if (c != '(' && !word.empty() && !llvm::is_contained(names, word))
      names.push_back(word);
    word.clear();
    if (c == '}')
      --braces;
  }
  llvm::append_range(names, codegen::passNames());
  return names;
}

std::unique_ptr<mlir::MLIRContext> ContextPool::take() {
  {
    std::lock_guard lock(mutex);
    if (!free.empty()) {
      auto context = std::move(free.back());
      free.pop_back();
      return context;
    }
  }
  return newContext();
}

void ContextPool::give(std::unique_ptr<mlir::MLIRContext> context) {
  std::lock_guard lock(mutex);
  free.push_back(std::move(context));
}

static void compile(ContextPool &contexts, const BackendJob &job, BackendResult &result) {
  auto context = contexts.take();
  compile(*context, job, result);
  if (result.failure && result.failure->crashed)
    (void)context.release(); // locks in it may be held for ever
  else
    contexts.give(std::move(context));
}

BackendResult runBackend(ContextPool &contexts, ObjectCache &cache, const BackendJob &job) {
  BackendResult result;
  if (!job.object.empty()) {
    result.object = job.object;
    return result;
  }
  std::string key;
  const bool objectOnly = job.keep.object && !job.keep.rocdl && !job.keep.llvmIr && !job.keep.page &&
                          !job.keep.printAll && job.keep.after().empty();
  if (objectOnly && cache.enabled()) {
    Stopwatch watch(result.cacheMs);
    key = cache.keyOf(job);
    if (auto found = cache.find(key)) {
      result.object = std::move(*found);
      return result;
    }
  }
  const LongCompile line{std::string(job.target->name)};
  if (!job.options.globals.empty())
    result = runBackendProcess(job);
  else
    compile(contexts, job, result);
  if (!key.empty() && !result.failure) {
    Stopwatch watch(result.cacheMs);
    cache.store(key, result.object);
  }
  return result;
}

BackendQueue::BackendQueue(ContextPool &contexts, ObjectCache &cache, unsigned wanted)
    : contexts(contexts), cache(cache), threads(wanted) {
  const Jobserver found = findJobserver();
  if (threads == 0) // if the jobserver is closed, Make grants no slots
    threads = found == Jobserver::Closed ? 1 : std::max(1u, std::thread::hardware_concurrency());
  if (threads > 1 && found == Jobserver::Open)
    jobserver = llvm::JobserverClient::getInstance();
  if (jobserver)
    (void)jobserver->tryAcquire(); // the slot that this process was started with is the calling thread's
}

BackendQueue::~BackendQueue() { close(/*drop=*/true); }

void BackendQueue::close(bool drop) {
  {
    std::lock_guard lock(mutex);
    closed = true;
    if (drop)
      waiting.clear();
  }
  changed.notify_all();
  for (auto &worker : workers)
    worker.join();
  workers.clear();
}

void BackendQueue::add(const BackendJob &job, BackendResult &result) {
  {
    std::lock_guard lock(mutex);
    waiting.push_back({&job, &result});
  }
  if (workers.size() + 1 < threads)
    workers.emplace_back(std::optional<unsigned>(stackBytes), [this] { work(); });
  changed.notify_one();
}

std::optional<BackendQueue::Item> BackendQueue::next() {
  std::lock_guard lock(mutex);
  if (waiting.empty())
    return std::nullopt;
  Item item = waiting.front();
  waiting.pop_front();
  return item;
}

void BackendQueue::work() {
  while (true) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return closed || !waiting.empty(); });
      if (waiting.empty())
        return;
    }
    llvm::JobSlot slot;
    if (jobserver) {
      slot = jobserver->tryAcquire();
      if (!slot.isValid()) {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, slotPause, [&] { return closed && waiting.empty(); });
        continue;
      }
    }
    if (auto item = next())
      *item->result = runBackend(contexts, cache, *item->job);
    if (jobserver)
      jobserver->release(std::move(slot));
  }
}

void BackendQueue::finish() {
  while (auto item = next())
    *item->result = runBackend(contexts, cache, *item->job);
  close(/*drop=*/false);
}

} // namespace fly::driver
