// See Descriptor.h. Fields that the assembler sets by itself, to the value that they have, are left out. Numbers of
// registers are those of the metadata, unless the descriptor has another number of granules. What the fields make is
// assembled and compared: a field that the assembler refuses is left out, and words that differ are given whole.
#include "compiler/assembly/Descriptor.h"

#include "compiler/isa/ObjectAssembler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace fly::assembly {

using namespace llvm::amdhsa;

namespace {

/// Where the descriptor counts them, the assembler adds VCC, XNACK_MASK and FLAT_SCRATCH; the field counts eights.
unsigned scalarRegistersOf(const isa::Kernel &kernel, const target::Target &target) {
  const bool isCounted = target.generation.countsSgprs;
  const unsigned beyond = isCounted ? 6 : 0, granule = 8;
  const unsigned noted = std::max(1u, kernel.sgprs > beyond ? kernel.sgprs - beyond : kernel.sgprs);
  if (!isCounted)
    return noted;
  const unsigned allocated = (kernel.descriptor.granulatedSgprs + 1) * granule;
  if (noted <= target.sgprs.addressable && llvm::alignTo(noted + beyond, granule) == allocated)
    return noted;
  return std::clamp(allocated - std::min(allocated - 1, beyond), 1u, target.sgprs.addressable);
}

constexpr DescriptorWord words[] = {
    {"group_segment_fixed_size", GROUP_SEGMENT_FIXED_SIZE_OFFSET, 4},
    {"private_segment_fixed_size", PRIVATE_SEGMENT_FIXED_SIZE_OFFSET, 4},
    {"kernarg_size", KERNARG_SIZE_OFFSET, 4},
    {"reserved0", RESERVED0_OFFSET, 4},
    {"reserved1_0", RESERVED1_OFFSET, 4},
    {"reserved1_1", RESERVED1_OFFSET + 4, 4},
    {"reserved1_2", RESERVED1_OFFSET + 8, 4},
    {"reserved1_3", RESERVED1_OFFSET + 12, 4},
    {"reserved1_4", RESERVED1_OFFSET + 16, 4},
    {"compute_pgm_rsrc3", COMPUTE_PGM_RSRC3_OFFSET, 4},
    {"compute_pgm_rsrc1", COMPUTE_PGM_RSRC1_OFFSET, 4},
    {"compute_pgm_rsrc2", COMPUTE_PGM_RSRC2_OFFSET, 4},
    {"kernel_code_properties", KERNEL_CODE_PROPERTIES_OFFSET, 2},
    {"kernarg_preload", KERNARG_PRELOAD_OFFSET, 2},
    {"reserved3", RESERVED3_OFFSET, 4},
};

/// Where the descriptor of a kernel stands in a relocatable object.
std::optional<uint64_t> placeOfDescriptor(llvm::StringRef object, llvm::StringRef kernel) {
  using Elf = llvm::object::ELF64LEFile;
  auto file = Elf::create(object);
  if (!file)
    return llvm::consumeError(file.takeError()), std::nullopt;
  auto sections = file->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError()), std::nullopt;
  const std::string wanted = kernel.str() + ".kd";
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    auto names = file->getStringTableForSymtab(section);
    if (!symbols || !names) {
      llvm::consumeError(symbols ? names.takeError() : symbols.takeError());
      if (!names)
        llvm::consumeError(names.takeError());
      return std::nullopt;
    }
    for (const auto &symbol : *symbols) {
      auto name = symbol.getName(*names);
      if (!name)
        return llvm::consumeError(name.takeError()), std::nullopt;
      if (*name == wanted && symbol.st_shndx < sections->size())
        return (*sections)[symbol.st_shndx].sh_offset + symbol.st_value;
    }
  }
  return std::nullopt;
}

/// The object of a kernel without code, or what the assembler says: "line 3: out of range" is about the third field.
llvm::Expected<std::string> assembleFields(const DescriptorFields &fields, const target::Target &target,
                                           unsigned waveSize) {
  std::string text = ".amdhsa_kernel k\n";
  for (auto &[name, value] : fields)
    text += ".amdhsa_" + name + " " + std::to_string(value) + "\n";
  text += ".end_amdhsa_kernel\n.text\nk:\n";
  return isa::assembleObject(std::string(target.name), text, waveSize);
}

/// Takes out the fields that the assembler refuses; those that it needs get the least value instead. `others` stay.
llvm::Expected<std::string> assembleAccepted(DescriptorFields &fields, const DescriptorFields &others,
                                             const target::Target &target, unsigned waveSize) {
  const std::map<std::string, int64_t> least = {{"next_free_vgpr", 1}, {"next_free_sgpr", 1}, {"accum_offset", 4}};
  auto isLeast = [&](const std::pair<std::string, int64_t> &field) {
    auto found = least.find(field.first);
    return found != least.end() && found->second == field.second;
  };
  for (;;) {
    DescriptorFields all = fields;
    all.insert(all.end(), others.begin(), others.end());
    auto object = assembleFields(all, target, waveSize);
    if (object)
      return object;
    const std::string said = llvm::toString(object.takeError());
    llvm::StringRef message = said;
    size_t line = 0;
    // The first line opens the descriptor. What is wrong with several fields together is said at its end.
    const bool hasLine = message.consume_front("line ") && !message.consumeInteger(10, line) && line >= 2;
    size_t at = hasLine ? line - 2 : fields.size();
    if (at >= fields.size() || isLeast(fields[at])) {
      auto last = llvm::find_if_not(llvm::reverse(fields), isLeast);
      if (last == fields.rend())
        return llvm::createStringError(llvm::inconvertibleErrorCode(), said);
      at = size_t(std::distance(fields.begin(), last.base())) - 1;
    }
    if (auto found = least.find(fields[at].first); found != least.end())
      fields[at].second = found->second;
    else
      fields.erase(fields.begin() + long(at));
  }
}

} // namespace

llvm::ArrayRef<DescriptorWord> descriptorWords() { return words; }

const DescriptorWord *findDescriptorWord(llvm::StringRef name) {
  auto found = llvm::find_if(words, [&](const DescriptorWord &w) { return name == w.name; });
  return found == std::end(words) ? nullptr : found;
}

llvm::Error setDescriptorWords(std::string &object, llvm::StringRef kernel, const DescriptorFields &values) {
  if (values.empty())
    return llvm::Error::success();
  auto refuse = [](const std::string &why) { return llvm::createStringError(llvm::inconvertibleErrorCode(), why); };
  const auto at = placeOfDescriptor(object, kernel);
  if (!at || *at + 64 > object.size())
    return refuse("the object has no descriptor");
  for (auto &[name, value] : values) {
    const DescriptorWord *word = findDescriptorWord(name);
    if (!word || !word->holds(value))
      return refuse("`" + name + "` has " + std::to_string(word ? 8 * word->size : 0) + " bits, and " +
                    std::to_string(value) + " does not fit");
    for (unsigned k = 0; k < word->size; ++k)
      object[*at + word->offset + k] = static_cast<char>(static_cast<uint64_t>(value) >> 8 * k);
  }
  return llvm::Error::success();
}

unsigned vectorRegistersOf(const isa::Kernel &kernel, const target::Target &target) {
  const unsigned granule = target.vgprsAt(kernel.waveSize, target.descriptorVgprs);
  const unsigned allocated = (kernel.descriptor.granulatedVgprs + 1) * granule, noted = std::max(1u, kernel.vgprs);
  return llvm::alignTo(noted, granule) == allocated ? noted : allocated;
}

/// What directives can say of a descriptor.
static DescriptorFields namedFields(const isa::Kernel &kernel, const target::Target &target) {
  const isa::KernelDescriptor &d = kernel.descriptor;
  DescriptorFields fields;
  auto add = [&](const char *name, int64_t value) { fields.push_back({name, value}); };
  auto addUnless = [&](int64_t usual, const char *name, int64_t value) {
    if (value != usual)
      add(name, value);
  };
  const target::Generation &generation = target.generation;
  addUnless(0, "user_sgpr_dispatch_ptr", d.dispatchPtr);
  addUnless(0, "user_sgpr_queue_ptr", d.queuePtr);
  add("user_sgpr_kernarg_segment_ptr", d.kernargSegmentPtr);
  addUnless(0, "user_sgpr_dispatch_id", d.dispatchId);
  addUnless(0, "user_sgpr_private_segment_size", d.privateSegmentSize);
  if (d.preloadLength)
    add("user_sgpr_kernarg_preload_length", d.preloadLength), add("user_sgpr_kernarg_preload_offset", d.preloadOffset);
  add("user_sgpr_count", d.userSgprs);
  add("system_sgpr_workgroup_id_x", d.workgroupIdX);
  add("system_sgpr_workgroup_id_y", d.workgroupIdY);
  add("system_sgpr_workgroup_id_z", d.workgroupIdZ);
  addUnless(0, "system_sgpr_workgroup_info", d.workgroupInfo);
  addUnless(0, "system_vgpr_workitem_id", d.vgprWorkitemId);
  addUnless(0, "enable_private_segment", d.usesPrivateSegment);
  addUnless(0, "private_segment_fixed_size", d.privateSegmentFixedSize);
  addUnless(0, "uses_dynamic_stack", d.usesDynamicStack);
  if (target.unifiedRegisters)
    add("accum_offset", d.accumOffset);
  add("next_free_vgpr", vectorRegistersOf(kernel, target));
  add("next_free_sgpr", scalarRegistersOf(kernel, target));
  addUnless(0, "float_round_mode_32", d.roundMode32);
  addUnless(0, "float_round_mode_16_64", d.roundMode16_64);
  add("float_denorm_mode_32", d.denormMode32);
  add("float_denorm_mode_16_64", d.denormMode16_64);
  if (generation.ieeeModes)
    add("dx10_clamp", d.dx10Clamp), add("ieee_mode", d.ieeeMode);
  addUnless(0, "fp16_overflow", d.fp16Overflow);
  if (target.unifiedRegisters)
    addUnless(0, "tg_split", d.tgSplit);
  if (generation.workgroupProcessors) {
    addUnless(!target.gfx125Descriptor, "workgroup_processor_mode", d.wgpMode);
    addUnless(1, "memory_ordered", d.memoryOrdered);
    addUnless(1, "forward_progress", d.forwardProgress);
  }
  if (generation.roundRobin)
    addUnless(0, "round_robin_scheduling", AMDHSA_BITS_GET(d.rsrc1, COMPUTE_PGM_RSRC1_GFX12_PLUS_ENABLE_WG_RR_EN));
  if (generation.prefetchBits)
    addUnless(0, "inst_pref_size", d.rsrc3 >> 4 & ((1u << generation.prefetchBits) - 1));
  addUnless(0, "named_barrier_count", d.namedBarriers);
  struct Exception {
    const char *name;
    uint32_t mask;
  };
  constexpr Exception exceptions[] = {
      {"exception_fp_ieee_invalid_op", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION},
      {"exception_fp_denorm_src", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_FP_DENORMAL_SOURCE},
      {"exception_fp_ieee_div_zero", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO},
      {"exception_fp_ieee_overflow", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW},
      {"exception_fp_ieee_underflow", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW},
      {"exception_fp_ieee_inexact", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_INEXACT},
      {"exception_int_div_zero", COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO}};
  for (const Exception &e : exceptions)
    addUnless(0, e.name, (d.rsrc2 & e.mask) != 0);
  return fields;
}

DescriptorFields descriptorFields(const isa::Kernel &kernel, llvm::ArrayRef<uint8_t> bytes,
                                  const target::Target &target, uint32_t kernargBytes, uint32_t ldsBytes) {
  DescriptorFields fields = namedFields(kernel, target);
  // What is said otherwise, and what `kernelObject` always says.
  DescriptorFields others = {{"group_segment_fixed_size", ldsBytes}, {"kernarg_size", kernargBytes}};
  if (kernel.waveSize == 32 && target.hasWaveSize(32))
    others.push_back({"wavefront_size32", 1});
  const DescriptorFields all = fields;
  auto object = assembleAccepted(fields, others, target, kernel.waveSize);
  const bool isAccepted = fields == all; // else what stands for a field that is left out is not known here
  std::optional<uint64_t> made;
  if (object)
    made = placeOfDescriptor(*object, "k");
  else
    llvm::consumeError(object.takeError());
  auto read = [](const uint8_t *from, unsigned size) -> int64_t {
    return size == 2 ? llvm::support::endian::read16le(from) : llvm::support::endian::read32le(from);
  };
  for (const DescriptorWord &word : words) {
    const int64_t wanted = read(bytes.data() + word.offset, word.size);
    const bool isSize = llvm::StringRef(word.name).ends_with("_size");
    if (!made || (!isAccepted && !isSize) ||
        read(reinterpret_cast<const uint8_t *>(object->data()) + *made + word.offset, word.size) != wanted)
      fields.push_back({word.name, wanted});
  }
  return fields;
}

} // namespace fly::assembly
