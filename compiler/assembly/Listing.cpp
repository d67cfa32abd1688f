// The finished stream as text: registers that are live, the instruction, and where it comes from.
#include "compiler/assembly/Liveness.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace fly::assembly {

std::string listing(Program &program, const std::function<std::string(Place)> &placeText) {
  std::vector<isa::Instruction> code;
  std::vector<uint32_t> itemOf;
  if (placeCode(program, code, itemOf, /*final=*/true))
    return "";
  const Liveness lives(program, code, itemOf, Paths(code));
  const auto sgprs = lives.pressure(isa::RegisterFile::SGPR), vgprs = lives.pressure(isa::RegisterFile::VGPR),
             agprs = lives.pressure(isa::RegisterFile::AGPR);
  std::string out = program.target.agprs ? "//   v    a    s\n" : "//   v    s\n";
  auto target = [&](const isa::Instruction &i) -> std::string {
    auto to = i.target();
    return to ? "  // to 0x" + llvm::utohexstr(*to, true) : "";
  };
  uint32_t next = 0; // of `code`
  Place shown = ~0u;
  for (uint32_t k = 0; k < program.items.size(); ++k) {
    const Item &item = program.items[k];
    if (!item.isCode()) {
      out += program.labels[item.label].name + ":\n";
      continue;
    }
    const uint32_t i = next++;
    std::string line = llvm::formatv("{0,5}", vgprs[i]).str();
    if (program.target.agprs)
      line += llvm::formatv("{0,5}", agprs[i]).str();
    line += llvm::formatv("{0,5}  ", sgprs[i]).str();
    line += item.shape->decoded.op == isa::Op::Invalid ? "(bytes)" : program.assembler->print(code[i]);
    line += target(code[i]);
    if (item.inserted)
      line += "  // inserted";
    if (item.statement.place != shown) {
      if (line.size() < 70)
        line.append(70 - line.size(), ' ');
      line += "  // " + placeText(item.statement.place);
      shown = item.statement.place;
    }
    out += line + "\n";
  }
  return out;
}

} // namespace fly::assembly
