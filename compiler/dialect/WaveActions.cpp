// The table of `fly.wave`, its verifier and the text of its immediates.
//
// Source of names and operands: llvm/include/llvm/IR/IntrinsicsAMDGPU.td of LLVM 22.
#include "compiler/dialect/WaveActions.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
namespace fly::ir {

static constexpr WaveActionInfo actionRows[] = {
    // old, x; control, row mask, bank mask, bound_ctrl
    {WaveAction::Dpp, "llvm.amdgcn.update.dpp", 2, "iiib"},
    {WaveAction::Dpp8, "llvm.amdgcn.mov.dpp8", 1, "i"},             // x; eight selectors of three bits
    {WaveAction::Bpermute, "llvm.amdgcn.ds.bpermute", 2, ""},       // 4 * lane to read from, x
    {WaveAction::Permute, "llvm.amdgcn.ds.permute", 2, ""},         // 4 * lane to write to, x
    {WaveAction::Swizzle, "llvm.amdgcn.ds.swizzle", 1, "i"},        // x; pattern
    {WaveAction::ReadLane, "llvm.amdgcn.readlane", 2, "", 1, true}, // x, lane
    {WaveAction::ReadFirstLane, "llvm.amdgcn.readfirstlane", 1, "", 1, true},
    {WaveAction::WriteLane, "llvm.amdgcn.writelane", 3, "", 1, false, true}, // value, lane, what the others keep
    {WaveAction::Ballot, "llvm.amdgcn.ballot", 1, "", 1, true},
    {WaveAction::MbcntLo, "llvm.amdgcn.mbcnt.lo", 2, "", 1, false, true},
    {WaveAction::MbcntHi, "llvm.amdgcn.mbcnt.hi", 2, "", 1, false, true},
    // old, x, selectors of lanes 0-7 and 8-15; fi, bound_ctrl
    {WaveAction::Permlane16, "llvm.amdgcn.permlane16", 4, "bb"},
    {WaveAction::PermlaneX16, "llvm.amdgcn.permlanex16", 4, "bb"},
    {WaveAction::Permlane16Var, "llvm.amdgcn.permlane16.var", 3, "bb"}, // old, x, selector; fi, bound_ctrl
    {WaveAction::PermlaneX16Var, "llvm.amdgcn.permlanex16.var", 3, "bb"},
    {WaveAction::Permlane64, "llvm.amdgcn.permlane64", 1, ""},
    {WaveAction::Permlane16Swap, "llvm.amdgcn.permlane16.swap", 2, "bb", 2}, // x, y; fi, bound_ctrl
    {WaveAction::Permlane32Swap, "llvm.amdgcn.permlane32.swap", 2, "bb", 2},
    {WaveAction::PermlaneBcast, "llvm.amdgcn.permlane.bcast", 3, ""}, // x, lane or distance, size of groups
    {WaveAction::PermlaneUp, "llvm.amdgcn.permlane.up", 3, ""},
    {WaveAction::PermlaneDown, "llvm.amdgcn.permlane.down", 3, ""},
    {WaveAction::PermlaneXor, "llvm.amdgcn.permlane.xor", 3, ""},
    {WaveAction::PermlaneIdxGen, "llvm.amdgcn.permlane.idx.gen", 2, ""},
};

const WaveActionInfo &info(WaveAction action) {
  const WaveActionInfo &row = actionRows[static_cast<unsigned>(action)];
  assert(row.action == action && "the table is in the order of the enumeration");
  return row;
}

LogicalResult ExactOp::verify() {
  if (getFiles().size() != getNumResults() + getNumOperands())
    return emitOpError() << "has " << getFiles().size() << " files for " << getNumResults() + getNumOperands()
                         << " results and operands";
  if (getFiles().find_first_not_of("vas") != StringRef::npos)
    return emitOpError() << "has a file that is none of `v`, `a` and `s`: " << getFiles();
  return success();
}

LogicalResult WaveOp::verify() {
  const WaveActionInfo &row = info(getAction());
  auto count = [&](StringRef what, size_t found, size_t wanted) -> LogicalResult {
    if (found == wanted)
      return success();
    return emitOpError() << "`" << stringifyWaveAction(getAction()) << "` has " << wanted << " " << what << ", not "
                         << found;
  };
  if (failed(count("operands", getOperands().size(), row.operands)) ||
      failed(count("immediates", getImmediates().size(), StringRef(row.immediates).size())) ||
      failed(count("results", getNumResults(), row.results)))
    return failure();
  for (auto [letter, value] : llvm::zip(StringRef(row.immediates), getImmediates()))
    if (letter == 'b' && value != 0 && value != 1)
      return emitOpError() << "a flag is 0 or 1, not " << value;
  bool ballot = getAction() == WaveAction::Ballot;
  auto fits = [&](Type type, bool isResult) {
    if (!ballot)
      return type.isInteger(32);
    return isResult ? type.isInteger(32) || type.isInteger(64) : type.isInteger(1);
  };
  for (Value operand : getOperands())
    if (!fits(operand.getType(), false))
      return emitOpError() << "operands are " << (ballot ? "i1" : "i32") << ", not " << operand.getType();
  for (Type type : getResultTypes())
    if (!fits(type, true))
      return emitOpError() << "results are " << (ballot ? "i32 or i64" : "i32") << ", not " << type;
  return success();
}

ParseResult parseImmediates(OpAsmParser &parser, DenseI32ArrayAttr &immediates) {
  SmallVector<int32_t> values;
  if (succeeded(parser.parseOptionalLSquare())) {
    auto one = [&] { return parser.parseInteger(values.emplace_back()); };
    if (parser.parseCommaSeparatedList(one) || parser.parseRSquare())
      return failure();
  }
  immediates = parser.getBuilder().getDenseI32ArrayAttr(values);
  return success();
}

void printImmediates(OpAsmPrinter &printer, WaveOp, DenseI32ArrayAttr immediates) {
  if (immediates.empty())
    return;
  printer << '[';
  llvm::interleaveComma(immediates.asArrayRef(), printer);
  printer << ']';
}

} // namespace fly::ir
