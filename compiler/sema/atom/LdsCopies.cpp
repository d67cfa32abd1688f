// Atoms between global memory and LDS that pass by the registers, and atoms that transpose among the lanes of a wave.
//
//   BufferCopyLDS, GlobalCopyLDS   gfx9: the wave has one LDS address (m0), its lanes write there one behind the other
//   AsyncCopy                      gfx1250: each lane has addresses of its own, in both directions
//   LDSReadTrans, GlobalReadTrans  each lane reads a row's part; what it gets is a column's
//
// Sources: CDNA3 and CDNA4 ISA manuals, "Memory reads to LDS" and "DS_READ_B64_TR_B16"; RDNA4 ISA manual 11.6.2 and LLVM's
// IntrinsicsAMDGPU.td. Which lane gets what was taken from the emulator's tables (runtime/emulator/ops/memory/LdsOps.cpp,
// TransposeLoadOps.cpp), which name theirs.
#include "compiler/sema/atom/BufferCopies.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/atom/TiledCopy.h"
#include "compiler/sema/prelude/Words.h"

namespace fly::sema {

using ir::AddressSpace;
using layout::IntTuple;
using layout::Layout;

namespace {

/// The side of a call that must lie in a space.
const TensorValue &require(Elaborator &e, const CopyCall &call, const Value &piece, AddressSpace space, bool isSource, llvm::StringRef what) {
  if (auto *tensor = pieceIn(piece, space))
    return *tensor;
  e.fail(diag::wrong_argument_type, isSource ? call.sourceRange : call.destinationRange,
         {"copy", what.str() + " for `" + call.atom.text() + "`", isSource ? "source" : "destination", describe(piece)});
}

// ---------------------------------------------------------------------------------------------------------
// Past the registers

/// Where a predicate is off: from a buffer LDS gets 0 (`fill=0`), else the lane stays out of it.
void emitDirect(Elaborator &e, const CopyCall &call, const TensorValue &source, const TensorValue &destination, bool ownPlace) {
  checkPiece(e, call.atom, source, false, call.sourceRange);
  checkPiece(e, call.atom, destination, true, call.destinationRange);
  bool isBuffer = pieceIn(call.source, AddressSpace::Buffer);
  bool isZero = call.fill && toInt64(*call.fill) == 0;
  if (call.fill && !(isZero && isBuffer))
    e.fail(diag::wrong_value, call.range, {"`fill` of `" + call.atom.text() + "`", isBuffer ? "0, which is what lies outside of a buffer" : "left out: what is off is not touched", isZero ? "0" : describe(*call.fill)});
  const bool isStore = pieceIn(call.source, AddressSpace::Shared);
  const uint32_t cache = cacheBitsOf(e, call.atom, isStore ? target::MemoryAccess::Store : target::MemoryAccess::Load, call.range);
  auto move = [&](mlir::Value predicate) {
    auto op = ir::DirectCopyOp::create(e.ir(call.range, "copy"), e.location(call.range), source.value, destination.value, predicate, ownPlace, cache);
    if (!ownPlace && !e.trialDepth)
      e.notes.waveOperands.push_back({op, 1, call.destinationRange, "destination", call.atom.kind->name});
    return Value();
  };
  if (!call.predicate || isZero)
    move(call.predicate ? call.predicate->value : mlir::Value());
  else
    e.branch(*call.predicate, [&] { return move({}); }, [] { return Value(); }, call.range);
}

void emitBufferToLds(Elaborator &e, const CopyCall &call) {
  auto &source = require(e, call, call.source, AddressSpace::Buffer, true, "a buffer");
  emitDirect(e, call, source, require(e, call, call.destination, AddressSpace::Shared, false, "shared memory"), false);
}

void emitGlobalToLds(Elaborator &e, const CopyCall &call) {
  auto &source = require(e, call, call.source, AddressSpace::Global, true, "global memory");
  emitDirect(e, call, source, require(e, call, call.destination, AddressSpace::Shared, false, "shared memory"), false);
}

void emitAsync(Elaborator &e, const CopyCall &call) {
  bool fromShared = pieceIn(call.source, AddressSpace::Shared);
  auto &source = fromShared ? *pieceIn(call.source, AddressSpace::Shared) : require(e, call, call.source, AddressSpace::Global, true, "global or shared memory");
  auto &destination = require(e, call, call.destination, fromShared ? AddressSpace::Global : AddressSpace::Shared, false, fromShared ? "global memory" : "shared memory");
  emitDirect(e, call, source, destination, true);
}

// ---------------------------------------------------------------------------------------------------------
// Transposes

Layout layoutOf(const char *text) { return *layout::parseLayout(text); }

/// (thread, value) of an atom whose thread t reads `values` elements at t * values.
Layout rows(int64_t threads, int64_t values) {
  return Layout(IntTuple(std::vector<IntTuple>{threads, values}), IntTuple(std::vector<IntTuple>{values, 1}));
}

/// `choice` of these atoms: the lanes of a wave of the target, which tells the forms apart.
CopyLayouts transposeLayouts(const CopyAtom &atom) {
  int64_t values = atom.values();
  if (atom.choice == 64) { // gfx950: 16 columns of a row after the other
    Layout columns(IntTuple(std::vector<IntTuple>{16, values}), IntTuple(std::vector<IntTuple>{1, 16}));
    return {16, rows(16, values), columns, columns};
  }
  struct Form { unsigned bits; int64_t threads; const char *columns; };
  static const Form forms[] = {
      {16, 8, "(8,8):(1,8)"},                          // 8x8 among 8 lanes
      {8, 16, "((8,2),(4,2)):((1,32),(8,64))"},        // 8x8 twice among 16 lanes, runs of four rows taking turns
      {6, 32, "((16,2),(4,4)):((1,64),(16,128))"},     // 16 columns for each half of the wave, runs of four rows taking turns
      {4, 32, "((16,2),(8,2)):((1,128),(16,256))"},    // the same in runs of eight rows
  };
  const Form &form = *llvm::find_if(forms, [&](auto &form) { return form.bits == host::format(atom.element).bits; });
  Layout columns = layoutOf(form.columns);
  return {form.threads, rows(form.threads, values), columns, columns};
}

void emitTransposing(Elaborator &e, const CopyCall &call) {
  bool isShared = std::string_view(call.atom.kind->name) == "LDSReadTrans";
  auto &source = require(e, call, call.source, isShared ? AddressSpace::Shared : AddressSpace::Global, true, isShared ? "shared memory" : "global memory");
  if (!objectAs<Fragment>(call.destination))
    e.fail(diag::wrong_argument_type, call.destinationRange, {"copy", "a fragment for `" + call.atom.text() + "`", "destination", describe(call.destination)});
  if (call.predicate)
    e.report(diag::wrong_argument_type, call.range, {"copy", "no predicate for `" + call.atom.text() + "`, whose lanes exchange what they read", "pred", "one"})
        .help("read all of it, and drop what is outside when it is written"), throw Failed{};
  checkPiece(e, call.atom, source, false, call.sourceRange);
  auto elements = ir::TransposingLoadOp::create(e.ir(call.range, "copy"), e.location(call.range), source.value);
  if (!e.trialDepth) // gfx950 exchanges among 16 lanes; RDNA4 ISA manual, 11.6.2: EXEC is all ones or zero
    analysis::noteCollective(e.notes, elements, e.target.waveSize == 64 ? 16 : e.target.waveSize, call.range, call.atom.text());
  storePiece(e, call.atom, call.destination, elements, call.destinationRange);
}

// ---------------------------------------------------------------------------------------------------------
// Making them

const CopyKind bufferToLds = {"BufferCopyLDS", "", {32, 96, 128}, nullptr, emitBufferToLds, true};
const CopyKind globalToLds = {"GlobalCopyLDS", "", {32, 96, 128}, nullptr, emitGlobalToLds, true};
const CopyKind async = {"AsyncCopy", "", {8, 32, 64, 128}, nullptr, emitAsync};
const CopyKind ldsTransposing = {"LDSReadTrans", "", {64, 96, 128}, transposeLayouts, emitTransposing};
const CopyKind globalTransposing = {"GlobalReadTrans", "", {64, 96, 128}, transposeLayouts, emitTransposing};

/// The atom, if the target has it.
template <typename Has> Value makeOn(Elaborator &e, const CopyKind &kind, BoundCall &call, int64_t choice, Has has, CachePolicy cache = {}) {
  Value made = makeCopyAtom(e, kind, call[0], call.ranges[0], call[1], call.ranges[1], std::move(cache));
  auto *atom = objectAs<CopyAtom>(made);
  if (!has(*atom, e.target))
    notOnTarget(e, "`" + atom->text() + "`", call.range, [&](auto &target) { return has(*atom, target); });
  return makeObject<CopyAtom>(atom->kind, atom->bits, atom->element, "", choice, atom->cache);
}

Value makeDirect(Elaborator &e, BoundCall &call) {
  bool isBuffer = std::string_view(call.builtin->name) == "BufferCopyLDS";
  return makeOn(e, isBuffer ? bufferToLds : globalToLds, call, 0, [](auto &atom, auto &target) {
    return target.has(atom.bits == 32 ? "lds_dma_b32" : "lds_dma_b128");
  }, cachePolicyOf(e, call, 2, {target::MemoryAccess::Load}));
}

Value makeAsync(Elaborator &e, BoundCall &call) {
  return makeOn(e, async, call, 0, [](auto &, auto &target) { return target.has("async_lds"); },
                cachePolicyOf(e, call, 2, {target::MemoryAccess::Load, target::MemoryAccess::Store}));
}

Value makeTransposing(Elaborator &e, BoundCall &call) {
  bool isShared = std::string_view(call.builtin->name) == "LDSReadTrans";
  const CopyKind &kind = isShared ? ldsTransposing : globalTransposing;
  auto widthOn = [&](unsigned element, auto &target) -> int64_t { // 0: none
    if (element > 16)
      return 0;
    bool isWide = target.waveSize == 32 && element == 16; // gfx12 fills the registers of an operand of 16x16
    const char *feature = isShared ? "lds_transpose_load" : element < 8 ? "global_load_tr4_b64" : "global_transpose_load";
    return !target.has(feature) ? 0 : element == 6 ? 96 : isWide ? 128 : 64;
  };
  if (Type type = e.requireType(call[1], call.ranges[1], "the element type"); !type.isVector()) {
    const unsigned element = type.format().bits;
    if (element > 16)
      e.fail(diag::wrong_value, call.ranges[1], {std::string("the element of a `") + kind.name + "`", "of 4, 6, 8 or 16 bits", "`" + type.text() + "` of " + std::to_string(element)});
    const int64_t width = widthOn(element, e.target);
    if (auto given = toInt64(call[0]); given && width && *given != width && llvm::is_contained(kind.bits, *given))
      e.report(diag::wrong_value, call.ranges[0], {"the width of a `" + std::string(kind.name) + "` of `" + type.text() + "` on " + std::string(e.target.name), std::to_string(width), std::to_string(*given)})
          .help("`" + std::string(kind.name) + "(" + std::to_string(width) + ", " + type.text() + ")`"), throw Failed{};
  }
  return makeOn(e, kind, call, e.target.waveSize, [&](auto &atom, auto &target) { return widthOn(host::format(atom.element).bits, target) == atom.bits; });
}

Value tiledCopyInto(Elaborator &e, BoundCall &call) {
  std::shared_ptr<const CopyAtom> atom;
  if (objectAs<CopyAtom>(call[0]))
    atom = std::static_pointer_cast<const CopyAtom>(call[0].as<ObjectValue>()->object);
  else
    e.fail(diag::wrong_argument_type, call.ranges[0], {call.builtin->name, "a copy atom", "atom", describe(call[0])});
  int64_t threads = e.requireInt(call[2], call.ranges[2], "the number of threads");
  return makeTiledCopyInto(e, atom, call[1], threads, call.range, call.ranges[1], call.ranges[2]);
}

const Builtin table[] = {
    {"BufferCopyLDS", "bits, type, cache=, scope=", "the copy atom from a buffer to LDS past the registers: a wave's lanes write one behind the other", makeDirect},
    {"GlobalCopyLDS", "bits, type, cache=, scope=", "the copy atom from global memory to LDS past the registers: a wave's lanes write one behind the other", makeDirect},
    {"AsyncCopy", "bits, type, cache=, scope=", "the copy atom between global memory and LDS past the registers, each lane with addresses of its own", makeAsync},
    {"LDSReadTrans", "bits, type", "the copy atom that reads LDS and transposes among the lanes of a wave", makeTransposing},
    {"GlobalReadTrans", "bits, type", "the copy atom that reads global memory and transposes among the lanes of a wave", makeTransposing},
    {"tiled_copy_into", "atom, tensor, threads", "a tiled copy whose threads have the order of the destination in memory, also a swizzled one", tiledCopyInto},
};
} // namespace

llvm::ArrayRef<Builtin> ldsCopyBuiltins() { return table; }

} // namespace fly::sema
