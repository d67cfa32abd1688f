// Accesses of pinned registers (PinnedRegisters.h), made as narrow as what they do. The front end reads and writes a
// piece of a fragment as a whole, so one element takes both:
//
//     t[1] = t[1] * 2            %t = fly.pin v 64 4             %x = fly.pin v 65 1
//                                %y = fmul (element 1 of %t), 2  %y = fmul %x, 2
//                                fly.pin v 64 4 <- %t with %y    fly.pin v 65 1 <- %y
//
//   1. a write whose words are partly what the same registers held is a write of the others; neighbouring words that
//      are one vector stay together;
//   2. a read of which only some words are used is a read of these;
//   3. writes, one after the other, that are together a vector are a write of it: what a wide load returns may be
//      written element by element, or be two pieces of a fragment;
//   4. what is left of more words than LLVM's register tuples have is an access of each part.
//
// So nothing has to be moved, and LLVM never sees a vector that it could put together in a register of its own.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace fly::codegen {

/// Before optimisation: the words of a vector still stand as they were written.
void narrowPins(llvm::Module &module);

} // namespace fly::codegen
