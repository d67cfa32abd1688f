// Reads statements that are a plain call, on one line, from the text: no lexer, no parser, no parse tree.
//
//     isa.v_mfma_f32_16x16x16_f16(a[0:4], v[2:4], v[8:10], a[0:4], cbsz=1)
//
// Generated kernels have tens of thousands of them in one function, where ANTLR's tables and its tree take most of the
// time of a build. A plain call has names, attributes, calls, subscripts with slices, integers, strings without
// escapes, `-`, `True`, `False`, `None` and keywords. All else is left to the grammar, as is every mistake: what is read
// here is right, and makes the very tree that the grammar makes.
#pragma once

#include "compiler/syntax/AST.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace fly {

/// The end of the plain call that begins at `begin`, if the line has nothing after it but a comment.
std::optional<size_t> endOfPlainCall(llvm::StringRef text, size_t begin);
/// The tree of a plain call that `endOfPlainCall` found.
ast::ExprStmt *plainCall(llvm::StringRef text, size_t begin, FileId file, ast::Module &module);

} // namespace fly
