// Which instructions an architecture has: each opcode of LLVM's table is encoded with plausible operands, and the
// architecture's decoder says whether the bytes are an instruction.
//
//   1. Pseudo opcodes, which have no encoding, are left out; so are image instructions, half of the table, which are
//      not used for computing.
//   2. The operands: the first register of each operand's class, zeros for immediates; then scalar registers before
//      vector ones, then other values for one immediate at a time (64-bit DPP has a single control, DPP8 is told by its
//      last immediate, ...), until the decoder gives the opcode back.
//   3. Whatever comes back is an instruction that exists, even if it is not the one that was encoded (the opcodes of
//      the generations overlap): it is entered under its own name.
//   4. The decoder accepts slightly more than the GPU has, so each instruction is printed and assembled: the assembler
//      checks what the GPU has.
//   5. An opcode of the generation that never came back under its own name is printed and assembled too. Unless the
//      assembler says that the GPU lacks it, it is reported as not built, so that nothing is lost silently.
#include "compiler/isa/OpcodeList.h"

#include "compiler/isa/DecoderImpl.h"
#include "compiler/isa/OpcodeNames.h"

#include "llvm/MC/MCExpr.h"

#include <map>
#include <tuple>

namespace fly::isa {

namespace {

/// Finds operands with which opcodes encode.
struct ListBuilder {
  const Machine &machine;
  RegisterTable registers;
  const unsigned mode;
  std::map<std::tuple<int, bool, unsigned>, llvm::MCRegister> chosen;

  explicit ListBuilder(const Machine &machine)
      : machine(machine), registers(*machine.registers),
        mode(machine.subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo)) {}

  /// A register of a class that every subtarget is most likely to have: a numbered one, of low number, but another
  /// one for each operand (the results of a VOPD pair must be one even, one odd).
  llvm::MCRegister choose(int classId, bool scalarFirst, unsigned position) {
    auto [it, fresh] = chosen.try_emplace({classId, scalarFirst, position});
    if (!fresh) return it->second;
    auto rank = [&](const Operand &o) -> unsigned {
      if (o.isSpecial()) return 100000 + o.index;
      unsigned preference = o.isSgpr() ? (scalarFirst ? 0 : 20000) : o.isVgpr() ? (scalarFirst ? 20000 : 0) : 10000;
      unsigned wish = 4 + position;
      return preference + (o.index >= wish ? o.index - wish : 5000 - o.index) + (o.half == Half::High ? 7000 : 0);
    };
    unsigned best = ~0u;
    for (llvm::MCPhysReg reg : machine.registers->getRegClass(static_cast<unsigned>(classId)))
      if (unsigned r = rank(registers[reg]); r < best) {
        best = r;
        it->second = reg;
      }
    return it->second;
  }

  llvm::MCInst build(unsigned opcode, bool scalarFirst, std::vector<unsigned> &immediates) {
    const llvm::MCInstrDesc &desc = machine.instructions->get(opcode);
    llvm::MCInst inst;
    inst.setOpcode(opcode);
    immediates.clear();
    for (unsigned i = 0; i < desc.getNumOperands(); ++i) {
      const llvm::MCOperandInfo &info = desc.operands()[i];
      int tied = desc.getOperandConstraint(i, llvm::MCOI::TIED_TO);
      int classId = machine.instructions->getOpRegClassID(info, mode);
      if (tied >= 0 && tied < static_cast<int>(i)) {
        inst.addOperand(inst.getOperand(static_cast<unsigned>(tied)));
      } else if (classId >= 0) {
        inst.addOperand(llvm::MCOperand::createReg(choose(classId, scalarFirst, i)));
      } else {
        immediates.push_back(i);
        inst.addOperand(llvm::MCOperand::createImm(0));
      }
    }
    return inst;
  }
};

/// An opcode's mark of the generation, which tells whether its absence would be worth reporting.
bool bearsMark(const target::Generation &generation, llvm::StringRef opcodeName) {
  for (std::string_view mark : generation.opcodeMarks)
    if (hasToken({opcodeName.data(), opcodeName.size()}, mark)) return true;
  return false;
}

/// Instructions whose text is passed to the assembler, all at once, because creating an assembler takes a millisecond.
struct Questions {
  const Machine &machine;
  std::vector<llvm::MCInst> asked;

  unsigned add(const llvm::MCInst &inst) {
    asked.push_back(inst);
    return static_cast<unsigned>(asked.size() - 1);
  }
  std::string text(const llvm::MCInst &inst) {
    std::string text;
    llvm::raw_string_ostream out(text);
    machine.printer->printInst(&inst, 0, "", *machine.subtarget, out);
    return text;
  }
  /// The error for each; empty if there is none.
  std::vector<std::string> answers(Encoder &encoder) {
    std::string all;
    for (const llvm::MCInst &inst : asked) all += text(inst) + "\n";
    std::vector<std::string> result(asked.size());
    auto code = encoder.assemble(all);
    if (code) return result;
    llvm::SmallVector<llvm::StringRef, 0> lines;
    const std::string errors = llvm::toString(code.takeError());
    llvm::StringRef(errors).split(lines, '\n');
    for (llvm::StringRef line : lines) { // "line 12: invalid operand for instruction"
      unsigned number = 0;
      if (!line.consume_front("line ") || line.consumeInteger(10, number) || number == 0 || number > result.size())
        continue;
      if (result[number - 1].empty()) result[number - 1] = line.ltrim(": ").str();
    }
    return result;
  }
};

/// Whether an error says that the GPU lacks the instruction, or this encoding of it; other errors concern the operands.
bool lacksInstruction(llvm::StringRef refusal) {
  return refusal.contains("not supported on this GPU") || refusal.contains("not valid for this GPU") ||
         refusal.contains("instruction requires wavesize");
}

struct Lister {
  llvm::StringRef architecture;
  std::map<Op, OpcodeEntry> entries;
  std::map<std::string, std::pair<Op, std::string>> unbuilt; ///< LLVM's name: its meaning, and why not
  std::set<Op> lacking;                                      ///< the assembler says that the GPU does not have these

  void enter(const Instruction &inst, unsigned waveSize, bool assembles, llvm::StringRef text, bool second = false) {
    if (!inst.components.empty()) {
      auto [x, y] = text.split("::");
      enter(inst.components[0], waveSize, assembles, x);
      enter(inst.components[1], waveSize, assembles, y, true);
      return;
    }
    OpcodeEntry &entry = entries[inst.op];
    if (entry.op == Op::Invalid || (assembles && !entry.assembles)) {
      entry.op = inst.op;
      entry.assembles = assembles;
      entry.cls = inst.cls;
      entry.baseForm = inst.baseForm;
      entry.example = inst;
      entry.exampleWaveSize = waveSize;
    }
    entry.forms.insert(inst.form);
    if (assembles) entry.examples.push_back({text.trim().str(), waveSize, inst.form, second});
  }

  llvm::Error list(unsigned waveSize);
};

llvm::Error Lister::list(unsigned waveSize) {
  auto machine = Machine::create(architecture, waveSize);
  if (!machine) return machine.takeError();
  auto decoder = Decoder::create(architecture, waveSize);
  if (!decoder) return decoder.takeError();
  auto encoder = Encoder::create(architecture, waveSize);
  if (!encoder) return encoder.takeError();
  const llvm::MCInstrInfo &table = *(*machine)->instructions;
  auto meaning = [&](unsigned opcode) {
    llvm::StringRef fullName = table.getName(opcode);
    return semanticName({fullName.data(), fullName.size()});
  };
  ListBuilder builder(**machine);
  Questions questions{**machine, {}};
  std::vector<bool> met(table.getNumOpcodes());
  std::vector<std::pair<Instruction, unsigned>> found; // with the number of its question
  std::vector<std::pair<unsigned, unsigned>> absent;   // opcodes of the generation, likewise

  auto meet = [&](const Encoding &bytes, unsigned opcode, const std::string &wanted, bool &same, bool &exactly) {
    llvm::MCInst back;
    uint64_t size;
    if (!(*machine)->disassembleExactly(bytes, 0, back, size)) return;
    exactly |= back.getOpcode() == opcode;
    same |= meaning(back.getOpcode()) == wanted;
    if (met[back.getOpcode()]) return;
    met[back.getOpcode()] = true;
    auto decoded = (*decoder)->decodeOne(bytes, 0);
    if (!decoded) return llvm::consumeError(decoded.takeError());
    found.emplace_back(std::move(*decoded), questions.add(back));
  };

  for (unsigned opcode = 0; opcode < table.getNumOpcodes(); ++opcode) {
    const llvm::MCInstrDesc &desc = table.get(opcode);
    if (desc.isPseudo() || desc.getSize() == 0) continue;
    const std::string wanted = meaning(opcode);
    if (wanted.starts_with("IMAGE_")) continue;
    bool same = false, exactly = false;
    auto tryOperands = [&](const llvm::MCInst &inst) {
      auto bytes = (*encoder)->encode(inst);
      if (bytes) meet(*bytes, opcode, wanted, same, exactly);
      else llvm::consumeError(bytes.takeError());
    };
    std::vector<unsigned> immediates;
    for (bool scalarFirst : {false, true}) {
      llvm::MCInst inst = builder.build(opcode, scalarFirst, immediates);
      tryOperands(inst);
      for (unsigned i : immediates)
        for (int64_t value : {1, 2, 0x151, 0xe9, -1}) {
          if (exactly) break;
          llvm::MCInst changed = inst;
          changed.getOperand(i).setImm(value);
          tryOperands(changed);
        }
      if (exactly) break;
    }
    if (!same && bearsMark((*machine)->row->generation, table.getName(opcode)))
      absent.emplace_back(opcode, questions.add(builder.build(opcode, false, immediates)));
  }

  std::vector<std::string> answers = questions.answers(**encoder);
  const size_t asked = questions.asked.size();
  for (auto &[opcode, question] : absent) {
    const std::string wanted = meaning(opcode);
    bool same = false, exactly = false;
    if (!answers[question].empty()) {
      if (lacksInstruction(answers[question])) lacking.insert(findOp(wanted));
      else unbuilt[table.getName(opcode).str()] = {findOp(wanted), answers[question]};
    } else if (auto code = (*encoder)->assemble(questions.text(questions.asked[question])); code && !code->empty()) {
      meet(code->front(), opcode, wanted, same, exactly); // an alias of another instruction
    } else if (!code) {
      llvm::consumeError(code.takeError());
    }
  }
  for (auto &[inst, question] : found)
    enter(inst, waveSize, question >= asked || !lacksInstruction(answers[question]),
          questions.text(questions.asked[question]));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<OpcodeList> listOpcodes(llvm::StringRef architecture) {
  const target::Target *row = target::find(architecture);
  if (!row) return makeError("unknown architecture `" + architecture + "`");
  Lister lister{architecture, {}, {}, {}};
  for (unsigned waveSize : {row->waveSize, 96 - row->waveSize}) {
    if (!row->hasWaveSize(waveSize)) continue;
    if (llvm::Error error = lister.list(waveSize)) return error;
  }
  OpcodeList result;
  for (auto &[op, entry] : lister.entries) result.entries.push_back(std::move(entry));
  std::sort(result.entries.begin(), result.entries.end(),
            [](const OpcodeEntry &a, const OpcodeEntry &b) { return name(a.op) < name(b.op); });
  for (auto &[opcode, what] : lister.unbuilt)
    if (!lister.entries.count(what.first) && !lister.lacking.count(what.first))
      result.unbuilt.push_back(opcode + ": " + what.second);
  return result;
}

} // namespace fly::isa
