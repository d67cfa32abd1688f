// Atoms between global memory and LDS that bypass registers, and atoms that transpose among the lanes of a wave.
//
//   BufferCopyLDS, GlobalCopyLDS   gfx9: the wave has one LDS address (m0), and its lanes write consecutively from
//                                  there
//   AsyncCopy                      gfx1250: each lane has its own addresses, in both directions
//   LDSReadTrans, GlobalReadTrans  each lane reads a row's part; what it gets is a column's
//
// Source: CDNA3 and CDNA4 ISA manuals, "Memory reads to LDS". Which lane of a transposing atom gets what is in
// compiler/atom.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/atom/Families.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/atom/TiledCopy.h"
#include "compiler/sema/prelude/Words.h"

namespace fly::sema {

using atom::CopyKind;

namespace {

// ---------------------------------------------------------------------------------------------------------
// Making them

/// The kind whose name the call has.
CopyKind kindOf(const BoundCall &call) {
  return llvm::find_if(atom::copyRows(), [&](auto &row) { return llvm::StringRef(row.name) == call.builtin->name; })
      ->kind;
}

/// The atom, if the target has it.
template <typename Has>
Value makeOn(Elaborator &e, CopyKind kind, BoundCall &call, int64_t choice, Has has, CachePolicy cache = {}) {
  Value made = makeCopyAtom(e, kind, call[0], call.ranges[0], call[1], call.ranges[1], std::move(cache));
  auto *atom = objectAs<CopyAtom>(made);
  if (!has(*atom, e.target))
    notOnTarget(e, "`" + atom->text() + "`", call.range, [&](auto &target) { return has(*atom, target); });
  return makeObject<CopyAtom>(atom->kind, atom->bits, atom->element, "", choice, atom->cache);
}

Value makeDirect(Elaborator &e, BoundCall &call) {
  return makeOn(
      e, kindOf(call), call, 0,
      [](auto &atom, auto &target) { return target.has(atom.bits == 32 ? "lds_dma_b32" : "lds_dma_b128"); },
      cachePolicyOf(e, call, 2, {target::MemoryAccess::Load}));
}

Value makeAsync(Elaborator &e, BoundCall &call) {
  return makeOn(
      e, CopyKind::Async, call, 0, [](auto &, auto &target) { return target.has("async_lds"); },
      cachePolicyOf(e, call, 2, {target::MemoryAccess::Load, target::MemoryAccess::Store}));
}

Value makeTransposing(Elaborator &e, BoundCall &call) {
  const CopyKind which = kindOf(call);
  const atom::CopyRow &kind = atom::row(which);
  const bool isShared = which == CopyKind::LdsTransposing;
  auto widthOn = [&](unsigned element, auto &target) -> int64_t { // 0: none
    if (element > 16)
      return 0;
    bool isWide = target.waveSize == 32 && element == 16; // gfx12 fills the registers of an operand of 16x16
    const char *feature = isShared      ? "lds_transpose_load"
                          : element < 8 ? "global_load_tr4_b64"
                                        : "global_transpose_load";
    return !target.has(feature) ? 0 : element == 6 ? 96 : isWide ? 128 : 64;
  };
  if (Type type = requireType(e, call[1], call.ranges[1], "the element type"); !type.isVector()) {
    const unsigned element = type.format().bits;
    if (element > 16)
      e.fail(diag::wrong_value, call.ranges[1],
             {std::string("the element of a `") + kind.name + "`", "a type of 4, 6, 8 or 16 bits",
              "`" + type.text() + "` of " + std::to_string(element) + " bits"});
    const int64_t width = widthOn(element, e.target);
    if (auto given = toInt64(call[0]); given && width && *given != width && llvm::is_contained(kind.bits, *given))
      e.report(
           diag::wrong_value, call.ranges[0],
           {"the width of a `" + std::string(kind.name) + "` of `" + type.text() + "` on " + std::string(e.target.name),
            std::to_string(width), std::to_string(*given)})
          .help("use `" + std::string(kind.name) + "(" + std::to_string(width) + ", " + type.text() + ")`"),
          throw Failed{};
  }
  return makeOn(e, which, call, e.target.waveSize, [&](auto &atom, auto &target) {
    return widthOn(host::format(atom.element).bits, target) == atom.bits;
  });
}

Value tiledCopyInto(Elaborator &e, BoundCall &call) {
  std::shared_ptr<const CopyAtom> atom;
  if (objectAs<CopyAtom>(call[0]))
    atom = std::static_pointer_cast<const CopyAtom>(call[0].as<ObjectValue>()->object);
  else
    e.fail(call.ranges[0],
           diag::copy_atom_expected{.what = diag::argument("atom", call.builtin->name), .found = describe(call[0])});
  int64_t threads = requireInt(e, call[2], call.ranges[2], "the number of threads");
  return makeTiledCopyInto(e, atom, call[1], threads, call.range, call.ranges[1], call.ranges[2]);
}

const Builtin ldsCopyRows[] = {
    {"BufferCopyLDS", "bits, type, cache=, scope=",
     "the copy atom from a buffer to LDS that bypasses registers; the lanes of a wave write consecutive places",
     makeDirect},
    {"GlobalCopyLDS", "bits, type, cache=, scope=",
     "the copy atom from global memory to LDS that bypasses registers; the lanes of a wave write consecutive places",
     makeDirect},
    {"AsyncCopy", "bits, type, cache=, scope=",
     "the copy atom between global memory and LDS that bypasses registers; each lane has its own addresses", makeAsync},
    {"LDSReadTrans", "bits, type", "the copy atom that reads LDS and transposes among the lanes of a wave",
     makeTransposing},
    {"GlobalReadTrans", "bits, type", "the copy atom that reads global memory and transposes among the lanes of a wave",
     makeTransposing},
    {"tiled_copy_into", "atom, tensor, threads",
     "a tiled copy whose threads follow the order of the destination in memory, which may be swizzled", tiledCopyInto},
};
} // namespace

llvm::ArrayRef<Builtin> ldsCopyBuiltins() { return ldsCopyRows; }

} // namespace fly::sema
