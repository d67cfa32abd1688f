// The table of WaitStates.h. A row about matrix products with the same shape on both machines has the passes that it is
// about; distances of CDNA4 are one longer than those of CDNA3 for products of more than two passes.
#include "compiler/isa/WaitStates.h"

namespace fly::isa {

namespace {

using F = WaitStateFirst;
using S = WaitStateSecond;
using M = WaitStateMatch;

constexpr uint8_t gfx942 = 1, gfx950 = 2, both = 3;
constexpr const char *manual = "CDNA3 and CDNA4 ISA 4.5, table 11; LLVM", *manual4 = "CDNA4 ISA 4.5, table 11; LLVM",
                     *matrix = "CDNA3 and CDNA4 ISA 7.6; LLVM", *lane = "CDNA3 and CDNA4 ISA 4.5, table 11",
                     *matrix3 = "CDNA3 ISA 7.6; LLVM", *matrix4 = "CDNA4 ISA 7.6; LLVM";
/// Of table 11: rows whose second instructions are named one by one.
constexpr const char *noBufferLoad = "table 11 names no buffer load to LDS: LLVM alone keeps the distance",
                     *noReadfirstlane = "table 11 names only v_readlane: LLVM alone keeps the distance";
/// LLVM 22 looks back 19 states at most; the manual demands 20 after 16 passes.
constexpr const char *longest4 = "CDNA4 ISA 7.6 (20 after 16 passes); LLVM";

/// A matrix product of 2, 4, 8 and 16 passes.
#define FLY_PASSES(name, machines, first, second, match, p2, p4, p8, p16, source)                                      \
  {name, machines, first, second, match, 2, p2, source}, {name, machines, first, second, match, 4, p4, source},        \
      {name, machines, first, second, match, 8, p8, source}, {                                                         \
    name, machines, first, second, match, 16, p16, source                                                              \
  }

constexpr WaitStateRule stateRules[] = {
    {"setreg", both, F::ModeBySetreg, S::Getreg, M::Overlap, 0, 2, manual},
    {"setreg", both, F::ModeBySetreg, S::Setreg, M::Overlap, 0, 2, manual},
    {"zero-flag", both, F::ScalarByValu, S::ZeroFlag, M::Overlap, 0, 5, lane},
    {"zero-flag", both, F::ExecByValu, S::ZeroFlag, M::Overlap, 0, 5, lane},
    {"lane-select", both, F::ScalarByValu, S::LaneSelect, M::Overlap, 0, 4, manual},
    {"div-fmas", both, F::ScalarByValu, S::DivFmas, M::Overlap, 0, 4, manual},
    {"store-data", both, F::WideStoreData, S::ValuWrites, M::Overlap, 0, 2, manual},
    {"memory-scalar", both, F::ScalarByValu, S::MemoryScalar, M::Overlap, 0, 5, manual},
    {"m0", both, F::M0BySalu, S::M0Reader, M::Overlap, 0, 1, manual},
    {"m0", both, F::M0BySalu, S::BufferToLds, M::Overlap, 0, 1, "LLVM", noBufferLoad},
    {"dpp", both, F::VectorByValu, S::DppReads, M::Overlap, 0, 2, manual},
    {"dpp", both, F::ExecByValu, S::ExecOfDpp, M::Overlap, 0, 5, manual},
    {"constant", both, F::ScalarByValu, S::Constant, M::Overlap, 0, 2, manual},
    {"constant", both, F::ExecByValu, S::Constant, M::Overlap, 0, 2, lane},
    {"exec-lane", both, F::ExecByValu, S::ExecOfLane, M::Overlap, 0, 4, manual},
    {"readlane", both, F::VectorByValu, S::ReadlaneReads, M::Overlap, 0, 1, manual},
    {"readlane", both, F::VectorByValu, S::ReadfirstlaneReads, M::Overlap, 0, 1, "LLVM", noReadfirstlane},
    {"part", both, F::PartByValu, S::ValuReads, M::Overlap, 0, 1, manual},
    {"transcendental", both, F::Transcendental, S::PlainValuReads, M::Overlap, 0, 1, manual},
    {"permlane", gfx950, F::ExecByValu, S::ExecOfPermlane, M::Overlap, 0, 4, manual4},
    {"permlane", gfx950, F::VectorByValu, S::PermlaneReads, M::Overlap, 0, 2, manual4},

    {"matrix-source", both, F::VectorByValu, S::MatrixReads, M::Overlap, 0, 2, matrix},
    {"matrix-exec", both, F::ExecByValu, S::ExecOfMatrix, M::Overlap, 0, 4, matrix},
    {"dot", both, F::Dot, S::DotReadsAB, M::SameOp, 0, 3, matrix},
    {"dot", both, F::Dot, S::ValuReads, M::OtherOp, 0, 3, matrix},
    {"dot", both, F::Dot, S::ValuWrites, M::OtherOp, 0, 3, matrix},
    {"dot", both, F::Dot, S::MemoryReads, M::OtherOp, 0, 3, matrix},

    {"matrix-result", both, F::Xdl, S::XdlReadsC, M::Same, 2, 2, matrix},
    {"matrix-result", both, F::Xdl, S::SgemmReadsC, M::Same, 2, 2, matrix},
    FLY_PASSES("matrix-result", gfx942, F::Xdl, S::XdlReadsC, M::Partly, 3, 5, 9, 17, matrix3),
    FLY_PASSES("matrix-result", gfx950, F::Xdl, S::XdlReadsC, M::Partly, 4, 6, 10, 18, matrix4),
    FLY_PASSES("matrix-result", gfx942, F::Xdl, S::SgemmReadsC, M::Partly, 3, 5, 9, 17, matrix3),
    FLY_PASSES("matrix-result", gfx950, F::Xdl, S::SgemmReadsC, M::Partly, 3, 6, 10, 18, matrix4),
    FLY_PASSES("matrix-result", gfx942, F::Xdl, S::Dgemm16ReadsC, M::Partly, 3, 5, 9, 17, matrix3),
    FLY_PASSES("matrix-result", gfx950, F::Xdl, S::Dgemm16ReadsC, M::Partly, 3, 6, 10, 18, matrix4),
    FLY_PASSES("matrix-result", gfx942, F::Xdl, S::Dgemm4ReadsC, M::Partly, 3, 5, 9, 17, matrix3),
    FLY_PASSES("matrix-result", gfx950, F::Xdl, S::Dgemm4ReadsC, M::Partly, 3, 6, 10, 18, matrix4),
    FLY_PASSES("matrix-result", gfx942, F::Xdl, S::MatrixReadsAB, M::Overlap, 5, 7, 11, 19, matrix3),
    FLY_PASSES("matrix-result", gfx950, F::Xdl, S::MatrixReadsAB, M::Overlap, 5, 8, 12, 19, longest4),
    FLY_PASSES("matrix-result", gfx942, F::Xdl, S::MemoryReads, M::Overlap, 5, 7, 11, 19, matrix3),
    FLY_PASSES("matrix-result", gfx950, F::Xdl, S::MemoryReads, M::Overlap, 5, 8, 12, 19, longest4),
    FLY_PASSES("matrix-result", gfx942, F::Xdl, S::ValuReads, M::Overlap, 5, 7, 11, 19, matrix3),
    FLY_PASSES("matrix-result", gfx950, F::Xdl, S::ValuReads, M::Overlap, 5, 8, 12, 19, longest4),
    FLY_PASSES("matrix-result", gfx942, F::Xdl, S::ValuWrites, M::Overlap, 5, 7, 11, 19, matrix3),
    FLY_PASSES("matrix-result", gfx950, F::Xdl, S::ValuWrites, M::Overlap, 5, 8, 12, 19, longest4),

    {"matrix-result", both, F::Sgemm, S::SgemmReadsC, M::Same, 2, 2, matrix},
    FLY_PASSES("matrix-result", both, F::Sgemm, S::SgemmReadsC, M::Partly, 2, 4, 8, 16, matrix),
    FLY_PASSES("matrix-result", both, F::Sgemm, S::Dgemm16ReadsC, M::Partly, 2, 4, 8, 16, matrix),
    FLY_PASSES("matrix-result", both, F::Sgemm, S::Dgemm4ReadsC, M::Partly, 2, 4, 8, 16, matrix),
    FLY_PASSES("matrix-result", both, F::Sgemm, S::MatrixReadsAB, M::Overlap, 4, 6, 10, 18, matrix),
    FLY_PASSES("matrix-result", both, F::Sgemm, S::MemoryReads, M::Overlap, 4, 6, 10, 18, matrix),
    FLY_PASSES("matrix-result", both, F::Sgemm, S::ValuReads, M::Overlap, 4, 6, 10, 18, matrix),
    FLY_PASSES("matrix-result", both, F::Sgemm, S::ValuWrites, M::Overlap, 4, 6, 10, 18, matrix),

    {"matrix-result", gfx942, F::Dgemm16, S::SgemmReadsC, M::Partly, 0, 9, matrix3},
    {"matrix-result", gfx950, F::Dgemm16, S::SgemmReadsC, M::Partly, 0, 17, matrix4},
    {"matrix-result", gfx942, F::Dgemm16, S::Dgemm16ReadsC, M::Partly, 0, 9, matrix3},
    {"matrix-result", gfx950, F::Dgemm16, S::Dgemm16ReadsC, M::Partly, 0, 17, matrix4},
    {"matrix-result", gfx942, F::Dgemm16, S::Dgemm4ReadsC, M::Partly, 0, 9, matrix3},
    {"matrix-result", gfx950, F::Dgemm16, S::Dgemm4ReadsC, M::Partly, 0, 17, matrix4},
    {"matrix-result", gfx942, F::Dgemm16, S::MatrixReadsAB, M::Overlap, 0, 11, matrix3},
    {"matrix-result", gfx950, F::Dgemm16, S::MatrixReadsAB, M::Overlap, 0, 19, matrix4},
    {"matrix-result", gfx942, F::Dgemm16, S::ValuReads, M::Overlap, 0, 11, matrix3},
    {"matrix-result", gfx950, F::Dgemm16, S::ValuReads, M::Overlap, 0, 19, matrix4},
    {"matrix-result", both, F::Dgemm16, S::ValuWrites, M::Overlap, 0, 11, "CDNA3 ISA 7.6; LLVM (CDNA4 ISA: 19)"},
    {"matrix-result", both, F::Dgemm16, S::MemoryReads, M::Overlap, 0, 18, matrix},
    {"matrix-result", both, F::Dgemm4, S::Dgemm4ReadsC, M::Overlap, 0, 4, matrix},
    {"matrix-result", both, F::Dgemm4, S::SgemmReadsC, M::Partly, 0, 4, matrix},
    {"matrix-result", both, F::Dgemm4, S::Dgemm16ReadsC, M::Partly, 0, 4, matrix},
    {"matrix-result", both, F::Dgemm4, S::MatrixReadsAB, M::Overlap, 0, 6, matrix},
    {"matrix-result", both, F::Dgemm4, S::ValuReads, M::Overlap, 0, 6, matrix},
    {"matrix-result", both, F::Dgemm4, S::ValuWrites, M::Overlap, 0, 6, matrix},
    {"matrix-result", both, F::Dgemm4, S::MemoryReads, M::Overlap, 0, 9, matrix},

    FLY_PASSES("matrix-accumulator", both, F::XdlReadsC, S::ValuWrites, M::Overlap, 1, 3, 7, 15, matrix),
};

} // namespace

llvm::ArrayRef<WaitStateRule> waitStateRules() { return stateRules; }

} // namespace fly::isa
