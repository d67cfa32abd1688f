// Regions whose memory, LDS and matrix instructions are in the code object in the order of the source.
//
//   with sched.fixed():                  call @llvm.amdgcn.sched.barrier(i32 0) [ "fly.fixed.begin"() ]
//       ...                              ...
//                                        call @llvm.amdgcn.sched.barrier(i32 0) [ "fly.fixed.end"() ]
//
// LLVM keeps the order of what has side effects, and of nothing else: matrix instructions are pure to it, and so are
// loads nearly everywhere. Barriers of its scheduler, added after the optimizer, do not restore an order. So the order
// is never lost:
//
//   1. before the optimizer, each ordered operation gets a number and an effect. A call has the number in an operand
//      bundle, which LLVM must take for an access to any memory; an access is volatile;
//   2. after it, numbers are compared, effects removed, and barriers of the scheduler put between the operations. The
//      number is now the discriminator of the location, which every later pass keeps;
//   3. M0, which copies to LDS read, is written an instruction earlier than LLVM does (it would need an s_nop);
//   4. in the finished machine code, numbers are compared once more, and removed from the locations.
//
// A region is refused, with a place in it, if its order does not hold, or if it has spills or copies between VGPRs and
// AGPRs. Calculations between the ordered instructions may be anywhere in the region, and outside of it.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Step 1. Before the optimizer.
void holdFixedOrder(llvm::Module &module);
/// Step 2. After all rewrites of LLVM IR. Errors are diagnosed in the module's context.
void settleFixedOrder(llvm::Module &module);

} // namespace fly::codegen
