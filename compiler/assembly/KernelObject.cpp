// The object is written as a file of assembly whose instructions are words, and assembled by LLVM: descriptors, notes
// and line tables are its business. The descriptor says what the stream uses: the highest register of each file, VCC,
// the inputs of the wave.
#include "compiler/assembly/KernelObject.h"

#include "compiler/assembly/Descriptor.h"
#include "compiler/assembly/RegisterUse.h"
#include "compiler/isa/ObjectAssembler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <bit>

namespace fly::assembly {

namespace {

/// Of the descriptor's words, sizes have a directive each.
bool isDirective(llvm::StringRef name) { return name.ends_with("_size"); }

/// A text of YAML that is taken literally.
std::string yaml(llvm::StringRef text) {
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string codeText(const Program &program, const KernelHead &head) {
  std::string text;
  SourceLine shown;
  for (const Item &item : program.items) {
    if (!item.isCode())
      continue;
    if (head.lineOf) {
      const SourceLine at = head.lineOf(item.statement.place);
      if (at.line && (at.file != shown.file || at.line != shown.line || at.column != shown.column)) {
        text += "\t.loc\t" + std::to_string(at.file + 1) + " " + std::to_string(at.line) + " " +
                std::to_string(at.column) + "\n";
        shown = at;
      }
    }
    text += "\t.long\t";
    for (size_t at = 0; at + 4 <= item.code.size(); at += 4)
      text += (at ? ", 0x" : "0x") +
              llvm::utohexstr(llvm::support::endian::read32le(item.code.data() + at), /*LowerCase=*/true);
    text += "\n";
  }
  return text;
}

} // namespace

llvm::Expected<std::string> kernelObject(Program &program, const KernelHead &head) {
  const target::Target &target = program.target;
  std::vector<isa::Instruction> code;
  std::vector<uint32_t> itemOf;
  if (placeCode(program, code, itemOf, /*final=*/true))
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "the kernel is not complete");
  if (target.hasFeature("vgpr_msb")) {
    isa::VgprMsb msb;
    for (isa::Instruction &i : code)
      msb.apply(i);
  }
  const RegisterUse use = useOf(program, code, itemOf);
  const target::Generation &generation = target.generation;
  const bool wave32 = program.assembler->waveSize() == 32;

  std::vector<std::pair<std::string, int64_t>> fields = {
      {"group_segment_fixed_size", head.ldsBytes},
      {"kernarg_size", head.kernargBytes},
      {"user_sgpr_kernarg_segment_ptr", program.uses(Input::KernargPointer)},
      {"system_sgpr_workgroup_id_x", generation.idsInTtmp || program.uses(Input::WorkgroupIdX)},
      {"system_sgpr_workgroup_id_y", generation.idsInTtmp || program.uses(Input::WorkgroupIdY)},
      {"system_sgpr_workgroup_id_z", generation.idsInTtmp || program.uses(Input::WorkgroupIdZ)},
      {"system_vgpr_workitem_id", 0},
      {"next_free_vgpr", 1},
      {"next_free_sgpr", std::max(1u, use.sgprs)},
      {"reserve_vcc", use.vcc},
      {"float_denorm_mode_32", head.flushDenormals ? 0 : 3},
      {"float_denorm_mode_16_64", 3},
  };
  auto set = [&](llvm::StringRef name, int64_t value) {
    for (auto &field : fields)
      if (field.first == name) {
        field.second = value;
        return;
      }
    fields.push_back({name.str(), value});
  };
  if (target.unifiedRegisters)
    set("accum_offset", accumulatorOffset(use));
  set("next_free_vgpr", vectorRegisters(target, use));
  if (wave32 && target.hasWaveSize(32))
    set("wavefront_size32", 1);
  for (auto &[name, value] : head.descriptor)
    set(name, value);
  DescriptorFields words; // what no directive says
  for (auto &[name, field] : program.descriptor)
    if (findDescriptorWord(name) && !isDirective(name))
      words.push_back({name, field.value});
    else
      set(name, field.value);

  std::string text;
  const std::string symbol = head.symbol;
  text += "\t.amdhsa_code_object_version " + std::to_string(target.codeObjectVersion) + "\n\t.text\n";
  text += "\t.protected\t" + symbol + "\n\t.globl\t" + symbol + "\n\t.p2align\t8\n\t.type\t" + symbol + ",@function\n";
  for (auto [number, file] : llvm::enumerate(head.files))
    text += "\t.file\t" + std::to_string(number + 1) + " " + isa::quotedText(file) + "\n";
  text += symbol + ":\n" + codeText(program, head);
  text += ".Lend:\n\t.size\t" + symbol + ", .Lend-" + symbol + "\n";
  // The instruction cache fetches ahead of what runs.
  const std::string codeEnd = "0x" + llvm::utohexstr(generation.codeEnd, /*LowerCase=*/true);
  text += "\t.p2alignl " + std::to_string(std::countr_zero(generation.codeLine)) + ", " + codeEnd + "\n\t.fill " +
          std::to_string(generation.codePadding / 4) + ", 4, " + codeEnd + "\n";
  text += "\t.section\t.rodata,\"a\",@progbits\n\t.p2align\t6\n\t.amdhsa_kernel " + symbol + "\n";
  for (auto &[name, value] : fields)
    text += "\t\t.amdhsa_" + name + " " + std::to_string(value) + "\n";
  text += "\t.end_amdhsa_kernel\n";

  auto number = [](uint64_t n) { return std::to_string(n); };
  text += "\t.amdgpu_metadata\n---\namdhsa.kernels:\n";
  text += "  - .name: " + yaml(symbol) + "\n    .symbol: " + yaml(symbol + ".kd") + "\n";
  if (target.agprs)
    text += "    .agpr_count: " + number(use.agprs) + "\n";
  text += head.arguments.empty() ? "    .args: []\n" : "    .args:\n";
  for (const Argument &a : head.arguments) {
    text += "      - .name: " + yaml(a.name) + "\n        .offset: " + number(a.offset) +
            "\n        .size: " + number(a.size) + "\n";
    text += a.isPointer ? "        .address_space: global\n        .value_kind: global_buffer\n"
                        : "        .value_kind: by_value\n";
  }
  auto field = [&](llvm::StringRef name) -> int64_t {
    for (auto &f : fields)
      if (f.first == name)
        return f.second;
    return 0;
  };
  text += "    .group_segment_fixed_size: " + number(static_cast<uint64_t>(field("group_segment_fixed_size"))) + "\n";
  text += "    .kernarg_segment_align: 8\n    .kernarg_segment_size: " +
          number(static_cast<uint64_t>(field("kernarg_size"))) + "\n";
  text += "    .max_flat_workgroup_size: " + number(head.maxWorkgroupSize) + "\n";
  if (head.workgroup)
    text += "    .reqd_workgroup_size: [" + number((*head.workgroup)[0]) + ", " + number((*head.workgroup)[1]) + ", " +
            number((*head.workgroup)[2]) + "]\n";
  text +=
      "    .private_segment_fixed_size: " + number(static_cast<uint64_t>(field("private_segment_fixed_size"))) + "\n";
  text += "    .sgpr_count: " +
          number(static_cast<uint64_t>(field("next_free_sgpr")) + (generation.countsSgprs && use.vcc ? 6 : 0)) + "\n";
  text += "    .sgpr_spill_count: 0\n    .uses_dynamic_stack: ";
  text += field("uses_dynamic_stack") ? "true\n" : "false\n";
  text += "    .vgpr_count: " + number(static_cast<uint64_t>(field("next_free_vgpr"))) + "\n    .vgpr_spill_count: 0\n";
  text += "    .wavefront_size: " + number(program.assembler->waveSize()) + "\n";
  text += "amdhsa.target: amdgcn-amd-amdhsa--" + std::string(target.name) +
          "\namdhsa.version: [1, 2]\n...\n\t.end_amdgpu_metadata\n";
  auto object = isa::assembleObject(std::string(target.name), text, program.assembler->waveSize());
  if (object) {
    if (llvm::Error error = setDescriptorWords(*object, symbol, words))
      return std::move(error);
    return object;
  }
  // "line 31: unknown directive": the line instead of its number.
  const std::string said = llvm::toString(object.takeError());
  auto [message, others] = llvm::StringRef(said).split('\n');
  unsigned lineNumber = 0;
  if (message.consume_front("line ") && !message.consumeInteger(10, lineNumber) && message.consume_front(": ")) {
    llvm::SmallVector<llvm::StringRef, 0> lines;
    llvm::StringRef(text).split(lines, '\n');
    if (lineNumber >= 1 && lineNumber <= lines.size())
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "`" + lines[lineNumber - 1].trim() + "`: " + message);
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace fly::assembly
