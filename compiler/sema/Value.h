// Values of the elaborator, at all of its binding times in one type.
//
//   compile time   None, bool, Int (any size), float, str, type, tuple, list, dict, slice, function, kernel,
//                  module, host array                     known now; copied like plain data
//   launch time    HostValue: an expression over a kernel's scalar parameters, in grid=, requires=, In[...]
//   run time       MachineValue: an SSA value with a machine type; TensorValue: memory seen through a layout
//
// Sequences hold any of them, so a tuple of two loads is a tuple. Values are immutable; assignment copies.
#pragma once

#include "compiler/host/HostArray.h"
#include "compiler/host/HostExpr.h"
#include "compiler/sema/Type.h"
#include "compiler/syntax/AST.h"

#include "llvm/ADT/DynamicAPInt.h"
#include "mlir/IR/Value.h"

#include <compare>
#include <map>
#include <memory>
#include <variant>

namespace fly::sema {

class Value;
struct Frame;
struct ModuleScope;
struct Builtin;
struct KernelDefinition;

using Int = llvm::DynamicAPInt;
using Values = std::vector<Value>;

/// Where a literal came into a variable that a run-time loop carries: its first typed use decides the type.
struct LiteralOrigin { std::optional<Type> firstUse; };

struct NoneValue {};
struct EllipsisValue {};
/// Stands for what an erroneous statement would have assigned; using it fails without another diagnostic.
struct ErrorValue {};
/// A name that only one side of a run-time branch, or only the body of a run-time loop, assigned: using it is an error.
struct OneSidedValue { SourceRange condition; const char *what; };
struct MachineValue { mlir::Value value; Type type; };
/// `type` is the scalar parameter's where the expression is a parameter itself or arithmetic of its width.
struct HostValue { host::ExprRef expr; unsigned bits = 32; };

enum class Access { Read, Write, ReadWrite };
/// A !fly.tensor. `access` is what the author allowed; `name` is for messages.
struct TensorValue { mlir::Value value; host::Number element; Access access = Access::ReadWrite; std::string name; };

/// `weight` counts elements of elements, also shared ones as often as they occur: what walking over it costs.
struct TupleValue { std::shared_ptr<const Values> elements; uint64_t weight = 1; };
struct ListValue { std::shared_ptr<const Values> elements; uint64_t weight = 1; };
struct DictValue { std::shared_ptr<const std::vector<std::pair<Value, Value>>> entries; };
struct SliceValue { std::shared_ptr<const Values> parts; };  ///< start, stop, step; None where left out
struct RangeValue { std::shared_ptr<const Values> parts; bool unroll = false; std::string name; }; ///< start, stop, step

/// A `def` or `lambda` with the scope that it reads from.
struct FunctionValue {
  const ast::DefStmt *def = nullptr;
  const ast::LambdaExpr *lambda = nullptr;
  std::shared_ptr<Frame> enclosing;   ///< of a nested function; null at module level
  ModuleScope *module = nullptr;
};
struct BuiltinValue { const Builtin *builtin; };
/// A method of a value: `t.load`, `x.to`.
struct MethodValue { std::shared_ptr<const Value> self; std::string name; };
/// A kernel with none, some or all of its Constexpr parameters given.
struct KernelValue { const KernelDefinition *kernel; std::shared_ptr<const std::map<std::string, Value>> constants; };
struct ModuleValue { ModuleScope *module; };
/// thread_id and its kin: x, y, z.
enum class IndexKind { ThreadId, BlockId, BlockDim, GridDim };
struct IndexValue { IndexKind kind; };
/// The `target` namespace.
struct TargetValue {};
/// `In`, `Out`, `InOut`, `Constexpr`, `vec`: names that take a subscript, and what the subscript makes.
enum class Generic { In, Out, InOut, Constexpr, Vec };
struct GenericValue { Generic generic; };
struct TensorTypeValue {
  Access access; host::Number element; uint32_t alignment = 16;
  std::shared_ptr<const Value> shape, stride;        ///< stride null: row-major
};
struct ArrayValue { std::shared_ptr<host::HostArray> array; };  ///< shared: a kernel call writes it

class Value {
public:
  using Storage = std::variant<NoneValue, bool, Int, double, std::string, Type, TupleValue, ListValue, DictValue,
                               SliceValue, RangeValue, FunctionValue, BuiltinValue, MethodValue, KernelValue, ModuleValue,
                               IndexValue, TargetValue, GenericValue, TensorTypeValue, ArrayValue, HostValue,
                               MachineValue, TensorValue, EllipsisValue, ErrorValue, OneSidedValue>;
  Storage storage;
  std::shared_ptr<LiteralOrigin> origin;  ///< numbers only; see LiteralOrigin

  Value() = default;
  template <typename T> Value(T value) : storage(std::move(value)) {}
  Value(int64_t value) : storage(Int(value)) {}
  Value(const char *text) : storage(std::string(text)) {}

  template <typename T> const T *as() const { return std::get_if<T>(&storage); }
  template <typename T> bool is() const { return std::holds_alternative<T>(storage); }

  bool isNone() const { return is<NoneValue>(); }
  bool isNumber() const { return is<bool>() || is<Int>() || is<double>(); }   ///< of compile time
  uint64_t weight() const;                                                    ///< 1 unless a tuple or list
  const Values *sequence() const;                                             ///< of a tuple or list
  /// No part of it is a machine value, tensor or launch-time expression.
  bool isCompileTime() const;
};

Value makeTuple(Values elements);
Value makeList(Values elements);

/// What a message calls it: "i32", "a tuple of 2", "a list of 3", "the integer 5", "a tensor of f32".
std::string describe(const Value &value);
/// As the author would write it; for static_print, constants of instances and `flyc eval`.
std::string toText(const Value &value, bool nested = false);
/// The integer that a finite float without a fraction is.
std::optional<Int> exactInteger(double value);
/// How two compile-time numbers compare, exactly also where an integer is no double.
std::partial_ordering order(const Value &a, const Value &b);
/// Equality of compile-time values; none if it cannot be decided.
std::optional<bool> equal(const Value &a, const Value &b);
/// Fits into int64_t.
std::optional<int64_t> toInt64(const Value &value);

} // namespace fly::sema
