// The verifier on a finished stream: what it finds, at the instruction where it shows.
#include "compiler/assembly/Program.h"
#include "compiler/verify/Verify.h"

namespace fly::assembly {

std::vector<Problem> check(Program &program) {
  std::vector<isa::Instruction> code;
  std::vector<uint32_t> itemOf;
  if (auto problem = placeCode(program, code, itemOf, /*final=*/true))
    return {*problem};
  if (program.target.hasFeature("vgpr_msb")) {
    isa::VgprMsb msb;
    for (isa::Instruction &i : code)
      msb.apply(i);
  }
  const isa::ControlFlow flow(code);
  verify::Options options;
  options.strict = true;
  const verify::Result result = verify::verify(code, flow, program.target, options);
  std::vector<Problem> problems;
  for (const verify::Finding &f : result.errors) {
    const Item &second = program.items[itemOf[f.second]];
    if (second.statement.unchecked)
      continue;
    Problem problem{
        Problem::Kind::NotProved, second.statement.place, {f.rule->name, f.message, f.rule->what, f.source}, {}};
    if (f.first != f.second)
      problem.notes.push_back({program.items[itemOf[f.first]].statement.place,
                               "`" + program.assembler->print(code[f.first]) + "` is here"});
    problem.notes.push_back({std::nullopt, "it shows at `" + program.assembler->print(code[f.second]) + "`"});
    problems.push_back(std::move(problem));
  }
  return problems;
}

} // namespace fly::assembly
