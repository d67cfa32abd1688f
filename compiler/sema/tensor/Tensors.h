// What the language does with a tensor: slices, elements, methods, attributes.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

Value tensorSlice(Elaborator &e, const TensorValue &tensor, const Values &items, SourceRange range);
void tensorStore(Elaborator &e, const TensorValue &tensor, const Values &items, const Value &value, SourceRange range,
                 SourceRange valueRange);
Value tensorMethod(Elaborator &e, const TensorValue &tensor, llvm::StringRef name, Arguments &arguments,
                   SourceRange range);
Value tensorAttribute(Elaborator &e, const TensorValue &tensor, llvm::StringRef name, SourceRange range,
                      SourceRange nameRange);
/// The pointer to `t[items]`.
PointerValue elementOf(Elaborator &e, const TensorValue &tensor, const Values &items, SourceRange range);

} // namespace fly::sema
