// Addresses and branches: what a branch holds is the number of words from its end to its label.
#include "compiler/assembly/Program.h"

#include "llvm/Support/Endian.h"

namespace fly::assembly {

bool endsWave(const isa::Instruction &i) {
  const std::string_view op = isa::name(i.op);
  return i.isTerminator() || op == "S_TRAP" || op == "S_SETHALT";
}

/// Until registers are chosen, code and sizes are those of the shapes.
std::optional<Problem> placeCode(Program &program, std::vector<isa::Instruction> &code, std::vector<uint32_t> &itemOf,
                                 bool final) {
  code.clear();
  itemOf.clear();
  std::vector<std::optional<uint64_t>> addresses(program.labels.size());
  uint64_t address = 0;
  for (Item &item : program.items) {
    if (item.kind == Item::Kind::Label) {
      addresses[item.label] = address;
      continue;
    }
    if (!final)
      item.code = item.shape->code, item.decoded = item.shape->decoded;
    item.decoded.address = address;
    address += item.code.size();
  }
  for (uint32_t k = 0; k < program.items.size(); ++k) {
    Item &item = program.items[k];
    if (!item.isCode())
      continue;
    if (item.statement.label) {
      const Label &label = program.labels[*item.statement.label];
      const auto to = addresses[*item.statement.label];
      if (!to)
        return Problem{
            Problem::Kind::UndefinedLabel, item.statement.place, {label.name}, {{label.place, "it is made here"}}};
      const int64_t words = (static_cast<int64_t>(*to) - static_cast<int64_t>(item.decoded.address + 4)) / 4;
      if (words < INT16_MIN || words > INT16_MAX)
        return Problem{Problem::Kind::BranchTooFar, item.statement.place, {std::to_string(words)}, {}};
      llvm::support::endian::write16le(item.code.data(), static_cast<uint16_t>(words));
      std::copy(item.code.begin(), item.code.end(), item.decoded.bytes.begin());
      for (isa::Operand &o : item.decoded.operands)
        if (o.role == isa::Role::Target)
          o.bits = *to;
    } else if (item.kind == Item::Kind::Bytes || item.decoded.find(isa::Role::Target)) {
      for (isa::Operand &o : item.decoded.operands)
        if (o.role == isa::Role::Target) // decoded at address 0
          o.bits = item.decoded.address + 4 +
                   static_cast<uint64_t>(int64_t(int16_t(llvm::support::endian::read16le(item.code.data()))) * 4);
    }
    itemOf.push_back(k);
    code.push_back(item.decoded);
  }
  return std::nullopt;
}

} // namespace fly::assembly
