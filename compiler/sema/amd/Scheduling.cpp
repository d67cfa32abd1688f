// See Scheduling.h. Kinds of instructions are bits of LLVM's masks (FlyControlOps.td).
#include "compiler/sema/amd/Scheduling.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/amd/ModuleAmd.h"
#include "compiler/sema/elaborator/Suggest.h"

#include "compiler/dialect/FlyOps.h"

#include "llvm/Support/SaveAndRestore.h"

namespace fly::sema {

namespace {

struct KindOfInstruction {
  const char *name;
  unsigned bit;
};
constexpr KindOfInstruction kinds[] = {
    {"alu", 0},       {"valu", 1},       {"salu", 2}, {"mfma", 3},    {"wmma", 3},     {"vmem", 4},
    {"vmem_read", 5}, {"vmem_write", 6}, {"ds", 7},   {"ds_read", 8}, {"ds_write", 9}, {"trans", 10},
};

const KindOfInstruction *kindOf(llvm::StringRef name) {
  auto *found = llvm::find_if(kinds, [&](auto &kind) { return name == kind.name; });
  return found == std::end(kinds) ? nullptr : found;
}
std::vector<std::string> kindNames() {
  std::vector<std::string> names;
  for (auto &kind : kinds)
    names.emplace_back(kind.name);
  return names;
}

Value region(Elaborator &, BoundCall &) { return makeObject<SchedulingRegion>(/*isFixed=*/false); }
Value fixed(Elaborator &, BoundCall &) { return makeObject<SchedulingRegion>(/*isFixed=*/true); }

Value group(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "sched.group");
  if (call.rest.empty())
    e.fail(diag::wrong_argument_count, call.range,
           {"sched.group", "kinds of instructions, `sched.group(ds_read=1, mfma=2)`", "none"});
  for (const Argument &argument : call.rest) {
    auto *kind = kindOf(argument.keyword);
    if (!kind)
      failUnknown(e, diag::unknown_keyword, argument.range, "sched.group", argument.keyword, kindNames());
    const int64_t count = requireInt(e, argument.value, argument.range, "`" + argument.keyword + "`");
    if (count < 0 || count > 4096)
      e.fail(argument.range,
             diag::out_of_range{
                 .what = "`" + argument.keyword + "`", .low = 0, .high = 4096, .found = std::to_string(count)});
    if (count)
      ir::SchedGroupBarrierOp::create(b, e.location(call.range), uint32_t(1) << kind->bit, uint32_t(count), 0);
  }
  return Value();
}

Value barrier(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "sched.barrier");
  uint32_t mask = 0;
  for (const Argument &argument : call.rest) {
    auto *name = argument.value.as<std::string>();
    auto *kind = name ? kindOf(*name) : nullptr;
    if (!kind) {
      diag::Choices choices;
      for (auto &each : kinds)
        choices.push_back(std::string("\"") + each.name + "\"");
      e.fail(argument.range, diag::unknown_choice{.what = "what passes `sched.barrier`",
                                                  .choices = choices,
                                                  .found = name ? "\"" + *name + "\"" : describe(argument.value)});
    }
    mask |= uint32_t(1) << kind->bit;
  }
  ir::SchedBarrierOp::create(b, e.location(call.range), mask);
  return Value();
}

Value iglp(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "sched.iglp");
  if (!e.target.has("mfma") && !e.target.has("wmma"))
    e.fail(diag::not_on_target, call.range, {"`sched.iglp`", std::string(e.target.name)});
  const int64_t number = requireInt(e, call[0], call.ranges[0], "the strategy");
  if (number < 0 || number > 3)
    e.fail(call.ranges[0],
           diag::out_of_range{.what = "the strategy", .low = 0, .high = 3, .found = std::to_string(number)});
  ir::IglpOp::create(b, e.location(call.range), uint32_t(number));
  return Value();
}

/// A number of instructions of a stream, 1 if it is not given.
uint32_t countOf(Elaborator &e, BoundCall &call, size_t place) {
  if (!call.given[place])
    return 1;
  const std::string name = "`" + parameterName(*call.builtin, place) + "`";
  const int64_t count = requireInt(e, call[place], call.ranges[place], name);
  if (count < 1 || count > 4096)
    e.fail(call.ranges[place],
           diag::out_of_range{.what = name, .low = 1, .high = 4096, .found = std::to_string(count)});
  return uint32_t(count);
}

Value interleave(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "sched.interleave");
  const uint32_t every = countOf(e, call, 2), take = countOf(e, call, 3);
  const mlir::Location at = e.location(call.range);
  const mlir::Block *block = b.getBlock();
  Values results;
  ir::FixedOrderOp::create(b, at, /*ends=*/false);
  for (auto [stream, place] : {std::pair(size_t(0), ir::StreamPlace::First), {size_t(1), ir::StreamPlace::Second}}) {
    ir::StreamOp::create(*e.kernel.builder, at, place, every, take);
    llvm::SaveAndRestore inStream(e.openStreams, e.openStreams + 1);
    results.push_back(e.call(call[stream], {}, call.ranges[stream]));
    if (e.kernel.builder->getBlock() != block)
      e.fail(call.ranges[stream], diag::fixed_region{.found = "a branch or a loop that is decided at run time"});
  }
  ir::StreamOp::create(*e.kernel.builder, at, ir::StreamPlace::End, 1, 1);
  ir::FixedOrderOp::create(*e.kernel.builder, at, /*ends=*/true);
  return makeTuple(std::move(results));
}

/// How many matrix instructions the operations after `begin` are.
int64_t matrixInstructionsAfter(mlir::Operation *begin) {
  int64_t count = 0;
  for (mlir::Operation *op = begin->getNextNode(); op; op = op->getNextNode())
    if (auto product = llvm::dyn_cast<ir::MmaOp>(op))
      count +=
          product.getAtom().row().call == atom::MmaCall::Fma ? 0 : product.getM() * product.getN() * product.getK();
    else if (auto exact = llvm::dyn_cast<ir::ExactOp>(op))
      count += llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"},
                            [&](llvm::StringRef name) { return exact.getAssembly().starts_with(name); });
  return count;
}

Value inShadow(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "sched.in_shadow");
  if (e.openStreams)
    e.fail(call.range, diag::bad_shadow{.problem = "is in `sched.interleave`, which puts other instructions there"});
  const mlir::Location at = e.location(call.range);
  const mlir::Block *block = b.getBlock();
  Values results;
  mlir::Operation *begin = ir::FixedOrderOp::create(b, at, /*ends=*/false);
  auto run = [&](size_t part) {
    results.push_back(e.call(call[part], {}, call.ranges[part]));
    if (e.kernel.builder->getBlock() != block)
      e.fail(call.ranges[part], diag::fixed_region{.found = "a branch or a loop that is decided at run time"});
  };
  run(0);
  if (const int64_t count = matrixInstructionsAfter(begin); count != 1)
    e.fail(call.ranges[0], diag::bad_shadow{.problem = "takes one matrix instruction, and then what stands in its "
                                                       "shadow; the first function has " +
                                                       std::to_string(count)});
  ir::ShadowOp::create(*e.kernel.builder, at, /*ends=*/false);
  run(1);
  ir::ShadowOp::create(*e.kernel.builder, at, /*ends=*/true);
  ir::FixedOrderOp::create(*e.kernel.builder, at, /*ends=*/true);
  return makeTuple(std::move(results));
}

Value priority(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "sched.priority");
  const int64_t number = requireInt(e, call[0], call.ranges[0], "the priority");
  if (number < 0 || number > 3)
    e.fail(call.ranges[0],
           diag::out_of_range{.what = "the priority", .low = 0, .high = 3, .found = std::to_string(number)});
  ir::SetPriorityOp::create(b, e.location(call.range), uint32_t(number));
  return Value();
}

const Builtin schedulingRows[] = {
    {"region", "", "for `with sched.region():`; LLVM schedules no instruction across its ends", region},
    {"fixed", "",
     "for `with sched.fixed():`; its memory, LDS and matrix instructions keep the order of the source in the code "
     "object",
     fixed},
    {"group", "**kinds",
     "asks the scheduler for groups of instructions, in the order of the arguments and of the calls in the region: "
     "`sched.group(ds_read=1, mfma=2)`. Kinds are alu, valu, salu, mfma, wmma, vmem, vmem_read, vmem_write, ds, "
     "ds_read, ds_write and trans; a count of 0 means no group",
     group},
    {"barrier", "*kinds", "LLVM schedules only instructions of these kinds across it: `sched.barrier(\"valu\")`",
     barrier},
    {"iglp", "n",
     "lets LLVM interleave the instructions around the call by one of its own strategies: 0 for LDS and matrix "
     "instructions, 1 for the same with one wave per SIMD, 2 and 3 for transcendental and matrix instructions",
     iglp},
    {"interleave", "first, second, *, every=1, take=1",
     "merges the memory, LDS and matrix instructions of two functions without parameters: `take` instructions of the "
     "second one follow every `every` instructions of the first one. Of a function that only calculates, its statements "
     "are counted. The code object keeps this order. Returns the results of both",
     interleave},
    {"in_shadow", "product, work",
     "calls two functions without parameters: the first is one matrix instruction, and what the second one does stands "
     "right after it, to execute while it does. `-Wperf` warns of more than fits. Returns the results of both",
     inShadow},
    {"priority", "n", "sets the wave's priority among the waves of its SIMD from here on, 0 to 3", priority},
};

} // namespace

Value SchedulingRegion::attribute(Elaborator &e, const Value &, llvm::StringRef name, SourceRange,
                                  SourceRange nameRange) const {
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, {});
}

Flow SchedulingRegion::exec(Elaborator &e, const ast::WithStmt &stmt, SourceRange range) const {
  auto mark = [&](bool ends) {
    auto &b = e.ir(range, text());
    if (isFixed)
      ir::FixedOrderOp::create(b, e.location(range), ends);
    else
      ir::SchedBarrierOp::create(b, e.location(range), 0);
  };
  mark(/*ends=*/false);
  const mlir::Block *block = e.kernel.builder->getBlock();
  const Flow flow = e.execBlock(stmt.body);
  if (isFixed && flow == Flow::Jumped)
    e.fail(range, diag::fixed_region{.found = "a jump out of it"});
  if (isFixed && e.kernel.builder->getBlock() != block)
    e.fail(range, diag::fixed_region{.found = "a branch or a loop that is decided at run time"});
  if (flow == Flow::Next)
    mark(/*ends=*/true);
  return flow;
}

llvm::ArrayRef<Builtin> schedulingBuiltins() { return schedulingRows; }

} // namespace fly::sema
