// Values of the elaborator, at all of its binding times in one type.
//
//   compile time   None, bool, Int (any size), float, str, type, tuple, list, dict, struct, slice, function, layout,
//                  kernel, module, host array             known now; copied like plain data
//   launch time    HostValue: an expression over a kernel's scalar parameters, in grid=, requires=, In[...]
//   run time       MachineValue: an SSA value with a machine type; PointerValue: an address; TensorValue: memory seen
//                  through a layout
//
// Tuples, lists, dicts and structs hold any of them, so a tuple of two loads is a tuple: their `parts` are visited the
// same way wherever a value travels through control flow. Values are immutable; assignment copies.
#pragma once

#include "compiler/host/HostArray.h"
#include "compiler/host/HostExpr.h"
#include "compiler/host/Profile.h"
#include "compiler/sema/value/Type.h"
#include "compiler/syntax/AST.h"

#include "llvm/ADT/DynamicAPInt.h"
#include "mlir/IR/Value.h"

#include <compare>
#include <map>
#include <memory>
#include <variant>

namespace fly::ir {
enum class AddressSpace : uint32_t;
}

namespace fly::sema {

class Value;
struct Frame;
struct ModuleScope;
struct Builtin;
struct KernelDefinition;
struct StructDefinition;
struct ExternDefinition;
class Elaborator;
class KeyIndex;
class LayoutObject;
class Object;

using Int = llvm::DynamicAPInt;
using Values = std::vector<Value>;

/// Where a literal came into a variable that a run-time loop carries: its first typed use decides the type.
struct LiteralOrigin {
  std::optional<Type> firstUse;
};

/// `1 if c else 0` under a condition of run time: literals, of which the first typed use decides the type.
struct LiteralChoice;

struct NoneValue {};
struct EllipsisValue {};
/// Stands for what an erroneous statement would have assigned; using it fails without another diagnostic.
struct ErrorValue {};
/// A name that only one side of a run-time branch, or only the body of a run-time loop, assigned: using it is an error.
struct OneSidedValue {
  SourceRange condition;
  const char *what;
};
struct MachineValue {
  mlir::Value value;
  Type type;
};
/// `type` is the scalar parameter's where the expression is a parameter itself or arithmetic of its width.
struct HostValue {
  host::ExprRef expr;
  unsigned bits = 32;
};

enum class Access { Read, Write, ReadWrite };
/// A !fly.tensor. `access` is what the author allowed; `name` is for messages.
/// `record`: the elements are structs (a StructTypeValue), and the tensor's own elements are their bytes.
struct TensorValue {
  mlir::Value value;
  host::Number element;
  Access access = Access::ReadWrite;
  std::string name;
  std::shared_ptr<const Value> record;
};
/// A !fly.ptr, which knows its space and alignment, to elements of a type (as in PointerTypeValue).
struct PointerValue {
  mlir::Value value;
  std::shared_ptr<const Value> element;
  Access access = Access::ReadWrite;
  std::string name;
};
/// `Pointer[T, space]`: T is a Type, a struct or a PointerTypeValue. `alignment` counts bytes.
struct PointerTypeValue {
  std::shared_ptr<const Value> element;
  ir::AddressSpace space;
  uint32_t alignment;
};
/// Bytes of LDS that are handed out and taken back at compile time: an index into LdsUse (LdsUse.h).
struct ArenaValue {
  size_t index;
};

/// `weight` counts elements of elements, also shared ones as often as they occur: what walking over it costs.
struct TupleValue {
  std::shared_ptr<const Values> elements;
  uint64_t weight = 1;
};
struct ListValue {
  std::shared_ptr<const Values> elements;
  uint64_t weight = 1;
};
/// Keys are compile-time values, in the order of their first assignment; one value each.
struct DictValue {
  std::shared_ptr<const Values> keys, values;
  uint64_t weight = 1;
  mutable std::shared_ptr<KeyIndex> index = nullptr; ///< made at the first look-up in a large one (KeyIndex.h)
};
/// An instance of a `@struct class`; one value a field, in the class's order.
struct StructValue {
  const StructDefinition *definition;
  std::shared_ptr<const Values> fields;
  uint64_t weight = 1;
};
/// The class itself: calling it makes an instance, as an annotation it is a type.
struct StructTypeValue {
  const StructDefinition *definition;
};
/// Start, stop, step; None where left out.
struct SliceValue {
  std::shared_ptr<const Values> parts;
};
/// start, stop, step. `unroll(...)` repeats its body at compile time; `range(..., unroll=n)` asks the backend to
/// unroll: 0 is completely, 1 not at all.
struct RangeValue {
  std::shared_ptr<const Values> parts;
  bool unroll = false;
  std::string name;
  std::optional<int64_t> unrollBy;
};

/// A `def` or `lambda` with the scope that it reads from.
struct FunctionValue {
  const ast::DefStmt *def = nullptr;
  const ast::LambdaExpr *lambda = nullptr;
  std::shared_ptr<Frame> enclosing; ///< of a nested function; null at module level
  ModuleScope *module = nullptr;
  const StructDefinition *methodOf = nullptr; ///< the first parameter is an instance of it
  /// The default of each parameter, evaluated where the function was defined; none where it needs the call.
  std::shared_ptr<const std::vector<std::optional<Value>>> defaults = nullptr;
};
/// A function of linked bitcode.
struct ExternValue {
  const ExternDefinition *definition;
};
struct BuiltinValue {
  const Builtin *builtin;
};
/// A method of a value: `t.load`, `x.to`.
struct MethodValue {
  std::shared_ptr<const Value> self;
  std::string name;
};
/// A kernel with none, some or all of its Constexpr parameters given.
struct KernelValue {
  const KernelDefinition *kernel;
  std::shared_ptr<const std::map<std::string, Value>> constants;
  bool byShape = false; ///< `tuned(kernel)`: a launch picks the instance (TunedLaunches.cpp)
};
struct ModuleValue {
  ModuleScope *module;
};
/// A layout, a swizzle, a tile, or a leaf of the algebra that is not an integer: `_`, `1@0`, `?` (LayoutObject.h).
struct LayoutValue {
  std::shared_ptr<const LayoutObject> object;
};
/// An atom, a tiled copy, a fragment, a coordinate tensor (Object.h).
struct ObjectValue {
  std::shared_ptr<const Object> object;
};
/// thread_id and related indices: x, y, z.
enum class IndexKind { ThreadId, BlockId, BlockDim, GridDim, ClusterId, ClusterDim, ClusterBlockId };
struct IndexValue {
  IndexKind kind;
};
/// The `target` namespace.
struct TargetValue {};
/// `In`, `Out`, `InOut`, `Constexpr`, `vec`, `Pointer`, `layout`: names that take a subscript, and what it makes.
enum class Generic { In, Out, InOut, Constexpr, Vec, Pointer, Layout };
struct GenericValue {
  Generic generic;
  std::shared_ptr<const Value> kind = nullptr; ///< `int` of `Constexpr[int]`; null: any
};
struct TensorTypeValue {
  Access access;
  host::Number element;
  uint32_t alignment = 16;
  std::shared_ptr<const Value> shape, stride; ///< stride null: row-major
};
/// Shared: a kernel call writes it. `raw`: passed on as memory, not by the layout of the parameter.
struct ArrayValue {
  std::shared_ptr<host::HostArray> array;
  bool raw = false;
};
/// In a `@launch` function: memory that it passes on. A tensor, seen through launch-time extents, or a pointer; a
/// parameter, or a part of the workspace.
struct HostTensor {
  std::string name;
  host::Number element = {}; ///< of a tensor
  Access access = Access::ReadWrite;
  uint32_t alignment = 16;
  std::vector<host::ExprRef> shape, strides; ///< one per leaf
  host::Profiles modes;                      ///< how the leaves are grouped
  host::ExprRef offset = nullptr;            ///< of a view, in elements; null: it begins where the memory does
  std::string pointee; ///< the type that a pointer points to, as ParameterInfo has it; empty for tensors
  bool isWorkspace = false;
  bool isVector = false;          ///< a vector in a struct, which is passed on only with the whole
  unsigned index = 0;             ///< of the parameter, or of the part
  std::optional<uint32_t> member; ///< of a pointer in a struct parameter: where in the struct, in bytes
};
struct HostTensorValue {
  std::shared_ptr<const HostTensor> tensor;
};
/// The `device` namespace.
struct DeviceValue {};

class Value {
public:
  using Storage =
      std::variant<NoneValue, bool, Int, double, std::string, Type, TupleValue, ListValue, DictValue, StructValue,
                   StructTypeValue, SliceValue, RangeValue, FunctionValue, ExternValue, BuiltinValue, MethodValue,
                   KernelValue, ModuleValue, LayoutValue, ObjectValue, IndexValue, TargetValue, GenericValue,
                   TensorTypeValue, ArrayValue, HostValue, HostTensorValue, DeviceValue, MachineValue, TensorValue,
                   PointerValue, PointerTypeValue, ArenaValue, EllipsisValue, ErrorValue, OneSidedValue>;
  Storage storage;
  std::shared_ptr<LiteralOrigin> origin;       ///< numbers only; see LiteralOrigin
  std::shared_ptr<const LiteralChoice> choice; ///< machine values only; see LiteralChoice
  SourceRange assigned;                        ///< the statement that gave it to its variable, for messages

  Value() = default;
  // In Value.cpp: implicit ones would be compiled, with all alternatives, in every file that copies a Value.
  Value(const Value &);
  Value(Value &&) noexcept;
  Value &operator=(const Value &);
  Value &operator=(Value &&) noexcept;
  ~Value();

  template <typename T> Value(T value) : storage(std::move(value)) {}
  Value(int64_t value) : storage(Int(value)) {}
  Value(const char *text) : storage(std::string(text)) {}

  template <typename T> const T *as() const { return std::get_if<alternative<T>(&Value::storage)>(&storage); }
  template <typename T> bool is() const { return storage.index() == alternative<T>(&Value::storage); }

  bool isNone() const { return is<NoneValue>(); }
  bool isNumber() const { return is<bool>() || is<Int>() || is<double>(); } ///< of compile time
  uint64_t weight() const;                                                  ///< 1 unless it has parts
  const Values *sequence() const;                                           ///< of a tuple or list
  const Values *parts() const;              ///< elements, fields or values of a dict; null for what is one value
  Value withParts(Values parts) const;      ///< the same kind of value with other parts, as many
  bool sameShape(const Value &other) const; ///< same kind, count, keys, definition; the parts may differ
  /// No part of it is a machine value, tensor or launch-time expression.
  bool isCompileTime() const;

private:
  /// The index of a type. libstdc++'s std::holds_alternative and std::get_if look for it at run time.
  template <typename T, typename... Ts> static consteval size_t alternative(std::variant<Ts...> Value::*) {
    size_t index = 0;
    (void)((std::is_same_v<T, Ts> || (++index, false)) || ...);
    return index;
  }
};

struct LiteralChoice {
  mlir::Value condition;
  Value whenTrue, whenFalse;
};

/// One argument of a call; `keyword` is empty for a positional one.
struct Argument {
  std::string keyword;
  Value value;
  SourceRange range;
};
using Arguments = std::vector<Argument>;

Value makeTuple(Values elements);
Value makeList(Values elements);
/// The same where the weight is known: appending does not look at what is there.
Value makeList(Values elements, uint64_t weight);
Value makeDict(Values keys, Values values);
Value makeStruct(const StructDefinition *definition, Values fields);

const char *indexName(IndexKind kind); ///< "thread_id"
/// What a message calls it: "i32", "a tuple of 2 elements", "a list of 1 element", "the integer 5", "a tensor of f32".
std::string describe(const Value &value);
/// The same for the second of two that differ: "another lambda".
std::string describeOther(const Value &first, const Value &second);
/// As the author would write it; for static_print, constants of instances and `flyc eval`.
std::string toText(const Value &value, bool nested = false);
/// An integer of the host's side as one of any size.
Int anySize(host::Int value);
/// The integer that a finite float without a fraction is.
std::optional<Int> exactInteger(double value);
/// Compares two compile-time numbers, exactly even if an integer is not representable as a double.
std::partial_ordering order(const Value &a, const Value &b);
/// Equality of compile-time values; none if it cannot be decided.
std::optional<bool> equal(const Value &a, const Value &b);
/// Fits into int64_t.
std::optional<int64_t> toInt64(const Value &value);
/// Fits into int64_t or uint64_t.
std::optional<host::Int> toHostInt(const Value &value);

} // namespace fly::sema
