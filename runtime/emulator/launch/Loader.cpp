// Loading a code object as the ROCm loader does: architecture check, segments, relocations.
//
// Segments keep their distances (code finds data relative to its PC), but each is a separate allocation, so that a
// stray pointer into the gaps between them is detected. Only segments that the file marks writable can be written.
#include "runtime/emulator/launch/Module.h"

#include "runtime/emulator/launch/Executor.h"
#include "runtime/emulator/formats/Text.h"

#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>

namespace fly::emulator {

Module::~Module() {
  for (uint64_t address : placed) memory->free(address);
}

RegisterLimits registerLimits(const Architecture &arch, const isa::Kernel &kernel) {
  const isa::KernelDescriptor &d = kernel.descriptor;
  RegisterLimits r;
  const unsigned vgprs = kernel.vgprsAllocated;
  r.vgprs = r.firstAgpr = std::min(vgprs, arch.maxVgprs);
  if (arch.unifiedRegisters) {
    r.firstAgpr = std::min<unsigned>(d.accumOffset, vgprs);
    r.agprs = std::min(vgprs - r.firstAgpr, arch.agprs);
  }
  r.sgprs = arch.generation.countsSgprs ? std::min((d.granulatedSgprs / 2 + 1) * 16, arch.sgprs.addressable)
                                        : arch.sgprs.addressable;
  return r;
}

static bool relocate(Module &m, std::string &error) {
  using namespace llvm::ELF;
  for (const isa::Relocation &r : m.object.relocations()) {
    bool relative = r.type == R_AMDGPU_RELATIVE64;
    if (!relative && r.type != R_AMDGPU_NONE && !r.symbol.empty() && r.symbolAddress == 0) {
      error = "symbol `" + r.symbol + "` is not defined in the code object";
      return false;
    }
    uint64_t place = r.address + m.bias;
    uint64_t value = (relative ? 0 : r.symbolAddress) + static_cast<uint64_t>(r.addend) + m.bias;
    unsigned bytes = 8;
    switch (r.type) {
    case R_AMDGPU_NONE: continue;
    case R_AMDGPU_RELATIVE64:
    case R_AMDGPU_ABS64: break;
    case R_AMDGPU_REL64: value -= place; break;
    case R_AMDGPU_ABS32:
    case R_AMDGPU_ABS32_LO: bytes = 4; break;
    case R_AMDGPU_ABS32_HI:
      bytes = 4;
      value >>= 32;
      break;
    case R_AMDGPU_REL32:
    case R_AMDGPU_REL32_LO:
      bytes = 4;
      value -= place;
      break;
    case R_AMDGPU_REL32_HI:
      bytes = 4;
      value = (value - place) >> 32;
      break;
    default: error = "relocation type " + std::to_string(r.type) + " is not supported"; return false;
    }
    uint8_t *p = m.memory->host(place, bytes);
    if (!p) {
      error = "relocation at " + hex(r.address) + " lies outside of the segments";
      return false;
    }
    std::memcpy(p, &value, bytes);
  }
  return true;
}

/// A code object that prints gets memory to print into, as from the runtime on a GPU.
static void giveRing(Module &m) {
  if (!fly_output_find(reinterpret_cast<const unsigned char *>(m.bytes.data()), m.bytes.size(), &m.output)) return;
  m.ringVariable = m.output.variable_address + m.bias;
  uint8_t *variable = m.memory->host(m.ringVariable, 8);
  m.ring = variable ? m.memory->allocate(FLY_OUTPUT_RING_WORDS * 4, "device output") : 0;
  if (!m.ring) return;
  m.placed.push_back(m.ring);
  uint8_t *ring = m.memory->host(m.ring, FLY_OUTPUT_RING_WORDS * 4);
  std::memset(ring, 0, FLY_OUTPUT_RING_WORDS * 4);
  fly_output_begin(reinterpret_cast<uint32_t *>(ring), FLY_OUTPUT_RING_WORDS);
  std::memcpy(variable, &m.ring, 8);
}

std::shared_ptr<Module> loadModule(std::shared_ptr<Memory> memory, const Architecture &arch,
                                   std::string_view codeObject, std::string &error) {
  auto m = std::make_shared<Module>();
  m->bytes = codeObject;
  m->arch = &arch;
  m->memory = memory;
  auto object = isa::CodeObject::read(llvm::StringRef(m->bytes));
  if (!object) {
    error = llvm::toString(object.takeError());
    return nullptr;
  }
  m->object = std::move(*object);
  if (m->object.architecture() != arch.name) {
    error = "the code object is for " + m->object.architecture() + ", but the device is " + std::string(arch.name);
    return nullptr;
  }
  uint64_t low = ~0ull, high = 0;
  std::vector<const isa::Segment *> segments;
  for (const isa::Segment &s : m->object.segments()) {
    if (s.memorySize == 0) continue;
    if (s.address + s.memorySize < s.address || s.memorySize < s.data.size() || s.memorySize > (1ull << 40)) {
      error = "a segment has an impossible size";
      return nullptr;
    }
    low = std::min<uint64_t>(low, s.address & ~0xfffull);
    high = std::max(high, s.address + s.memorySize);
    segments.push_back(&s);
  }
  if (segments.empty()) {
    error = "the code object has no segments to load";
    return nullptr;
  }
  std::sort(segments.begin(), segments.end(), [](auto *a, auto *b) { return a->address < b->address; });
  for (size_t k = 1; k < segments.size(); ++k)
    if (segments[k - 1]->address + segments[k - 1]->memorySize > segments[k]->address) {
      error = "the code object's segments overlap";
      return nullptr;
    }
  // Keep the file's alignment to pages, which relative addresses of aligned data rely on.
  uint64_t base = memory->reserve(high - low + 0x1000);
  if (!base) {
    error = "no memory for " + std::to_string(high - low) + " bytes of code and data";
    return nullptr;
  }
  base = (base + 0xfff) & ~0xfffull;
  m->bias = base - low;
  for (const isa::Segment *s : segments) {
    std::string name = s->execute ? "code" : s->write ? "data" : "constants";
    if (!memory->place(s->address + m->bias, s->memorySize, name, s->write)) {
      error = "no memory for the code object";
      return nullptr;
    }
    m->placed.push_back(s->address + m->bias);
    if (!s->data.empty())
      std::memcpy(memory->host(s->address + m->bias, s->memorySize), s->data.data(), s->data.size());
  }
  if (!relocate(*m, error)) return nullptr;
  giveRing(*m);
  return m;
}

Program &Module::program(const isa::Kernel &kernel, unsigned waveSize, unsigned thread) const {
  auto &list = programs[kernel.name];
  if (list.empty()) {
    list.push_back(std::make_unique<Program>(object, *arch, kernel.name, registerLimits(*arch, kernel), waveSize, bias,
                                             interpreter));
    list.front()->broken = broken;
  }
  while (list.size() <= thread) list.push_back(std::make_unique<Program>(*list.front()));
  return *list[thread];
}

} // namespace fly::emulator
