// A kernel as a stream of exact instructions, as ISA mode records it, on its way to an object.
//
//     Program program(target);
//     uint32_t x = program.variable(isa::RegisterFile::VGPR, 4, place);     // four VGPRs, not chosen yet
//     auto error = program.add(statement);                                  // assembled at once, with stand-ins
//     allocate(program) - complete(program) - check(program) - kernelObject(program, head)
//
// Each instruction is assembled twice. When it is added, registers that are not chosen yet are stand-ins, so that its
// mistakes are found where it was written, and the decoder says which operands it reads and writes. When all registers
// are chosen it is assembled with these. Instructions of one shape share what the first assembly found.
//
// Nothing here knows source files: a Place is a number of the user's.
#pragma once

#include "compiler/isa/Assembler.h"
#include "compiler/isa/ControlFlow.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fly::assembly {

using Place = uint32_t;

/// What a wave is given in registers when it starts.
enum class Input : uint8_t { None, KernargPointer, WorkgroupIdX, WorkgroupIdY, WorkgroupIdZ, WorkitemIds };
const char *name(Input input); ///< "abi.kernarg"

/// Neighbouring registers of one file that a program names before they are chosen.
struct Variable {
  isa::RegisterFile file = isa::RegisterFile::VGPR;
  uint16_t width = 1;
  Place place = 0;
  Input input = Input::None;
  std::string name; ///< of the source, for messages; may be empty
  int base = -1;    ///< the first register, once it is chosen
};
/// Some of a variable's registers.
struct Reference {
  uint32_t variable = 0;
  uint16_t offset = 0;
};

/// A field of the kernel descriptor, as its author sets it.
struct DescriptorField {
  int64_t value = 0;
  Place place = 0;
};

struct Label {
  std::string name;
  Place place = 0;
  std::optional<Place> placed;
};

/// What `add` takes. Operands of `assembly` that name variables are registers of any index, with their file and width;
/// `references` has the variable for each operand (those of the second half follow), or none.
struct Statement {
  isa::AsmInstruction assembly;
  std::vector<std::optional<Reference>> references;
  std::optional<uint32_t> label; ///< that the instruction jumps to; its operand is 0
  bool unchecked = false;
  Place place = 0;
};

/// An instruction as it was assembled with stand-ins.
struct Shape {
  isa::Encoding code;
  isa::Instruction decoded;
  bool clobbersEarly = false; ///< its results must not share registers with its sources
};

struct Item {
  Item() = default;
  Item(const Item &) = default;
  Item(Item &&) noexcept = default; // so that a growing list moves them
  Item &operator=(const Item &) = default;
  Item &operator=(Item &&) noexcept = default;
  enum class Kind : uint8_t { Instruction, Bytes, Label } kind = Kind::Instruction;
  Statement statement;
  uint32_t label = 0; ///< Kind::Label
  /// Which registers of the shape stand for which variable.
  struct StandIn {
    isa::RegisterFile file;
    uint16_t first, width;
    Reference reference;
  };
  llvm::SmallVector<StandIn, 4> standIns;
  std::shared_ptr<const Shape> shape; ///< null: bytes that are not an instruction
  bool inserted = false;              ///< by `complete`
  // Once registers are chosen:
  isa::Encoding code;
  isa::Instruction decoded;
  bool isCode() const { return kind != Kind::Label; }
};

class Program {
public:
  explicit Program(const target::Target &target, std::unique_ptr<isa::Assembler> assembler)
      : target(target), assembler(std::move(assembler)) {}

  uint32_t variable(isa::RegisterFile file, unsigned width, Place place);
  uint32_t input(Input input, Place place); ///< the same for each use
  uint32_t label(std::string name, Place place);
  /// The error of the assembler, if it refuses the instruction.
  std::optional<isa::AsmError> add(Statement statement);
  /// Machine code as it is; several instructions become several items.
  void addBytes(llvm::ArrayRef<uint8_t> bytes, bool unchecked, Place place);
  void place(uint32_t label, Place place);

  bool uses(Input input) const;

  const target::Target &target;
  std::unique_ptr<isa::Assembler> assembler;
  std::vector<Variable> variables;
  std::vector<Label> labels;
  std::vector<Item> items;
  /// By the names of the assembler's directives: {"user_sgpr_dispatch_ptr", {1, place}}. They replace derived ones.
  std::map<std::string, DescriptorField> descriptor;

private:
  llvm::StringMap<std::shared_ptr<const Shape>> shapes;
  std::map<Input, uint32_t> inputs;
};

/// What is wrong with a whole program. `arguments` are for the message of the kind.
struct Problem {
  enum class Kind : uint8_t {
    NeverWritten,     ///< {"x[2]" or "s[4:5]"}: a variable that no path has written
    InputOverwritten, ///< {"s0", "abi.kernarg"}: and read later
    InputDisabled,    ///< {"user_sgpr_kernarg_segment_ptr", "0", "abi.kernarg"}: by the descriptor, but it is used
    Unreached,        ///< {"x"}: a variable in code that no path leads to
    TooManyRegisters, ///< {"VGPRs", needed, "a wave of gfx942 has 256"}
    OverLimit,        ///< {"v200", needed, "VGPRs", "`vgprs=` allows 8"}: by number, or with those of another file
    NoRoom,           ///< {"v(8)", "VGPRs"}: there are enough registers, but no neighbouring ones
    UndefinedLabel,   ///< {"top"}
    NoEnd,            ///< execution runs off the end
    BranchTooFar,     ///< {distance in words}
    Refused,          ///< {message}: by the assembler, with the chosen registers
    NotProved,        ///< {rule, message, source}: by the verifier
  } kind = Kind::Refused;
  Place place = 0;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::optional<Place>, std::string>> notes;
};

/// Whether execution does not continue after it: a jump, the end, a trap.
bool endsWave(const isa::Instruction &instruction);
/// "v(4)"
std::string describe(isa::RegisterFile file, unsigned width);

/// Addresses from 0 on, and branches to their labels. The instructions with code, in order; `itemOf` their items.
std::optional<Problem> placeCode(Program &program, std::vector<isa::Instruction> &code, std::vector<uint32_t> &itemOf,
                                 bool final);

/// What limits the registers of a wave beside the machine; 0: nothing.
struct Budget {
  unsigned vgprs = 0;     ///< `vgprs=` of the kernel
  unsigned workgroup = 0; ///< threads of a workgroup, whose waves share the registers of a compute unit
};
/// Gives inputs the registers in which the hardware puts them.
std::vector<Problem> placeInputs(Program &program);
/// Chooses the registers of all variables and assembles with them.
std::vector<Problem> allocate(Program &program, const Budget &budget = {});

/// Inserts the waits that the verifier demands, as few and as late as possible, and the distances of gfx9.
void complete(Program &program);
/// What the verifier finds, but not at instructions that are unchecked.
std::vector<Problem> check(Program &program);

/// Instructions with their bytes, and how many registers are live at each.
std::string listing(Program &program, const std::function<std::string(Place)> &placeText);

} // namespace fly::assembly
