// Operations that an object rejects unless its class overrides them. See Object.h.
#include "compiler/sema/value/Object.h"

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

Value Object::method(Elaborator &e, llvm::StringRef name, Arguments &, SourceRange range) const {
  e.fail(diag::unknown_attribute, range, {description(), name.str(), ""});
}

Value Object::call(Elaborator &e, Arguments &, SourceRange range) const {
  e.fail(diag::not_callable, range, {description()});
}

void Elaborator::refuseRunTime(const Value &value, SourceRange range) {
  auto *object = value.as<ObjectValue>();
  if (!object || !object->object->isRunTime())
    return;
  report(range, diag::isa_run_time{.what = object->object->description()})
      .help("compare with an instruction and branch to a label: `isa.s_cmp_lt_i32(i, n)`, `isa.s_cbranch_scc1(top)`");
  throw Failed{};
}

Value Object::index(Elaborator &e, const Values &items, SourceRange range) const {
  e.fail(diag::bad_index, range, {description(), items.empty() ? "`[]`" : describe(items[0])});
}

void Object::assign(Elaborator &e, const Values &, const Value &, SourceRange range, SourceRange) const {
  e.fail(diag::bad_target, range, {"an element of " + description(), ""});
}

} // namespace fly::sema
