// Fast-math flags and denormals: their names, their scopes, and the listener that puts flags on operations.
#include "compiler/sema/number/FastMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fly::sema {

namespace arith = mlir::arith;

namespace {
struct Flag {
  const char *name;
  arith::FastMathFlags flags;
};
const Flag table[] = {
    {"contract", arith::FastMathFlags::contract}, {"reassoc", arith::FastMathFlags::reassoc},
    {"nnan", arith::FastMathFlags::nnan},         {"ninf", arith::FastMathFlags::ninf},
    {"nsz", arith::FastMathFlags::nsz},           {"arcp", arith::FastMathFlags::arcp},
    {"afn", arith::FastMathFlags::afn},           {"fast", arith::FastMathFlags::fast},
};
} // namespace

unsigned readFastMath(Elaborator &e, const Value &value, SourceRange range) {
  if (value.is<ErrorValue>())
    throw Failed{};
  if (value.isNone())
    return 0;
  if (auto *all = value.as<bool>())
    return *all ? unsigned(arith::FastMathFlags::fast) : 0;
  unsigned flags = 0;
  if (auto *parts = value.sequence()) {
    for (auto &part : *parts)
      flags |= readFastMath(e, part, range);
    return flags;
  }
  auto *text = value.as<std::string>();
  if (!text)
    e.fail(diag::wrong_value, range, {"`fastmath`", "names of flags, True or False", describe(value)});
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(*text).split(names, ',', -1, false);
  for (auto name : names) {
    name = name.trim();
    auto *row = llvm::find_if(table, [&](auto &row) { return name == row.name; });
    if (row == std::end(table)) {
      std::vector<std::string> known;
      for (auto &other : table)
        known.push_back(other.name);
      auto guess = didYouMean(name, known);
      e.fail(range,
             diag::unknown_choice{.what = "a flag of `fastmath`",
                                  .choices = known,
                                  .found = "`" + name.str() + "`" + (guess ? "; did you mean `" + *guess + "`?" : "")});
    }
    flags |= unsigned(row->flags);
  }
  return flags;
}

unsigned takeFastMath(Elaborator &e, Arguments &arguments) {
  auto at = llvm::find_if(arguments, [](auto &argument) { return argument.keyword == "fastmath"; });
  if (at == arguments.end())
    return e.fastmath;
  const unsigned flags = readFastMath(e, at->value, at->range);
  arguments.erase(at);
  return flags;
}

static unsigned flagsIn(const Elaborator &e, const ModuleScope *from, const ModuleScope *to) {
  auto left = e.leftFastmath.find(to);
  return from == to ? e.fastmath : left != e.leftFastmath.end() ? left->second : 0;
}

CallFastMath::CallFastMath(Elaborator &e, const ModuleScope *from, const ModuleScope *to)
    : flags(e, flagsIn(e, from, to)), from(from == to ? nullptr : from) {
  if (!this->from)
    return;
  auto [kept, isFirst] = e.leftFastmath.try_emplace(from, flags.outer);
  if (!isFirst)
    left = std::exchange(kept->second, flags.outer);
}

CallFastMath::~CallFastMath() {
  if (left)
    flags.e.leftFastmath[from] = *left;
  else if (from)
    flags.e.leftFastmath.erase(from);
}

void FastMathListener::notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) {
  if (!e.fastmath)
    return;
  if (auto math = llvm::dyn_cast<arith::ArithFastMathInterface>(op))
    op->setAttr(math.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags(e.fastmath)));
  // LLVM's flags have the same bits in another order; intrinsics take them where they give floats.
  if (auto call = llvm::dyn_cast<mlir::LLVM::CallIntrinsicOp>(op))
    if (call.getNumResults() == 1 &&
        llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(call.getResult(0).getType()))) {
      using L = mlir::LLVM::FastmathFlags;
      using A = arith::FastMathFlags;
      static const std::pair<A, L> pairs[] = {
          {A::contract, L::contract}, {A::reassoc, L::reassoc}, {A::nnan, L::nnan}, {A::ninf, L::ninf},
          {A::nsz, L::nsz},           {A::arcp, L::arcp},       {A::afn, L::afn}};
      L flags = L::none;
      for (auto [from, to] : pairs)
        if (e.fastmath & unsigned(from))
          flags = flags | to;
      call.setFastmathFlags(flags);
    }
}

bool readDenormalsFlush(Elaborator &e, const Value &value, SourceRange range) {
  auto *text = value.as<std::string>();
  if (!text || (*text != "flush" && *text != "keep"))
    e.fail(range, diag::unknown_choice{
                      .what = "`denormals`", .choices = {"\"flush\"", "\"keep\""}, .found = toText(value, true)});
  return *text == "flush";
}

std::optional<Flow> execMathScope(Elaborator &e, const ast::WithStmt &stmt) {
  auto nameOf = [](const ast::WithStmt::Item &item) -> llvm::StringRef {
    auto *call = llvm::dyn_cast<ast::CallExpr>(item.context);
    auto *name = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
    return name ? llvm::StringRef(name->name) : llvm::StringRef();
  };
  unsigned flags = 0;
  for (auto &item : stmt.items) {
    auto name = nameOf(item);
    if (name == "denormals")
      e.fail(diag::not_supported, item.context->range,
             {"`denormals` of a block", "the mode applies to the whole kernel: `@kernel(denormals=\"flush\")`"});
    if (name != "fastmath" || stmt.items.size() != 1)
      return std::nullopt;
    e.ir(item.context->range, "with fastmath");
    for (auto &argument : llvm::cast<ast::CallExpr>(item.context)->arguments) {
      if (!argument.keyword.empty())
        e.fail(diag::unknown_keyword, argument.range, {"fastmath", argument.keyword, ""});
      flags |= readFastMath(e, e.eval(*argument.value), argument.value->range);
    }
  }
  FastMathScope scope(e, flags);
  return e.execBlock(stmt.body);
}

} // namespace fly::sema
