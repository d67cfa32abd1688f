// Launches beside the reference interpreter, see ReferenceRun.h.
#include "compiler/launch/ReferenceRun.h"

#include "compiler/reference/Floats.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PlantedFault.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/FormatVariadic.h"

namespace fly::driver {

using reference::Outcome;

namespace {

ir::KernelOp kernelIn(mlir::ModuleOp module) { return *module.getOps<ir::KernelOp>().begin(); }

/// The first byte that both know and that differs; none if there is none.
bool differs(const reference::Memory &a, const reference::Memory &b) {
  for (auto &[address, area] : a.areas()) {
    auto other = b.areas().find(address);
    if (other == b.areas().end())
      continue;
    for (size_t i = 0; i < area.bytes.size(); ++i)
      if ((area.bytes[i] ^ other->second.bytes[i]) & area.known[i] & other->second.known[i])
        return true;
  }
  return false;
}

/// Runs the interpreter after each pass until the result changes.
class AfterPasses final : public mlir::PassInstrumentation {
public:
  AfterPasses(const target::Target &target, const reference::Launch &launch, const reference::Memory &before,
              const reference::Memory &expected, std::string &found)
      : target(target), launch(launch), before(before), expected(expected), found(found) {}

  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    auto kernel = llvm::dyn_cast<ir::KernelOp>(op);
    if (!kernel || !found.empty())
      return;
    reference::Memory memory = before;
    const Outcome outcome = reference::run(kernel, target, launch, memory);
    if (outcome.kind == Outcome::Mistake || outcome.kind == Outcome::Fault)
      found = "after the pass `" + pass->getArgument().str() + "`, " + outcome.text + " (" + outcome.place + ")";
    else if (outcome.kind == Outcome::Complete && differs(memory, expected))
      found = "the pass `" + pass->getArgument().str() + "` changes what the kernel computes";
  }

private:
  const target::Target &target;
  const reference::Launch &launch;
  const reference::Memory &before, &expected;
  std::string &found;
};

/// A number as its bits, and in its type where that is a float or an integer.
std::string numberText(uint64_t bits, unsigned width, const std::string &type) {
  std::string text = "0x" + llvm::utohexstr(bits, true, (width + 3) / 4);
  llvm::SmallString<32> number;
  if (auto *format = reference::formatByName(type))
    llvm::APFloat(*format, llvm::APInt(width, bits)).toString(number);
  else
    llvm::APInt(width, bits).toString(number, 10, llvm::StringRef(type).starts_with("i"));
  return text + " (" + number.str().str() + ")";
}

unsigned widthOf(const std::string &type) {
  if (auto *format = reference::formatByName(type))
    return llvm::APFloat::getSizeInBits(*format);
  unsigned bits = 0;
  if (llvm::StringRef(type).drop_front(std::min<size_t>(1, type.size())).getAsInteger(10, bits))
    return 8;
  return bits;
}

} // namespace

const Outcome &ReferenceRun::execute() {
  if (code.elaborated.empty())
    return outcome = {Outcome::Beyond, "the kernel is machine code", ""};
  auto context = newContext();
  auto module = readModule(code.elaborated, *context);
  if (!module)
    return outcome = {Outcome::Beyond, "its IR cannot be read", ""};
  after = before;
  return outcome = reference::run(kernelIn(*module), target, launch, after);
}

std::string ReferenceRun::compare(llvm::function_ref<std::string(uint64_t, uint64_t)> read,
                                  llvm::function_ref<std::string(const std::string &)> typeOf,
                                  ReferenceCounts &counts) {
  std::string text;
  for (auto &[address, initial] : before.areas()) {
    const reference::Area &area = after.areas().at(address);
    const std::string left = read(address, area.bytes.size()), type = typeOf(area.name);
    const unsigned width = widthOf(type);
    const auto *format = reference::formatByName(type);
    if (width == 0 || width > 64 || area.bytes.size() * 8 % width)
      continue;
    const uint64_t elements = area.bytes.size() * 8 / width;
    uint64_t different = 0, first = 0;
    reference::Cell expected, found;
    const std::vector<uint8_t> all(left.size(), 0xff);
    auto *bytes = reinterpret_cast<const uint8_t *>(left.data());
    for (uint64_t i = 0; i < elements; ++i) {
      reference::Cell cell, machine, old;
      reference::readPacked(area.bytes.data(), area.known.data(), i * width, width, 1, &cell);
      reference::readPacked(bytes, all.data(), i * width, width, 1, &machine);
      reference::readPacked(initial.bytes.data(), initial.known.data(), i * width, width, 1, &old);
      if (cell.bits != old.bits || cell.known != old.known || machine.bits != old.bits) {
        counts.bytesWritten += std::max(1u, width / 8);
        counts.bytesCompared += cell.known ? std::max(1u, width / 8) : 0;
      }
      bool differs = (cell.bits ^ machine.bits) & cell.known;
      // A NaN of which no more is known is one of a class.
      if (format && cell.known && !cell.isKnown(width) && reference::FloatFormat(*format).isUsable(cell))
        differs = !llvm::APFloat(*format, machine.value(width)).isNaN();
      if (differs && !different++)
        first = i, expected = cell, found = machine;
    }
    if (!different)
      continue;
    text += llvm::formatv("`{0}` differs from the reference: element {1} is {2}, the reference has {3}", area.name,
                          first, numberText(found.bits, width, type), numberText(expected.bits, width, type))
                .str();
    if (different > 1)
      text += llvm::formatv("; {0} of {1} elements differ", different, elements).str();
    text += "\n";
  }
  return text;
}

std::string ReferenceRun::reduced(llvm::function_ref<bool(const reference::Memory &)> differs,
                                  llvm::function_ref<std::string(const std::string &)> typeOf, double seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(int64_t(seconds * 1e6));
  reference::Memory smallest = before;
  // Zeroes stretches of each area, first all of it, then halves, quarters and so on, down to single elements.
  for (auto &[address, area] : before.areas()) {
    const unsigned width = std::max(8u, widthOf(typeOf(area.name)));
    const uint64_t size = area.bytes.size(), element = width / 8;
    for (uint64_t length = std::max<uint64_t>(size, 1); length >= element; length = length / 2 / element * element) {
      for (uint64_t first = 0; first < size && std::chrono::steady_clock::now() < deadline; first += length) {
        const uint64_t bytes = std::min(length, size - first);
        auto &now = smallest.areas().at(address).bytes;
        if (std::all_of(now.begin() + int64_t(first), now.begin() + int64_t(first + bytes),
                        [](uint8_t byte) { return byte == 0; }))
          continue;
        reference::Memory smaller = smallest;
        smaller.fill(address + first, 0, bytes);
        if (differs(smaller))
          smallest = std::move(smaller);
      }
      if (length == element)
        break;
      length = std::max(length, 2 * element);
    }
  }
  std::string text;
  for (auto &[address, area] : smallest.areas()) {
    const std::string type = typeOf(area.name);
    const unsigned width = widthOf(type);
    if (width == 0 || width > 64 || llvm::all_of(area.bytes, [](uint8_t byte) { return byte == 0; }))
      continue;
    constexpr unsigned most = 4;
    unsigned shown = 0;
    for (uint64_t i = 0; i < area.bytes.size() * 8 / width; ++i) {
      reference::Cell cell;
      reference::readPacked(area.bytes.data(), area.known.data(), i * width, width, 1, &cell);
      if (cell.bits && ++shown <= most)
        text += llvm::formatv("{0}`{1}[{2}]` = {3}", text.empty() ? "" : ", ", area.name, i,
                              numberText(cell.bits, width, type))
                    .str();
    }
    if (shown > most)
      text += llvm::formatv(" and {0} more", shown - most).str();
  }
  return text.empty() ? "it differs with all memory 0" : "it differs with all memory 0 but " + text;
}

std::string ReferenceRun::suspect() {
  auto context = newContext();
  mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) { return mlir::success(); });
  auto module = readModule(code.finished, *context);
  if (!module)
    return "its IR after the checks cannot be read";
  reference::Memory memory = before;
  const Outcome finished = reference::run(kernelIn(*module), target, launch, memory);
  if (finished.kind == Outcome::Mistake || finished.kind == Outcome::Fault)
    return "after `fly-finish-kernel`, " + finished.text + " (" + finished.place + ")";
  if (finished.kind == Outcome::Complete && differs(memory, after))
    return "`fly-finish-kernel` changes what the kernel computes";
  std::string found;
  mlir::PassManager manager(context.get(), mlir::ModuleOp::getOperationName());
  manager.enableVerifier(false);
  ir::FlyToLLVMOptions options;
  options.arch = std::string(target.name);
  ir::buildFlyToLLVMPipeline(manager, options);
  // The callbacks of the last one run first.
  manager.addInstrumentation(std::make_unique<AfterPasses>(target, launch, before, after, found));
  if (!code.plantFault.empty())
    manager.addInstrumentation(ir::plantFaultAfter(code.plantFault));
  if (mlir::failed(manager.run(*module)))
    return "a pass fails";
  return found.empty()
             ? "all passes of the Fly dialect agree with the reference: `convert-fly-to-rocdl`, LLVM's passes "
               "and its instruction selection follow, which cannot be divided"
             : found;
}

} // namespace fly::driver
