// Pointers as values: their type, the memory layout of types, arithmetic, comparison, conversion. See Pointers.h.
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/dialect/Divisors.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

namespace arith = mlir::arith;
using ir::AddressSpace;

ir::AddressSpace spaceOf(const PointerValue &pointer) {
  return llvm::cast<ir::PtrType>(pointer.value.getType()).getSpace();
}
uint32_t alignmentOf(const PointerValue &pointer) {
  return llvm::cast<ir::PtrType>(pointer.value.getType()).getAlignment();
}
PointerTypeValue typeOf(const PointerValue &pointer) {
  return {pointer.element, spaceOf(pointer), alignmentOf(pointer)};
}

/// LDS and private memory have 32-bit addresses.
static bool isNarrow(AddressSpace space) { return space == AddressSpace::Shared || space == AddressSpace::Private; }

static bool sameType(const Value &a, const Value &b) {
  if (auto *x = a.as<Type>(), *y = b.as<Type>(); x && y)
    return *x == *y;
  if (auto *x = a.as<StructTypeValue>(), *y = b.as<StructTypeValue>(); x && y)
    return x->definition == y->definition;
  if (auto *x = a.as<PointerTypeValue>(), *y = b.as<PointerTypeValue>(); x && y)
    return x->space == y->space && sameType(*x->element, *y->element);
  return false;
}

bool samePointee(const PointerValue &a, const PointerValue &b) {
  return spaceOf(a) == spaceOf(b) && sameType(*a.element, *b.element);
}

// ---------------------------------------------------------------------------------------------------------
// Types in memory

MemoryLayout layoutOf(Elaborator &e, const Value &type, SourceRange range) {
  if (auto *pointer = type.as<PointerTypeValue>())
    return isNarrow(pointer->space) ? MemoryLayout{4, 4, {}} : MemoryLayout{8, 8, {}};
  if (auto *machine = type.as<Type>()) {
    auto &format = machine->format();
    if (format.bits % 8 != 0 && !format.isBool())
      e.fail(diag::bad_pointer, range,
             {"`" + machine->text() + "` does not fill whole bytes; it is packed into integers"});
    uint64_t bytes = format.bytes();
    return {bytes * std::max(1u, machine->lanes), bytes, {}};
  }
  auto *definition = type.as<StructTypeValue>()->definition;
  MemoryLayout out;
  auto up = [](uint64_t bytes, uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; };
  for (auto &field : definition->fields) {
    if (!field.annotation.is<Type>() && !field.annotation.is<StructTypeValue>() &&
        !field.annotation.is<PointerTypeValue>()) {
      e.report(
           diag::bad_pointer, range,
           {"field `" + field.name + "` of `" + definition->name + "` is a compile-time value, which is not in memory"})
          .note(field.range, "it is declared here");
      throw Failed{};
    }
    MemoryLayout inner = layoutOf(e, field.annotation, range);
    out.alignment = std::max(out.alignment, inner.alignment);
    out.offsets.push_back(up(out.bytes, inner.alignment));
    out.bytes = out.offsets.back() + inner.bytes;
    if (out.bytes > (uint64_t(1) << 24))
      e.fail(diag::bad_pointer, range, {"a `" + definition->name + "` has more than 2^24 bytes"});
  }
  if (out.bytes == 0)
    e.fail(diag::bad_pointer, range, {"a `" + definition->name + "` has no fields, so it has no place in memory"});
  out.bytes = up(out.bytes, out.alignment);
  return out;
}

Value requireMemoryType(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what) {
  if (value.is<ErrorValue>())
    throw Failed{};
  if (!value.is<Type>() && !value.is<StructTypeValue>() && !value.is<PointerTypeValue>())
    e.fail(diag::not_a_type, range, {describe(value) + " as " + what.str()});
  layoutOf(e, value, range); // refuses types that memory cannot hold
  return value;
}

static uint32_t requireAlignment(Elaborator &e, const Value &value, SourceRange range) {
  int64_t align = requireInt(e, value, range, "the alignment");
  if (align < 1 || align > 4096 || (align & (align - 1)))
    e.fail(range, diag::not_a_power_of_two{.what = "the alignment", .limit = 4096, .found = align});
  return uint32_t(align);
}

/// The name in the second place is read as it is written: `global` is a keyword, `shared` a function.
static AddressSpace readSpace(Elaborator &e, const ast::Expr &expr) {
  std::string name;
  if (auto *written = llvm::dyn_cast<ast::NameExpr>(&expr))
    name = written->name;
  if (auto space = ir::symbolizeAddressSpace(name);
      space && *space != AddressSpace::Buffer) // a resource is not an address
    return *space;
  auto guess = didYouMean(name, {"global", "shared", "private", "constant", "generic"});
  e.fail(diag::bad_pointer, expr.range,
         {"the address spaces are `global`, `shared`, `private`, `constant` and `generic`" +
          (guess ? "; did you mean `" + *guess + "`?" : std::string())});
}

Value pointerType(Elaborator &e, const ast::SubscriptExpr &expr) {
  std::vector<const ast::Argument *> positional;
  uint32_t alignment = 0;
  for (auto &item : expr.items) {
    if (item.keyword.empty()) {
      positional.push_back(&item);
      continue;
    }
    if (item.keyword != "align")
      e.fail(diag::unknown_keyword, item.range, {"Pointer", item.keyword, ""});
    alignment = requireAlignment(e, e.eval(*item.value), item.value->range);
  }
  if (positional.size() != 2)
    e.fail(diag::wrong_argument_count, expr.brackets,
           {"Pointer", "a type and an address space", std::to_string(positional.size())});
  Value element =
      requireMemoryType(e, e.eval(*positional[0]->value), positional[0]->value->range, "what a pointer points to");
  uint32_t natural = uint32_t(layoutOf(e, element, positional[0]->value->range).alignment);
  return Value(PointerTypeValue{std::make_shared<const Value>(element), readSpace(e, *positional[1]->value),
                                alignment ? alignment : natural});
}

// ---------------------------------------------------------------------------------------------------------
// Conversion

static PointerValue castTo(Elaborator &e, PointerValue pointer, AddressSpace space, uint32_t alignment,
                           SourceRange range) {
  auto type = ir::PtrType::get(&e.context, space, alignment);
  if (pointer.value.getType() != type)
    pointer.value = ir::PtrCastOp::create(e.ir(range, "a pointer"), e.location(range), type, pointer.value);
  return pointer;
}

PointerValue withAlignment(Elaborator &e, PointerValue pointer, uint32_t alignment, SourceRange range) {
  return castTo(e, pointer, spaceOf(pointer), alignment, range);
}

Value makePointer(Elaborator &e, const PointerTypeValue &type, const Value &value, SourceRange range) {
  auto &b = e.ir(range, toText(Value(type)));
  auto loc = e.location(range);
  auto irType = ir::PtrType::get(&e.context, type.space, type.alignment);
  unsigned bits = isNarrow(type.space) ? 32 : 64;
  PointerValue out{
      {}, type.element, type.space == AddressSpace::Constant ? Access::Read : Access::ReadWrite, "pointer"};
  auto fromAddress = [&](mlir::Value address) {
    out.value = ir::IntToPtrOp::create(b, loc, irType, address);
    return Value(out);
  };
  if (auto *pointer = value.as<PointerValue>()) {
    AddressSpace from = spaceOf(*pointer);
    if (from != type.space && from != AddressSpace::Generic && type.space != AddressSpace::Generic)
      e.fail(diag::bad_pointer, range,
             {describe(value) + " in " + ir::stringifyAddressSpace(from).str() + " memory cannot be converted to " +
              ir::stringifyAddressSpace(type.space).str() + "; only `generic` converts to and from the other spaces"});
    PointerValue moved = castTo(e, *pointer, type.space, std::max(type.alignment, alignmentOf(*pointer)), range);
    moved.element = type.element;
    if (type.space == AddressSpace::Constant)
      moved.access = Access::Read;
    return Value(moved);
  }
  if (value.isNone() && bits == 32)
    e.fail(diag::bad_pointer, range,
           {"a pointer to " + ir::stringifyAddressSpace(type.space).str() +
            " memory is never None, because address 0 is valid there"});
  if (value.isNone() || value.is<Int>()) {
    Type word = Type::scalar(bits == 32 ? host::Number::U32 : host::Number::U64);
    mlir::Value address = value.isNone() ? arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0)).getResult()
                                         : toMachine(e, value, word, range).value;
    return fromAddress(address);
  }
  auto *m = value.as<MachineValue>();
  if (!m || !m->type.isInteger() || m->type.isVector() || m->type.format().bits != bits)
    e.fail(diag::bad_conversion, range,
           {describe(value), toText(Value(type)) + "; an address is a u" + std::to_string(bits)});
  return fromAddress(m->value);
}

Value coercePointer(Elaborator &e, const Value &value, const PointerTypeValue &type, SourceRange range,
                    const std::string &what) {
  auto *pointer = value.as<PointerValue>();
  if (!pointer || spaceOf(*pointer) != type.space || !sameType(*pointer->element, *type.element))
    e.fail(range, diag::argument_of_type{.what = what,
                                         .type = toText(Value(type)),
                                         .found = pointer ? toText(Value(typeOf(*pointer))) : describe(value)});
  if (alignmentOf(*pointer) < type.alignment)
    e.fail(diag::bad_pointer, range,
           {what + " must be aligned to " + std::to_string(type.alignment) +
            " bytes, but this pointer is only known to be aligned to " + std::to_string(alignmentOf(*pointer)) +
            "; `.aligned(" + std::to_string(type.alignment) + ")` promises more"});
  return value;
}

// ---------------------------------------------------------------------------------------------------------
// Arithmetic and comparison

mlir::Value addBytes(Elaborator &e, mlir::Value pointer, uint64_t bytes, SourceRange range) {
  if (bytes == 0)
    return pointer;
  auto &b = e.ir(range, "a pointer");
  auto loc = e.location(range);
  bool narrow = isNarrow(llvm::cast<ir::PtrType>(pointer.getType()).getSpace());
  mlir::Value distance = arith::ConstantOp::create(
      b, loc, narrow ? b.getI32IntegerAttr(int32_t(bytes)) : b.getI64IntegerAttr(int64_t(bytes)));
  return ir::PtrAddOp::create(b, loc, pointer, distance, int64_t(llvm::MinAlign(bytes, uint64_t(1) << 31)), false);
}

/// The integer in the width of addresses, by the sign of its type.
static mlir::Value toWidth(Elaborator &e, const MachineValue &m, unsigned bits, SourceRange range) {
  auto &b = e.ir(range, "a pointer");
  auto type = b.getIntegerType(bits);
  unsigned from = m.type.format().bits;
  if (from == bits)
    return m.value;
  if (from > bits)
    return arith::TruncIOp::create(b, e.location(range), type, m.value);
  return m.type.isSigned() ? arith::ExtSIOp::create(b, e.location(range), type, m.value).getResult()
                           : arith::ExtUIOp::create(b, e.location(range), type, m.value).getResult();
}

/// Moves by `index` elements, backwards if `back`.
static PointerValue moved(Elaborator &e, const PointerValue &pointer, const Value &index, bool back,
                          SourceRange range) {
  auto &b = e.ir(range, "a pointer");
  auto loc = e.location(range);
  unsigned bits = isNarrow(spaceOf(pointer)) ? 32 : 64;
  uint64_t size = layoutOf(e, *pointer.element, range).bytes;
  PointerValue out = pointer;
  if (index.is<Int>()) {
    auto count = toInt64(index);
    int64_t bytes;
    if (!count || __builtin_mul_overflow(*count, int64_t(size), &bytes) ||
        __builtin_mul_overflow(bytes, back ? -1 : 1, &bytes) || (bits == 32 && bytes != int32_t(bytes)))
      e.fail(diag::bad_index, range,
             {describe(Value(pointer)), describe(index) + ", which is outside its address space"});
    if (bytes == 0)
      return out;
    mlir::Value distance = arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), bytes));
    out.value = ir::PtrAddOp::create(b, loc, pointer.value, distance,
                                     int64_t(llvm::MinAlign(uint64_t(std::abs(bytes)), uint64_t(1) << 31)), false);
    return out;
  }
  auto *m = index.as<MachineValue>();
  if (!m || !m->type.isInteger() || m->type.isVector())
    e.fail(diag::bad_index, range, {describe(Value(pointer)), describe(index)});
  int64_t divisor = ir::divisorOf(m->value);
  mlir::Value distance = toWidth(e, *m, bits, range);
  if (size != 1) {
    mlir::Value factor = arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), int64_t(size)));
    distance = arith::MulIOp::create(b, loc, distance, factor,
                                     bits == 64 ? arith::IntegerOverflowFlags::nsw : arith::IntegerOverflowFlags::none);
  }
  if (back) {
    mlir::Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), 0));
    distance = arith::SubIOp::create(b, loc, zero, distance);
  }
  uint64_t twos = llvm::MinAlign(uint64_t(divisor) * size, uint64_t(1) << 31);
  out.value = ir::PtrAddOp::create(b, loc, pointer.value, distance, int64_t(twos), false);
  return out;
}

void checkOffset(Elaborator &e, const PointerValue &pointer, const Values &items, SourceRange range) {
  if (items.size() != 1)
    return;
  auto *m = items[0].as<MachineValue>();
  if (items[0].is<double>() || items[0].is<std::string>() || items[0].is<IndexValue>() ||
      (m && (!m->type.isInteger() || m->type.isVector())))
    e.fail(diag::bad_index, range, {describe(Value(pointer)), describe(items[0])});
}

PointerValue elementOf(Elaborator &e, const PointerValue &pointer, const Values &items, SourceRange range) {
  if (items.size() != 1 || items[0].is<SliceValue>() || items[0].sequence())
    e.report(
         diag::bad_index, range,
         {describe(Value(pointer)), items.size() != 1 ? std::to_string(items.size()) + " indices" : describe(items[0])})
        .help("`make_tensor(p, shape)` gives the memory a shape"),
        throw Failed{};
  return moved(e, pointer, items[0], false, range);
}

static mlir::Value addressOf(Elaborator &e, const PointerValue &pointer, SourceRange range) {
  auto &b = e.ir(range, "a pointer");
  return ir::PtrToIntOp::create(b, e.location(range), b.getIntegerType(isNarrow(spaceOf(pointer)) ? 32 : 64),
                                pointer.value);
}

std::optional<Value> pointerBinary(Elaborator &e, ast::BinaryOp op, const Value &lhs, const Value &rhs,
                                   SourceRange range) {
  auto *p = lhs.as<PointerValue>(), *q = rhs.as<PointerValue>();
  if (!p && !q)
    return std::nullopt;
  auto isIndex = [](const Value &v) { return v.is<Int>() || v.is<MachineValue>(); };
  if (op == ast::BinaryOp::Add && p && isIndex(rhs))
    return Value(moved(e, *p, rhs, false, range));
  if (op == ast::BinaryOp::Add && q && isIndex(lhs))
    return Value(moved(e, *q, lhs, false, range));
  if (op == ast::BinaryOp::Sub && p && isIndex(rhs))
    return Value(moved(e, *p, rhs, true, range));
  if (op != ast::BinaryOp::Sub || !p || !q || !samePointee(*p, *q))
    e.fail(diag::bad_operand, range, {ast::spelling(op), describe(lhs) + " and " + describe(rhs)});
  auto &b = e.ir(range, "-");
  auto loc = e.location(range);
  mlir::Value bytes = arith::SubIOp::create(b, loc, addressOf(e, *p, range), addressOf(e, *q, range));
  if (!bytes.getType().isInteger(64))
    bytes = arith::ExtSIOp::create(b, loc, b.getI64Type(), bytes);
  uint64_t size = layoutOf(e, *p->element, range).bytes;
  if (llvm::isPowerOf2_64(size)) {
    if (size > 1)
      bytes = arith::ShRSIOp::create(b, loc, bytes,
                                     arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(llvm::Log2_64(size))));
  } else
    bytes =
        arith::DivSIOp::create(b, loc, bytes, arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(int64_t(size))));
  return Value(MachineValue{bytes, Type::scalar(host::Number::I64)});
}

std::optional<Value> pointerCompare(Elaborator &e, ast::CompareOp op, const Value &lhs, const Value &rhs,
                                    SourceRange range) {
  using ast::CompareOp;
  auto *p = lhs.as<PointerValue>(), *q = rhs.as<PointerValue>();
  if (!p && !q)
    return std::nullopt;
  if (op == CompareOp::Is || op == CompareOp::IsNot)
    op = op == CompareOp::Is ? CompareOp::Eq : CompareOp::Ne;
  auto &b = e.ir(range, ast::spelling(op));
  auto loc = e.location(range);
  mlir::Value x, y;
  if (p && q && samePointee(*p, *q)) {
    x = addressOf(e, *p, range);
    y = addressOf(e, *q, range);
  } else if ((p ? rhs : lhs).isNone() && (op == CompareOp::Eq || op == CompareOp::Ne)) {
    const PointerValue &one = p ? *p : *q;
    if (isNarrow(spaceOf(one)))
      e.fail(diag::bad_pointer, range,
             {"a pointer to " + ir::stringifyAddressSpace(spaceOf(one)).str() +
              " memory is never None, because address 0 is valid there"});
    x = addressOf(e, one, range);
    y = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  } else
    e.fail(diag::bad_operand, range, {ast::spelling(op), describe(lhs) + " and " + describe(rhs)});
  using I = arith::CmpIPredicate;
  static const I predicates[] = {I::ult, I::ule, I::ugt, I::uge, I::eq, I::ne};
  return Value(
      MachineValue{arith::CmpIOp::create(b, loc, predicates[unsigned(op)], x, y), Type::scalar(host::Number::Bool)});
}

Value pointerAttribute(Elaborator &e, const PointerValue &pointer, llvm::StringRef name, SourceRange range,
                       SourceRange nameRange) {
  if (name == "type")
    return *pointer.element;
  if (name == "alignment")
    return Value(int64_t(alignmentOf(pointer)));
  if (name == "space")
    return Value(ir::stringifyAddressSpace(spaceOf(pointer)).str());
  if (name == "address")
    return Value(MachineValue{addressOf(e, pointer, range),
                              Type::scalar(isNarrow(spaceOf(pointer)) ? host::Number::U32 : host::Number::U64)});
  std::vector<std::string> names = {"load", "store", "to", "aligned", "type", "alignment", "space", "address"};
  names.insert(names.end(), atomicMethods().begin(), atomicMethods().end());
  if (!llvm::is_contained(names, name.str()))
    failUnknown(e, diag::unknown_attribute, nameRange, describe(Value(pointer)), name, names);
  return Value(MethodValue{std::make_shared<const Value>(pointer), name.str()});
}

} // namespace fly::sema
