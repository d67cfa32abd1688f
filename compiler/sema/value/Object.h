// Object: values of the tile library: atoms, tiled copies, a thread's slice of one, fragments, coordinate tensors. Each
// kind is a class that defines its attributes, methods and subscripts.
//
// Objects of compile time (atoms, tiled copies) are compared and printed; those that hold registers or machine values
// (fragments, coordinate tensors, a thread's part) are references, as tensors are.
#pragma once

#include "compiler/sema/value/Value.h"

namespace fly::sema {

class Object {
public:
  virtual ~Object() = default;

  /// "the copy atom `UniversalCopy(128, f32)`", for messages.
  virtual std::string description() const = 0;
  /// As the author would write it.
  virtual std::string text() const = 0;
  virtual bool isCompileTime() const { return true; }
  virtual bool equals(const Object &other) const { return this == &other; }

  /// `self` is the value that holds this object.
  virtual Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                          SourceRange nameRange) const = 0;
  virtual Value method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const;
  /// `self(arguments)`; without it calls are refused.
  virtual bool isCallable() const { return false; }
  virtual Value call(Elaborator &e, Arguments &arguments, SourceRange range) const;
  /// Of ISA mode: it names a register or an argument, whose value exists only when the kernel runs.
  virtual bool isRunTime() const { return false; }
  /// `self[items]`, and `self[items] = value`; without them subscripts are refused.
  virtual Value index(Elaborator &e, const Values &items, SourceRange range) const;
  virtual void assign(Elaborator &e, const Values &items, const Value &value, SourceRange range,
                      SourceRange valueRange) const;
};

/// The object as one of a class; null if it is another.
template <typename T> const T *objectAs(const Value &value) {
  auto *object = value.as<ObjectValue>();
  return object ? dynamic_cast<const T *>(object->object.get()) : nullptr;
}

template <typename T, typename... Arguments> Value makeObject(Arguments &&...arguments) {
  return Value(ObjectValue{std::make_shared<const T>(std::forward<Arguments>(arguments)...)});
}

} // namespace fly::sema
