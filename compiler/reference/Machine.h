// A workgroup in the reference interpreter: its waves, each with the values of its lanes and a stack of paths.
//
// The lanes of a wave execute each operation together. Where they part, those that are at the earliest block go on first:
// in an order of blocks in which a loop comes before what follows it, lanes that can meet again do, at the first block
// that both reach ("thread frontiers", Diamos et al. 2011). What an operation does is in one file per family: each has a
// function that executes an operation, or says that it is not one of its own.
#pragma once

#include "compiler/reference/Places.h"
#include "compiler/reference/Reference.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include "llvm/ADT/DenseMap.h"

#include <chrono>

namespace fly::reference {

/// Thrown where execution ends before the kernel does.
struct Stop {
  Outcome::Kind kind;
  std::string text;
};

/// What all workgroups of a launch have in common.
struct Kernel {
  Kernel(ir::KernelOp op, const target::Target &target, const Launch &launch, Memory &memory);

  ir::KernelOp op;
  const target::Target &target;
  const Launch &launch;
  Memory &memory;
  std::vector<unsigned> counts; ///< cells per lane, by a value's number
  unsigned numberOf(mlir::Value value) {
    auto *key = value.getAsOpaquePointer();
    Recent &entry = recent[reinterpret_cast<uintptr_t>(key) >> 4 & 255];
    if (entry.key != key)
      entry = {key, numbers.find(value)->second};
    return entry.number;
  }
  /// The layout of a value as a function, by its last leaves: those of a wave's lanes are mostly the same.
  struct Evaluated {
    std::vector<int64_t> leaves;
    std::shared_ptr<const Function> function;
  };
  std::vector<Evaluated> functions; ///< by number
  /// The same of a function that a view makes of another one.
  struct Derived {
    std::shared_ptr<const Function> source, function;
    std::vector<Cell> leaves;
  };
  std::vector<Derived> derived;                             ///< by number
  std::vector<std::unique_ptr<const LayoutLeaves>> layouts; ///< of tensors and layouts, by number
  uint64_t steps = 0;                                       ///< operations of waves
  std::chrono::steady_clock::time_point deadline;
  /// Who changed a place atomically, and how.
  struct Touched {
    uint64_t thread;                                                   ///< the first one
    uint64_t operand;                                                  ///< of its operation
    bool isShared;                                                     ///< several threads
    bool isUsed;                                                       ///< by a result
    bool isVaried;                                                     ///< with different operands
    bool isRounded;                                                    ///< a sum of floats was
    bool depends() const { return isShared && isVaried && isRounded; } ///< on the order of the threads
  };
  std::map<uint64_t, Touched> atomics;

  /// The blocks' places in that order.
  llvm::DenseMap<mlir::Block *, unsigned> order;

private:
  void orderBlocks();
  /// The lanes of an operation ask for the same values.
  struct Recent {
    void *key = nullptr;
    unsigned number = 0;
  };
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::array<Recent, 256> recent;
};

struct Workgroup;

/// Where the arguments are as memory.
inline constexpr uint64_t argumentsAddress = uint64_t(1) << 60;

class Wave {
public:
  Wave(Kernel &kernel, Workgroup &group, unsigned index, uint64_t lanes);

  /// To the next barrier or to the end.
  void run();
  bool isDone() const { return paths.empty(); }

  Kernel &kernel;
  Workgroup &group;
  const unsigned index, size; ///< in the workgroup; lanes
  uint64_t active = 0;        ///< lanes that execute the current operation

  // --- Values ---

  Lanes &lanes(mlir::Value value) { return values[kernel.numberOf(value)]; }
  const Cell *of(mlir::Value value, unsigned lane) { return lanes(value).of(lane); }
  Cell *result(mlir::Operation *op, unsigned lane, unsigned number = 0) {
    return lanes(op->getResult(number)).of(lane);
  }
  /// The storage of a slot.
  Lanes &slot(mlir::Value value);
  template <typename Body> void forLanes(Body body) {
    for (uint64_t left = active; left; left &= left - 1)
      body(unsigned(llvm::countr_zero(left)));
  }
  /// What a value must be to go on: an address, a condition. Throws Stop.
  uint64_t needed(const Cell &cell, unsigned width, const char *what) const;
  /// The thread's index in the workgroup.
  uint64_t thread(unsigned lane) const { return uint64_t(index) * size + lane; }

private:
  /// Lanes that are at one place.
  struct Path {
    mlir::Block *block;
    mlir::Operation *next;
    uint64_t lanes;
  };
  void branch(mlir::Block *to, mlir::ValueRange operands, uint64_t lanes);
  bool terminate(mlir::Operation *op);
  /// Makes the path that runs next the last one.
  void choose();

  std::vector<Path> paths;
  std::vector<Lanes> values;
  llvm::DenseMap<mlir::Value, Lanes> slots;
};

struct Workgroup {
  Workgroup(Kernel &kernel, std::array<uint32_t, 3> id);
  void run();

  Kernel &kernel;
  std::array<uint32_t, 3> id;
  Memory lds;
  llvm::DenseMap<mlir::Operation *, uint64_t> objects; ///< addresses in LDS
  uint64_t dynamicLds = 0;
};

/// Cells of a value of this type; 0: the type has none.
unsigned cellsOf(mlir::Type type);
/// Bits of one of its numbers.
unsigned widthOf(mlir::Type type);

/// The places of a tensor's cells. A plain tensor has its address alone, a buffer also what its accesses add.
struct TensorCells {
  enum : unsigned { Address, Bytes, Checked, Unchecked, Leaves };
};

// Each executes the operation for the active lanes; false: it is none of theirs.
bool runScalar(Wave &wave, mlir::Operation *op);
bool runApproximation(Wave &wave, mlir::Operation *op);
bool runVector(Wave &wave, mlir::Operation *op);
bool runAccess(Wave &wave, mlir::Operation *op);
bool runTensor(Wave &wave, mlir::Operation *op);
bool runCopy(Wave &wave, mlir::Operation *op);
bool runProduct(Wave &wave, mlir::Operation *op);
bool runWave(Wave &wave, mlir::Operation *op);
bool runIntrinsic(Wave &wave, mlir::Operation *op);

/// A tensor of one lane as a function of coordinates.
std::shared_ptr<const Function> functionOf(Wave &wave, mlir::Value tensor, unsigned lane);
/// Reads and writes elements of a view, by what its layout gives for them. A buffer gives 0 outside, and drops.
struct View {
  View(Wave &wave, mlir::Value value, unsigned lane);
  int64_t size() const { return function->domain.size(); }
  /// Of an index in the layout's order, or of a coordinate.
  int64_t place(int64_t index) const { return function->at(index); }
  int64_t place(const Tree &coordinate) const { return function->at(coordinate).number; }
  void read(int64_t place, Cell *out) const;
  void write(int64_t place, const Cell &in) const;
  /// None outside of a buffer.
  std::optional<uint64_t> address(int64_t place) const;

  Wave &wave;
  unsigned lane, bits;
  bool isFragment = false;
  std::shared_ptr<const Function> function;

private:
  mlir::Value value;
  ir::AddressSpace space = ir::AddressSpace::Global;
  const Cell *cells = nullptr;
  ir::FragmentOp fragment;
};

/// The memory of an address space.
Memory &memoryOf(Wave &wave, ir::AddressSpace space);
void loadAt(Wave &wave, ir::AddressSpace space, uint64_t address, unsigned bits, unsigned count, Cell *out);
void storeAt(Wave &wave, ir::AddressSpace space, uint64_t address, unsigned bits, unsigned count, const Cell *in);
/// One atomic change of a number in memory; the old value. `inAnyOrder`: sums of floats may be added up first.
Cell change(Wave &wave, ir::AtomicKind kind, mlir::Type type, ir::AddressSpace space, uint64_t address, const Cell &by,
            unsigned lane, bool isUsed, bool inAnyOrder = false);

} // namespace fly::reference
