// What the front end notes of a kernel while it emits it, for the analyses of the whole kernel: operations with their
// places in the source, and what the source calls them.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/target/Target.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fly::analysis {

struct Notes {
  /// `lanes`: of an aligned group that does it together; 0: the whole workgroup or cluster.
  struct Barrier { mlir::Operation *op; SourceRange range; std::string name; int64_t lanes = 0; };
  /// Barriers, and operations that some lanes do together (`noteCollective`).
  std::vector<Barrier> barriers;
  /// Operands that must be the same in all lanes of a wave: `what` ("lane") of `name`.
  struct WaveOperand { mlir::Operation *op; unsigned operand; SourceRange range; std::string what, name; };
  std::vector<WaveOperand> waveOperands;
  using Places = std::vector<std::pair<mlir::Operation *, SourceRange>>;
  Places accesses;      ///< single accesses of tensors, and partitions of tiled copies
  /// Memory that a copy accesses without a predicate: one of its operands; `name` is its tensor's.
  struct Piece { mlir::Operation *op; mlir::Value view; SourceRange range; std::string name; };
  std::vector<Piece> pieces;
  Places slices;        ///< what computes the number of a thread for `get_slice`
  Places farCuts;       ///< parts that were cut out of a buffer beyond 2 GiB
  Places farAccesses;   ///< views of such a buffer that are accessed
  std::map<mlir::Operation *, SourceRange> conditions; ///< of branches, for messages
};

/// One kernel under analysis: what is read, and where an analysis reports.
struct Context {
  ir::KernelOp kernel;
  const target::Target &target;
  DiagnosticEngine &diags;
  Notes &notes;
  std::function<mlir::Location(SourceRange)> location; ///< of operations that a rewrite makes
  unsigned failures = 0; ///< errors, also those not shown because the same place was reported before

  DiagnosticBuilder report(diag::Kind kind, SourceRange range, std::initializer_list<std::string> args);
};

/// Whether -Wperf asks for what accesses cost.
bool wantsPerformance(const DiagnosticEngine &diags);

/// The first step on the way to a view that made coordinates outside of what it divided; null if there is none.
ir::RearrangeOp firstRaggedStep(mlir::Value tensor);

/// A single access, if an analysis asks for it.
void noteAccess(Notes &notes, const DiagnosticEngine &diags, mlir::Operation *op, SourceRange range);

/// A view that a copy accesses without a predicate, if tiles may lead outside of its tensor.
void notePiece(Notes &notes, Notes::Piece piece);

/// What the lanes of a wave have of a tensor by a tiled copy; the copies of its parts say how they access it, if they do.
/// `owned` is the tensor by ((threads, values), rest).
struct NotedPartition {
  std::string tensor, element;     ///< names
  int64_t lanes, legal;            ///< in a wave; bits of the widest access that is legal
};
void notePartition(Notes &notes, mlir::Value owned, const NotedPartition &partition, SourceRange range);
/// The partition that `op` was noted for, in the order of notes; `index` counts them.
std::optional<NotedPartition> notedPartition(mlir::Operation *op, unsigned index);
/// `copy("auto")` moves a part of a partition: its accesses are the widest, whatever the tiled copy's atom is.
void noteTakenWide(mlir::Value part);
/// The operation of the partition that a view is a part of; null if it is of none.
mlir::Operation *partitionOf(mlir::Value part);
bool isTakenWide(mlir::Operation *op);
void forgetPartition(mlir::Operation *op);

/// Whose part `get_slice` of a tiled copy of so many threads was asked for; `copy` is equal for equal copies. `thread` is null
/// for a known number, `number`, and for one that a loop changes, where `number` is negative.
void noteSlice(Notes &notes, ir::KernelOp kernel, const std::string &copy, int64_t threads, mlir::Operation *thread, int64_t number, SourceRange range);

/// An operation that each aligned group of `lanes` lanes does together: a transposing read, or `fly.together`.
void noteCollective(Notes &notes, mlir::Operation *op, int64_t lanes, SourceRange range, std::string name);

/// Attributes of operations, until the kernel's end.
namespace noted {
inline constexpr llvm::StringLiteral slices = "taken_parts";
}
constexpr int64_t anyThread = -1;

} // namespace fly::analysis
