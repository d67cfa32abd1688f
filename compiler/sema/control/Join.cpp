// The rules of joining, and the blocks that result.
#include "compiler/sema/control/Join.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/value/Object.h"
#include "compiler/sema/memory/Pointers.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

#include <set>

namespace fly::sema {

mlir::Block *startBlock(Elaborator &e) {
  auto *here = e.kernel.builder->getInsertionBlock();
  return e.kernel.builder->createBlock(here->getParent(), std::next(here->getIterator()));
}

bool isSame(const Value &a, const Value &b) {
  if (auto *x = a.as<MachineValue>(), *y = b.as<MachineValue>(); x || y)
    return x && y && x->value == y->value && x->type == y->type;
  if (auto *x = a.as<TensorValue>(), *y = b.as<TensorValue>(); x || y)
    return x && y && x->value == y->value;
  if (auto *x = a.as<PointerValue>(), *y = b.as<PointerValue>(); x || y)
    return x && y && x->value == y->value && samePointee(*x, *y);
  if (auto *x = a.as<ArenaValue>(), *y = b.as<ArenaValue>(); x || y)
    return x && y && x->index == y->index;
  if (auto *x = a.as<ObjectValue>(), *y = b.as<ObjectValue>(); x || y)
    return x && y && (x->object == y->object || (x->object->isCompileTime() && x->object->equals(*y->object)));
  if (auto *x = a.as<LayoutValue>(), *y = b.as<LayoutValue>(); x || y)
    return x && y && (x->object == y->object || x->object->isSame(*y->object));
  if (a.storage.index() != b.storage.index() || a.parts())
    return false;
  return a.isCompileTime() && b.isCompileTime() && equal(a, b).value_or(toText(a) == toText(b));
}

namespace {

/// The first pair of values that cannot be one: shown with both.
struct Mismatch {
  const Value *first, *other;
  size_t edge;
};

class Joiner {
public:
  Joiner(Elaborator &e, std::vector<Edge> &edges, const Meeting &meeting)
      : e(e), edges(edges), meeting(meeting), loc(e.location(meeting.range)), operands(edges.size()) {
    block = startBlock(e); // the builder is still in what was elaborated last
  }

  void variables() {
    // Variables that no path has assigned since the branch are the same in all of them.
    std::set<std::string> names;
    for (auto &edge : llvm::drop_begin(edges))
      Variables::difference(edges[0].variables, edge.variables, names);
    Variables joined = edges[0].variables;
    for (auto &name : names)
      joined[name] = variable(name);
    e.frame->variables = std::move(joined);
  }

  Value value() {
    std::vector<const Value *> values;
    for (auto &edge : edges) {
      if (edge.value.is<ErrorValue>())
        throw Failed{};
      values.push_back(&edge.value);
    }
    if (auto joined = one(values))
      return *joined;
    reportValue();
    throw Failed{};
  }

  /// Ends the paths; elaboration continues where they join.
  void finish() {
    for (size_t i = 0; i < edges.size(); ++i) {
      e.kernel.builder->setInsertionPointToEnd(edges[i].block);
      mlir::cf::BranchOp::create(*e.kernel.builder, loc, block, operands[i]);
    }
    e.kernel.builder->setInsertionPointToEnd(block);
  }

private:
  Value variable(const std::string &name) {
    std::vector<const Value *> values;
    for (auto &edge : edges) {
      auto found = edge.variables.find(name);
      if (found == edge.variables.end())
        return Value(OneSidedValue{meeting.condition, meeting.what});
      if (found->second.is<ErrorValue>() || found->second.is<OneSidedValue>())
        return found->second;
      values.push_back(&found->second);
    }
    if (auto joined = one(values))
      return *joined;
    reportVariable(name);
    return Value(ErrorValue{});
  }

  std::optional<Value> refuse(const std::vector<const Value *> &values, size_t edge) {
    mismatch = {values[0], values[edge], edge};
    return std::nullopt;
  }

  std::optional<Value> one(const std::vector<const Value *> &values) {
    auto &first = *values[0];
    if (llvm::all_of(values, [&](auto *v) { return isSame(first, *v); }))
      return first;
    if (llvm::all_of(values, [](auto *v) { return v->template is<MachineValue>() || v->isNumber(); }))
      return numbers(values);
    if (llvm::all_of(values, [&](auto *v) {
          return v->template is<PointerValue>() && first.is<PointerValue>() &&
                 samePointee(*v->template as<PointerValue>(), *first.as<PointerValue>());
        }))
      return pointers(values);
    for (size_t i = 1; i < values.size() && first.parts(); ++i)
      if (!first.sameShape(*values[i]))
        return refuse(values, i);
    if (!first.parts()) { // the first that is of another type, if they are not only different values of one
      auto *type = first.as<MachineValue>();
      for (size_t i = 1; i < values.size(); ++i)
        if (auto *m = values[i]->as<MachineValue>(); !m || !type || m->type != type->type)
          return refuse(values, i);
      return refuse(values, 1);
    }
    Values parts;
    for (size_t k = 0; k < first.parts()->size(); ++k) {
      std::vector<const Value *> inner;
      for (auto *v : values)
        inner.push_back(&(*v->parts())[k]);
      auto part = one(inner);
      if (!part)
        return std::nullopt;
      parts.push_back(std::move(*part));
    }
    return first.withParts(std::move(parts));
  }

  /// The known alignment holds on all paths; memory that is read-only on one path is not written after the join.
  Value pointers(const std::vector<const Value *> &values) {
    PointerValue out = *values[0]->as<PointerValue>();
    uint32_t alignment = alignmentOf(out);
    for (auto *v : values) {
      alignment = std::min(alignment, alignmentOf(*v->as<PointerValue>()));
      if (v->as<PointerValue>()->access == Access::Read)
        out.access = Access::Read;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      e.kernel.builder->setInsertionPointToEnd(edges[i].block);
      operands[i].push_back(withAlignment(e, *values[i]->as<PointerValue>(), alignment, meeting.range).value);
    }
    out.value = block->addArgument(operands[0].back().getType(), loc);
    Value joined(out);
    joined.assigned = values.back()->assigned;
    return joined;
  }

  /// The type of the machine values; of literals alone the type of their first use, else i32, f32 or bool.
  static Type commonType(const std::vector<const Value *> &values) {
    for (auto *v : values)
      if (auto *m = v->as<MachineValue>())
        return m->type;
    for (auto *v : values)
      if (v->origin && v->origin->firstUse)
        return *v->origin->firstUse;
    auto any = [&](auto test) { return llvm::any_of(values, test); };
    bool isFloat = any([](auto *v) { return v->template is<double>(); });
    bool isBool = !any([](auto *v) { return !v->template is<bool>(); });
    return Type::scalar(isFloat ? host::Number::F32 : isBool ? host::Number::Bool : host::Number::I32);
  }

  std::optional<Value> numbers(const std::vector<const Value *> &values) {
    Type type = commonType(values);
    for (size_t i = 0; i < values.size(); ++i) {
      auto &v = *values[i];
      auto *m = v.as<MachineValue>(); // a literal becomes no other kind of number
      bool fits = m ? m->type == type : type.isFloat() || (!v.is<double>() && type.isBool() == v.is<bool>());
      if (!fits)
        return mismatch = {values[i == 0 ? 1 : 0], &v, i}, std::nullopt;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      e.kernel.builder->setInsertionPointToEnd(edges[i].block);
      operands[i].push_back(toMachine(e, *values[i], type, meeting.range).value);
    }
    Value out(MachineValue{block->addArgument(mlirType(e, type), loc), type});
    out.assigned = values.back()->assigned;
    return out;
  }

  /// The loop of run time that carries the variable, if one does.
  const Value *carriedBy(const std::string &name) const {
    for (auto &loop : llvm::reverse(e.frame->loops))
      if (auto found = loop.carried.find(name); found != loop.carried.end())
        return &found->second;
    return nullptr;
  }

  void reportVariable(const std::string &name) {
    auto &[first, other, edge] = mismatch;
    if (auto *entered = carriedBy(name)) {
      auto *changed = describe(*first) == describe(*entered) ? other : first;
      auto builder = e.report(
          changed->assigned.valid() ? changed->assigned : meeting.range,
          diag::carried_type{.name = name, .before = describe(*entered), .after = describeOther(*entered, *changed)});
      if (entered->assigned.valid())
        builder.label(entered->assigned, describe(*entered) + " here");
      builder.note("`" + name + "` is assigned in the loop and used in the next iteration, so it must keep one type");
      return;
    }
    SourceRange at = other->assigned.valid() ? other->assigned : meeting.range;
    auto builder = e.report(at, diag::branch_types{.what = "`" + name + "`",
                                                   .first = describe(*first),
                                                   .through = meeting.what,
                                                   .other = describeOther(*first, *other)});
    if (first->assigned.valid())
      builder.label(first->assigned, describe(*first) + " here");
  }

  void reportValue() {
    auto &[first, other, edge] = mismatch;
    if (meeting.what == nullptr) {                                 // a function's returns
      bool atEnd = edges[edge].range.begin == meeting.range.begin; // the end of the body returns None
      auto builder = e.report(edges[atEnd ? 0 : edge].range,
                              diag::runtime_return{.found = describe(atEnd ? *first : *other),
                                                   .where = atEnd ? "the end of the function" : "another `return`",
                                                   .other = describe(atEnd ? *other : *first)});
      if (!atEnd)
        builder.label(edges[0].range, describe(*first) + " here");
      builder.note("which one is taken is decided at run time, so that all must give values of one type");
      return;
    }
    e.report(meeting.range, diag::branch_types{.what = "the value",
                                               .first = describe(*first),
                                               .through = meeting.what,
                                               .other = describeOther(*first, *other)});
  }

  Elaborator &e;
  std::vector<Edge> &edges;
  const Meeting &meeting;
  mlir::Location loc;
  mlir::Block *block;
  std::vector<llvm::SmallVector<mlir::Value>> operands; ///< of each edge's branch
  Mismatch mismatch{};
};

} // namespace

std::optional<Value> join(Elaborator &e, std::vector<Edge> edges, const Meeting &meeting) {
  if (edges.empty())
    return std::nullopt;
  if (edges.size() == 1) {
    auto &only = edges[0];
    if (!meeting.wantsValue)
      e.frame->variables = std::move(only.variables);
    if (only.block)
      e.kernel.builder->setInsertionPointToEnd(only.block);
    return std::move(only.value);
  }
  if (!e.kernel.builder)
    throw Failed{}; // at compile time one path is taken; the others come from statements that failed
  Joiner joiner(e, edges, meeting);
  Value value;
  try {
    if (meeting.wantsValue)
      value = joiner.value();
    else
      joiner.variables();
  } catch (Failed &) {
    joiner.finish();
    throw;
  }
  joiner.finish();
  return value;
}

} // namespace fly::sema
