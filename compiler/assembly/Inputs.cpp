// Where the hardware puts what a wave is given, in the order of LLVM's AMDGPUUsage, "Initial Kernel Execution State":
//
//     user SGPRs      private segment buffer, dispatch pointer, queue pointer, kernarg pointer, dispatch id, flat
//                     scratch, private segment size, preloaded arguments: each that the descriptor enables
//     system SGPRs    workgroup ids x, y, z: likewise
//     v0              workitem ids
//
// A program enables what it uses. What its author enables by `isa.descriptor` takes its registers all the same.
#include "compiler/assembly/Program.h"

namespace fly::assembly {

namespace {

struct Row {
  const char *field;
  uint8_t registers; ///< 0: as many as the field says
  Input input = Input::None;
};
constexpr Row userRows[] = {
    {"user_sgpr_private_segment_buffer", 4},
    {"user_sgpr_dispatch_ptr", 2},
    {"user_sgpr_queue_ptr", 2},
    {"user_sgpr_kernarg_segment_ptr", 2, Input::KernargPointer},
    {"user_sgpr_dispatch_id", 2},
    {"user_sgpr_flat_scratch_init", 2},
    {"user_sgpr_private_segment_size", 1},
    {"user_sgpr_kernarg_preload_length", 0},
};
constexpr Row systemRows[] = {
    {"system_sgpr_workgroup_id_x", 1, Input::WorkgroupIdX},
    {"system_sgpr_workgroup_id_y", 1, Input::WorkgroupIdY},
    {"system_sgpr_workgroup_id_z", 1, Input::WorkgroupIdZ},
};

} // namespace

std::vector<Problem> placeInputs(Program &program) {
  std::vector<Problem> problems;
  int next = 0;
  auto take = [&](const Row &row) {
    const bool isUsed = row.input != Input::None && program.uses(row.input);
    const auto given = program.descriptor.find(row.field);
    const int64_t value = given != program.descriptor.end() ? given->second.value : isUsed;
    if (isUsed && !value)
      problems.push_back(
          {Problem::Kind::InputDisabled, given->second.place, {row.field, std::to_string(value), name(row.input)}, {}});
    if (isUsed)
      program.variables[program.input(row.input, 0)].base = next;
    next += value <= 0 ? 0 : row.registers ? row.registers : static_cast<int>(std::min<int64_t>(value, 32));
  };
  for (const Row &row : userRows)
    take(row);
  // More than these need: the ids come after all of them.
  if (auto count = program.descriptor.find("user_sgpr_count"); count != program.descriptor.end())
    next = std::max(next, static_cast<int>(std::clamp<int64_t>(count->second.value, 0, 32)));
  for (const Row &row : systemRows)
    take(row);
  if (program.uses(Input::WorkitemIds))
    program.variables[program.input(Input::WorkitemIds, 0)].base = 0;
  return problems;
}

} // namespace fly::assembly
