// Waves and workgroups: how paths part and meet, and who runs until when. See Machine.h.
#include "compiler/reference/Machine.h"

#include "compiler/dialect/Places.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace fly::reference {

unsigned widthOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return widthOf(vector.getElementType());
  if (auto pointer = dyn_cast<ir::PtrType>(type))
    return pointer.getSpace() == ir::AddressSpace::Shared || pointer.getSpace() == ir::AddressSpace::Private ? 32 : 64;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

unsigned cellsOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return unsigned(vector.getNumElements());
  if (auto layout = dyn_cast<ir::LayoutType>(type))
    return unsigned(layout.getDynamicTypes().size());
  if (auto tensor = dyn_cast<ir::TensorType>(type))
    return TensorCells::Leaves + unsigned(tensor.getLayoutType().getDynamicTypes().size());
  if (auto pointer = dyn_cast<ir::PtrType>(type))
    return pointer.getSpace() == ir::AddressSpace::Buffer ? 2 : 1;
  return type.isIntOrIndexOrFloat() ? 1 : 0;
}

//===--------------------------------------------------- kernel -------------------------------------------------===//

Kernel::Kernel(ir::KernelOp op, const target::Target &target, const Launch &launch, Memory &memory)
    : op(op), target(target), launch(launch), memory(memory),
      deadline(std::chrono::steady_clock::now() + std::chrono::microseconds(int64_t(launch.seconds * 1e6))) {
  auto add = [&](Value value) {
    numbers[value] = unsigned(counts.size());
    counts.push_back(cellsOf(value.getType()));
    layouts.emplace_back();
    if (auto tensor = dyn_cast<ir::TensorType>(value.getType()))
      layouts.back() = std::make_unique<const LayoutLeaves>(tensor.getLayout());
    else if (auto layout = dyn_cast<ir::LayoutType>(value.getType()))
      layouts.back() = std::make_unique<const LayoutLeaves>(layout.getLayout());
    if (widthOf(value.getType()) > 64)
      throw Stop{Outcome::Beyond, "numbers of more than 64 bits"};
  };
  for (Block &block : op.getBody()) {
    for (Value argument : block.getArguments())
      add(argument);
    for (Operation &inside : block) {
      if (inside.getNumRegions())
        throw Stop{Outcome::Beyond, "`" + inside.getName().getStringRef().str() + "`"};
      for (Value result : inside.getResults())
        add(result);
    }
  }
  orderBlocks();
  functions.resize(counts.size());
  derived.resize(counts.size());
}

/// From the end: of the ways on from a block, those that leave a loop are finished first.
void Kernel::orderBlocks() {
  DominanceInfo dominance(op);
  Region &region = op.getBody();
  if (region.hasOneBlock()) {
    order[&region.front()] = 0;
    return;
  }
  CFGLoopInfo loops(dominance.getDomTree(&region));
  auto depth = [&](Block *block) { return loops.getLoopDepth(block); };
  struct Visit {
    Block *block;
    llvm::SmallVector<Block *> left; ///< the last one is next
  };
  std::vector<Visit> stack;
  llvm::SmallPtrSet<Block *, 32> seen;
  std::vector<Block *> finished;
  auto enter = [&](Block *block) {
    if (!seen.insert(block).second)
      return;
    llvm::SmallVector<Block *> next(block->getSuccessors());
    std::stable_sort(next.begin(), next.end(), [&](Block *a, Block *b) { return depth(a) > depth(b); });
    stack.push_back({block, std::move(next)});
  };
  enter(&region.front());
  while (!stack.empty()) {
    if (stack.back().left.empty()) {
      finished.push_back(stack.back().block);
      stack.pop_back();
    } else {
      enter(stack.back().left.pop_back_val());
    }
  }
  for (auto [place, block] : llvm::enumerate(llvm::reverse(finished)))
    order[block] = unsigned(place);
}

//===---------------------------------------------------- wave --------------------------------------------------===//

Wave::Wave(Kernel &kernel, Workgroup &group, unsigned index, uint64_t lanes)
    : kernel(kernel), group(group), index(index), size(kernel.target.waveSize), values(kernel.counts.size()) {
  for (size_t i = 0; i < values.size(); ++i)
    values[i].reset(size, kernel.counts[i]);
  Block &entry = kernel.op.getBody().front();
  paths.push_back({&entry, &entry.front(), lanes});
  active = lanes;
  // The arguments, in the order of the ABI: each aligned to its size.
  uint64_t offset = 0;
  for (auto [number, argument] : llvm::enumerate(entry.getArguments())) {
    const Type type = argument.getType();
    auto byValue = kernel.op.getArgAttrOfType<IntegerAttr>(unsigned(number), ir::KernelOp::byValueAttr);
    uint64_t bytes = std::max(1u, widthOf(type) / 8), alignment = bytes;
    if (byValue) {
      bytes = uint64_t(byValue.getInt());
      alignment = cast<ir::PtrType>(type).getAlignment();
    }
    offset = llvm::alignTo(offset, alignment);
    if (offset + bytes > kernel.launch.arguments.size())
      throw Stop{Outcome::Beyond, "arguments that are laid out otherwise"};
    uint64_t bits = 0;
    if (byValue)
      bits = argumentsAddress + offset;
    else
      memcpy(&bits, kernel.launch.arguments.data() + offset, bytes);
    forLanes([&](unsigned lane) { *this->lanes(argument).of(lane) = Cell::of(bits, widthOf(type)); });
    offset += bytes;
  }
}

Lanes &Wave::slot(Value value) {
  Lanes &storage = slots[value];
  if (storage.cells.empty())
    storage.reset(size, cellsOf(cast<ir::SlotType>(value.getType()).getValueType()));
  return storage;
}

uint64_t Wave::needed(const Cell &cell, unsigned width, const char *what) const {
  if (cell.isPoison())
    throw Stop{Outcome::Mistake, std::string(what) + " is poison"};
  if (!cell.isKnown(width))
    throw Stop{Outcome::Beyond, std::string(what) + " depends on bits that the program leaves open"};
  return cell.bits & onesOf(width);
}

/// The lanes go to the start of a block, whose arguments they set all at once.
void Wave::branch(Block *to, ValueRange operands, uint64_t lanes) {
  std::vector<Lanes> copies;
  if (operands.size() > 1)
    for (Value operand : operands)
      copies.push_back(this->lanes(operand));
  for (auto [number, argument] : llvm::enumerate(to->getArguments())) {
    Lanes &target = this->lanes(argument);
    const Lanes &source = operands.size() > 1 ? copies[number] : this->lanes(operands[number]);
    for (uint64_t left = lanes; left; left &= left - 1) {
      const auto lane = unsigned(llvm::countr_zero(left));
      std::copy_n(source.of(lane), source.count, target.of(lane));
    }
  }
}

void Wave::choose() {
  auto first = std::min_element(paths.begin(), paths.end(), [&](const Path &a, const Path &b) {
    return kernel.order.lookup(a.block) < kernel.order.lookup(b.block);
  });
  if (first != paths.end())
    std::swap(*first, paths.back());
}

/// Goes on after the last operation of a block. False: it is not one that ends blocks here.
bool Wave::terminate(Operation *op) {
  const Path path = paths.back();
  llvm::SmallVector<std::pair<Block *, uint64_t>, 2> ways;
  auto go = [&](Block *to, ValueRange operands, uint64_t lanes) {
    if (!lanes)
      return;
    branch(to, operands, lanes);
    ways.push_back({to, lanes});
  };
  if (auto jump = dyn_cast<cf::BranchOp>(op)) {
    go(jump.getDest(), jump.getDestOperands(), path.lanes);
  } else if (auto choice = dyn_cast<cf::CondBranchOp>(op)) {
    uint64_t yes = 0;
    forLanes([&](unsigned lane) {
      if (needed(*of(choice.getCondition(), lane), 1, "the condition of a branch"))
        yes |= uint64_t(1) << lane;
    });
    go(choice.getTrueDest(), choice.getTrueDestOperands(), yes);
    go(choice.getFalseDest(), choice.getFalseDestOperands(), path.lanes & ~yes);
  } else if (!isa<ir::ReturnOp>(op)) {
    return false;
  }
  paths.pop_back();
  for (auto [to, lanes] : ways) {
    auto waiting = llvm::find_if(paths, [to = to](const Path &other) { return other.next == &to->front(); });
    if (waiting != paths.end())
      waiting->lanes |= lanes;
    else
      paths.push_back({to, &to->front(), lanes});
  }
  choose();
  return true;
}

void Wave::run() {
  while (!paths.empty()) {
    Path &path = paths.back();
    Operation *op = path.next;
    active = path.lanes;
    try {
      if (++kernel.steps % 256 == 0 && std::chrono::steady_clock::now() > kernel.deadline)
        throw Stop{Outcome::Limit, llvm::formatv("it takes longer than {0} s", kernel.launch.seconds)};
      if (op->hasTrait<OpTrait::IsTerminator>()) {
        if (!terminate(op))
          throw Stop{Outcome::Beyond, "`" + op->getName().getStringRef().str() + "`"};
        continue;
      }
      path.next = op->getNextNode();
      if (isa<ir::BarrierOp>(op))
        return;
      if (!runScalar(*this, op) && !runVector(*this, op) && !runAccess(*this, op) && !runTensor(*this, op) &&
          !runCopy(*this, op) && !runProduct(*this, op) && !runWave(*this, op) && !runIntrinsic(*this, op))
        throw Stop{Outcome::Beyond, "`" + op->getName().getStringRef().str() + "`"};
    } catch (Stop &stop) {
      throw std::pair(stop, op);
    }
  }
}

//===------------------------------------------------- workgroup ------------------------------------------------===//

Workgroup::Workgroup(Kernel &kernel, std::array<uint32_t, 3> id) : kernel(kernel), id(id) {
  uint64_t bytes = 16; // no object is at 0, so that a pointer to one is not null
  kernel.op.getBody().walk([&](ir::SharedOp op) {
    bytes = llvm::alignTo(bytes, std::max<uint64_t>(16, op.getType().getAlignment()));
    objects[op] = bytes;
    bytes += op.getBytes();
  });
  dynamicLds = bytes = llvm::alignTo(bytes, 1024);
  lds.addUnknown(0, "LDS", bytes + kernel.launch.dynamicLds);
}

void Workgroup::run() {
  auto &block = kernel.launch.block;
  const uint64_t threads = uint64_t(block[0]) * block[1] * block[2], size = kernel.target.waveSize;
  std::vector<Wave> waves;
  waves.reserve(llvm::divideCeil(threads, size));
  for (uint64_t first = 0; first < threads; first += size)
    waves.emplace_back(kernel, *this, unsigned(first / size), onesOf(unsigned(std::min(size, threads - first))));
  for (bool isOver = false; !isOver;) {
    isOver = true;
    for (Wave &wave : waves)
      if (!wave.isDone()) {
        wave.run();
        isOver &= wave.isDone();
      }
  }
}

static std::string placeOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Location at = op->getLoc();
  at->walk([&](Location inside) {
    if (auto file = dyn_cast<FileLineColLoc>(inside); file && text.empty())
      stream << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn() << ": ";
    return WalkResult::advance();
  });
  stream << "`" << op->getName().getStringRef() << "`";
  return text;
}

Outcome run(ir::KernelOp op, const target::Target &target, const Launch &launch, Memory &memory) {
  Outcome outcome;
  try {
    Kernel kernel(op, target, launch, memory);
    memory.add(argumentsAddress, "arguments", {launch.arguments.begin(), launch.arguments.end()});
    std::vector<std::array<uint32_t, 3>> groups = launch.only;
    if (groups.empty())
      for (uint32_t z = 0; z < launch.grid[2]; ++z)
        for (uint32_t y = 0; y < launch.grid[1]; ++y)
          for (uint32_t x = 0; x < launch.grid[0]; ++x)
            groups.push_back({x, y, z});
    for (auto &id : groups)
      Workgroup(kernel, id).run();
    for (auto &[address, touched] : kernel.atomics) {
      if (touched.isShared && touched.isUsed)
        throw Stop{Outcome::Beyond, "results of atomic operations that depend on the order of threads"};
    }
  } catch (Stop &stop) {
    outcome = {stop.kind, stop.text, {}};
  } catch (std::pair<Stop, Operation *> &stopped) {
    outcome = {stopped.first.kind, stopped.first.text, placeOf(stopped.second)};
  }
  return outcome;
}

} // namespace fly::reference
