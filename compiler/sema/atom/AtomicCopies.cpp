// Atoms that update memory atomically instead of replacing it: `UniversalAtomic("add", f32)` in global and shared
// memory, `BufferAtomic("add", f32)` through a buffer resource. The source is a fragment, the destination memory.
//
// An atom moves one number; f16 and bf16 are added in pairs, as the hardware does.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/atom/Families.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/elaborator/Suggest.h"

namespace fly::sema {

using ir::AddressSpace;

namespace {

constexpr llvm::StringLiteral prefix = "atomic_";

/// The names without `compare_exchange`, which takes two values.
std::vector<std::string> operationNames() {
  std::vector<std::string> out;
  for (auto &name : atomicMethods())
    if (name != "atomic_compare_exchange")
      out.push_back(name.substr(prefix.size()));
  return out;
}

/// The operation, which the atom's text has first: `UniversalAtomic("add", f32)`.
std::string methodOf(const CopyAtom &atom) { return prefix.str() + operationNames()[size_t(atom.choice)]; }

Type typeOf(const CopyAtom &atom) {
  Type scalar = Type::scalar(atom.element);
  return atom.values() == 1 ? scalar : Type::vector(atom.element, uint32_t(atom.values()));
}

Value makeAtomic(Elaborator &e, BoundCall &call) {
  const bool isBuffer = std::string_view(call.builtin->name) == "BufferAtomic";
  auto *name = call[0].as<std::string>();
  std::vector<std::string> names = operationNames();
  auto found = name ? llvm::find(names, *name) : names.end();
  if (found == names.end()) {
    diag::Choices quoted;
    for (auto &one : names)
      quoted.push_back("\"" + one + "\"");
    e.fail(call.ranges[0], diag::unknown_choice{.what = std::string("the operation of `") + call.builtin->name + "`",
                                                .choices = quoted,
                                                .found = name ? "\"" + *name + "\"" : describe(call[0])});
  }
  Type element = requireType(e, call[1], call.ranges[1], "the element type");
  if (element.isVector())
    e.fail(diag::not_a_type, call.ranges[1], {"`" + element.text() + "`, but only an element type is allowed here"});
  int64_t bits = std::max<int64_t>(32, element.format().bits);
  CachePolicy cache;
  if (isBuffer)
    cache = cachePolicyOf(e, call, 2, {target::MemoryAccess::Atomic});
  else if (call.given[2] && !call[2].isNone())
    cache.scope = scopeOf(e, call[2], call.ranges[2]);
  CopyAtom atom(isBuffer ? atom::CopyKind::BufferAtomic : atom::CopyKind::UniversalAtomic, bits, element.number,
                "\"" + *name + "\"", found - names.begin(), cache);
  // Shared memory has every operation that any memory has; operations that the destination's memory lacks are reported
  // once the destination is known.
  atomicKindOf(e, methodOf(atom), typeOf(atom), isBuffer ? AddressSpace::Global : AddressSpace::Shared, call.range);
  return makeObject<CopyAtom>(atom);
}

const Builtin universalTable[] = {
    {"UniversalAtomic", "operation, type, scope=",
     "the copy atom that atomically updates memory with the elements of a fragment: \"add\", \"max\", ...; f16 and "
     "bf16 in pairs",
     makeAtomic},
};
const Builtin atomicCopyRows[] = {
    {"BufferAtomic", "operation, type, cache=, scope=",
     "`UniversalAtomic` through a buffer resource; updates outside its bounds are dropped", makeAtomic},
};
} // namespace

std::pair<ir::AtomicKind, bool> atomicOf(Elaborator &e, const CopyAtom &atom, AddressSpace space, SourceRange range) {
  const bool isNegated = methodOf(atom) == "atomic_sub" && Type::scalar(atom.element).isFloat();
  return {atomicKindOf(e, methodOf(atom), typeOf(atom), space == AddressSpace::Buffer ? AddressSpace::Global : space,
                       range),
          isNegated};
}

llvm::ArrayRef<Builtin> universalAtomicBuiltins() { return universalTable; }
llvm::ArrayRef<Builtin> atomicCopyBuiltins() { return atomicCopyRows; }

} // namespace fly::sema
