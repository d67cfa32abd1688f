// See AccumulatorCheck.h: what LLVM's passes after ours made of the placed accumulators, read back
// from the machine code. LLVM does not allocate reserved registers, so every failure here is an internal error; the
// kernel's results would be wrong.
#include "compiler/codegen/check/AccumulatorCheck.h"

#include "compiler/codegen/check/FunctionCode.h"
#include "compiler/codegen/machine/PlaceAccumulators.h"
#include "compiler/isa/Decoder.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fly::codegen {

namespace {

struct Tuple {
  unsigned first = 0, count = 0;
};

std::vector<Tuple> readTuples(llvm::StringRef text) {
  std::vector<Tuple> tuples;
  for (llvm::StringRef word : llvm::split(text, ' ')) {
    auto [first, count] = word.split(':');
    Tuple &tuple = tuples.emplace_back();
    (void)first.getAsInteger(10, tuple.first), (void)count.getAsInteger(10, tuple.count);
  }
  return tuples;
}

/// The bytes of a function; empty if it is not there.
llvm::ArrayRef<uint8_t> codeOf(const llvm::object::ObjectFile &file, llvm::StringRef name) {
  for (const FunctionCode &function : functionsOf(file))
    if (function.name == name)
      return function.bytes;
  return {};
}

bool isMove(isa::Op op) { return llvm::StringRef(isa::name(op)).starts_with("V_ACCVGPR_"); }

/// What a function's AGPRs must keep to.
struct Rules {
  bool isPlaced = false;
  std::vector<Tuple> tuples; ///< of placed accumulators
  std::optional<unsigned> limit;
};

/// What is wrong with an operand that is an AGPR; null if nothing is.
const char *faultOf(const isa::Instruction &instruction, const isa::Operand &operand, const Rules &rules) {
  const unsigned first = operand.index, end = first + operand.width;
  if (!rules.isPlaced)
    return nullptr;
  if (llvm::none_of(rules.tuples, [&](const Tuple &t) { return t.first <= first && end <= t.first + t.count; }))
    return "names AGPRs that are not one accumulator";
  if (instruction.form == isa::Form::SCRATCH)
    return "spills an accumulator";
  const bool isLoad = instruction.mayLoad && !instruction.isAtomic;
  if (operand.def && !instruction.is(isa::Class::Matrix) && !isMove(instruction.op) && !isLoad)
    return "writes an accumulator";
  return nullptr;
}

std::string check(llvm::StringRef function, llvm::ArrayRef<uint8_t> code, const Rules &rules, isa::Decoder &decoder) {
  auto instructions = decoder.decodeKernel(code, 0);
  if (code.empty() || !instructions)
    return ("internal error: the code of `" + function + "` cannot be read back" +
            (instructions ? "" : ": " + llvm::toString(instructions.takeError())))
        .str();
  for (const isa::Instruction &instruction : *instructions) {
    if (llvm::none_of(instruction.operands, [](auto &operand) { return operand.isAgpr(); }))
      continue;
    for (const isa::Operand &operand : instruction.operands)
      if (operand.isAgpr() && rules.limit && operand.index + operand.width > *rules.limit)
        return ("in `" + function + "`, an instruction names AGPRs beyond `agprs=" + llvm::Twine(*rules.limit) +
                "`: " + decoder.print(instruction))
            .str();
      else if (const char *fault = operand.isAgpr() ? faultOf(instruction, operand, rules) : nullptr)
        return ("internal error: in `" + function + "`, an instruction " + fault + ": " + decoder.print(instruction))
            .str();
  }
  return "";
}

} // namespace

std::string checkAccumulators(const llvm::Module &module, llvm::StringRef object, const target::Target &target) {
  std::unique_ptr<llvm::object::ObjectFile> file;
  std::unique_ptr<isa::Decoder> decoder;
  for (const llvm::Function &function : module) {
    Rules rules{function.hasFnAttribute(placedAccumulators), {}, agprLimit(function)};
    if (!rules.isPlaced && !rules.limit)
      continue;
    if (!file) {
      auto read = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "object"));
      auto created = isa::Decoder::create(llvm::StringRef(target.name.data(), target.name.size()), target.waveSize);
      if (!read || !created)
        return "internal error: " + llvm::toString(llvm::joinErrors(read.takeError(), created.takeError()));
      file = std::move(*read), decoder = std::move(*created);
    }
    if (rules.isPlaced)
      rules.tuples = readTuples(function.getFnAttribute(placedAccumulators).getValueAsString());
    const auto code = codeOf(*file, function.getName());
    if (std::string error = check(function.getName(), code, rules, *decoder); !error.empty())
      return error;
  }
  return "";
}

} // namespace fly::codegen
