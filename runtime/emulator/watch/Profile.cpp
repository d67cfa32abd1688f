// Counting, and from counters to a Profile.
//
// Executions and active lanes are counted before each instruction, accesses at their issue, and the rest follows from the
// decoded instruction: bytes of scalar loads from their width, flops of a matrix instruction from its name and result.
#include "runtime/emulator/watch/Profile.h"

#include "runtime/emulator/watch/ProfileCounters.h"

#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

namespace fly::emulator {

static constexpr ProfileCountName names[] = {
    {"executions", &ProfileCounts::executions},
    {"active_lanes", &ProfileCounts::lanes},
    {"global_read_bytes", &ProfileCounts::globalReadBytes},
    {"global_written_bytes", &ProfileCounts::globalWrittenBytes},
    {"lds_read_bytes", &ProfileCounts::ldsReadBytes},
    {"lds_written_bytes", &ProfileCounts::ldsWrittenBytes},
    {"scratch_read_bytes", &ProfileCounts::scratchReadBytes},
    {"scratch_written_bytes", &ProfileCounts::scratchWrittenBytes},
    {"scalar_read_bytes", &ProfileCounts::scalarReadBytes},
    {"global_accesses", &ProfileCounts::globalAccesses},
    {"transactions_32", &ProfileCounts::transactions32},
    {"transactions_64", &ProfileCounts::transactions64},
    {"transactions_128", &ProfileCounts::transactions128},
    {"lds_accesses", &ProfileCounts::ldsAccesses},
    {"lds_cycles", &ProfileCounts::ldsCycles},
    {"lds_conflict_cycles", &ProfileCounts::ldsConflictCycles},
    {"atomic_lanes", &ProfileCounts::atomicLanes},
    {"matrix_flops", &ProfileCounts::matrixFlops},
};
static_assert(sizeof(ProfileCounts) == std::size(names) * sizeof(uint64_t));

std::span<const ProfileCountName> profileCountNames() { return names; }

ProfileCounts &ProfileCounts::operator+=(const ProfileCounts &other) {
  for (const ProfileCountName &n : names) this->*n.member += other.*n.member;
  return *this;
}

ProfileCounters::ProfileCounters(std::string_view arch, unsigned waveSize, const std::vector<OwnedMemory> *owned,
                                 ProfileCollector &collector)
    : owned(owned), collector(collector) {
  for (unsigned write = 0; write < 2; ++write)
    for (unsigned bytes = 1; bytes <= 16; ++bytes) rules[write][bytes] = target::ldsRule(arch, waveSize, bytes, write);
}

void ProfileCounters::begin(Wave &wave, const WaveStart &start) {
  wave.observers.add(*this, {Hook::Instruction, Hook::Access});
  ++waves;
  workgroups += start.wave == 0;
}

void ProfileCounters::finish(Program &program) { collector.add(program, *this); }

void ProfileCounters::access(Wave &wave, const Inst &inst, const MemoryEvent &event) {
  if (inst.number >= counts.size()) counts.resize(inst.number + 256);
  ProfileCounts &c = counts[inst.number];
  if (event.space == Space::Flat) {
    // A flat address may mean LDS or scratch, by its upper half.
    MemoryEvent shared = event, own = event, global = event;
    shared.space = Space::Lds, own.space = Space::Scratch, global.space = Space::Global;
    shared.active = own.active = 0;
    uint64_t offsets[laneStride];
    for (uint64_t left = event.active; left; left &= left - 1) {
      unsigned l = static_cast<unsigned>(std::countr_zero(left));
      uint32_t aperture = static_cast<uint32_t>(event.addresses[l] >> 32);
      offsets[l] = event.addresses[l] & 0xffffffff;
      if (aperture == sharedAperture) shared.active |= 1ull << l;
      else if (isFlatScratch(*wave.program, event.addresses[l])) own.active |= 1ull << l;
    }
    global.active &= ~(shared.active | own.active);
    shared.addresses = own.addresses = offsets;
    for (const MemoryEvent *part : {&shared, &own, &global})
      if (part->active) access(wave, inst, *part);
    return;
  }
  uint64_t lanes = static_cast<unsigned>(std::popcount(event.active)), bytes = lanes * event.bytes;
  uint64_t read = event.read || event.atomic ? bytes : 0, written = event.write || event.atomic ? bytes : 0;
  if (event.atomic) c.atomicLanes += lanes;
  switch (event.space) {
  case Space::Lds:
    c.ldsReadBytes += read, c.ldsWrittenBytes += written;
    if (lanes) lds(c, event);
    break;
  case Space::Scratch: c.scratchReadBytes += read, c.scratchWrittenBytes += written; break;
  default:
    c.globalReadBytes += read, c.globalWrittenBytes += written;
    if (lanes) global(c, event);
    if (owned) move(event);
  }
}

void ProfileCounters::global(ProfileCounts &c, const MemoryEvent &event) {
  // Lines of 32 bytes; a larger line is touched if one of its parts is.
  lines.clear();
  const uint64_t bytes = std::max(event.bytes, 1u);
  for (uint64_t left = event.active; left; left &= left - 1) {
    uint64_t address = event.addresses[std::countr_zero(left)];
    for (uint64_t line = address / 32; line <= (address + bytes - 1) / 32; ++line) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  auto distinct = [&](unsigned shift) {
    uint64_t n = 0, last = ~0ull;
    for (uint64_t line : lines)
      if (line >> shift != last) last = line >> shift, ++n;
    return n;
  };
  ++c.globalAccesses;
  c.transactions32 += distinct(0);
  c.transactions64 += distinct(1);
  c.transactions128 += distinct(2);
}

void ProfileCounters::move(const MemoryEvent &event) {
  const OwnedMemory *last = nullptr;
  for (uint64_t left = event.active; left; left &= left - 1) {
    const uint64_t address = event.addresses[std::countr_zero(left)];
    if (!last || address - last->address >= last->bytes) {
      auto after = std::upper_bound(owned->begin(), owned->end(), address,
                                    [](uint64_t a, const OwnedMemory &o) { return a < o.address; });
      if (after == owned->begin() || address - (after - 1)->address >= (after - 1)->bytes) continue; // its own
      last = &*(after - 1);
      if (last->device >= moved.size()) moved.resize(last->device + 1);
    }
    MovedBytes &m = moved[last->device];
    if (event.read || event.atomic) m.read += event.bytes;
    if (event.write || event.atomic) m.written += event.bytes;
  }
}

void ProfileCounters::lds(ProfileCounts &c, const MemoryEvent &event) {
  target::LdsCost cost = target::ldsCost(rules[event.write || event.atomic][std::clamp(event.bytes, 1u, 16u)],
                                         event.active, event.addresses, event.bytes, event.atomic);
  ++c.ldsAccesses;
  c.ldsCycles += cost.cycles;
  c.ldsConflictCycles += cost.conflicts();
}

//===--------------------------------------------------------------------------------------------------------===//
// From counters to a Profile
//===--------------------------------------------------------------------------------------------------------===//

/// The name has the shape and, before it, the type of the result: V_MFMA_F32_32X32X8F16, V_SWMMAC_F32_16X16X32_F16.
/// Blocks are not in each name, so M*N*blocks comes from the size of the result: its registers over all lanes.
uint64_t matrixFlops(const isa::Instruction &instruction, unsigned waveSize) {
  if (instruction.cls != isa::Class::Matrix) return 0;
  const isa::Operand *result = instruction.find(isa::Role::Dst);
  std::string_view name = isa::name(instruction.op), type;
  while (result && !name.empty()) {
    std::string_view part = name.substr(0, name.find('_'));
    name.remove_prefix(std::min(name.size(), part.size() + 1));
    unsigned sizes[3] = {}, have = 0;
    for (char ch : part) {
      if (ch >= '0' && ch <= '9' && sizes[have] < 100000)
        sizes[have] = sizes[have] * 10 + static_cast<unsigned>(ch - '0');
      else if (ch == 'X' && sizes[have] && have < 2) ++have;
      else break;
    }
    if (have < 2 || !sizes[2]) {
      type = part;
      continue;
    }
    unsigned bits = type == "F64" ? 64 : type == "F16" || type.substr(0, 4) == "BF16" ? 16 : 32;
    uint64_t elements = static_cast<uint64_t>(result->width) * 32 / bits * waveSize;
    return 2 * elements * sizes[2];
  }
  return 0;
}

namespace {

bool worksPerLane(isa::Class c) {
  return c == isa::Class::Vector || c == isa::Class::Transcendental || c == isa::Class::VectorMemory ||
         c == isa::Class::Lds;
}

std::string symbolAt(const isa::CodeObject &object, uint64_t address) {
  for (const isa::Symbol &s : object.symbols())
    if (s.defined && s.type == llvm::ELF::STT_FUNC && address >= s.address && address - s.address < s.size)
      return s.name;
  return {};
}

} // namespace

void ProfileCollector::add(Program &program, const ProfileCounters &counters) {
  std::lock_guard lock(mutex);
  sum.kernel = program.kernel;
  sum.architecture = program.arch.name;
  sum.waveSize = program.waveSize;
  sum.workgroups += counters.workgroups;
  sum.waves += counters.waves;
  sum.moved.resize(std::max(sum.moved.size(), counters.moved.size()));
  for (size_t k = 0; k < counters.moved.size(); ++k) {
    sum.moved[k].read += counters.moved[k].read;
    sum.moved[k].written += counters.moved[k].written;
  }
  for (uint32_t k = 1; k < program.instructions.size(); ++k) {
    const isa::Instruction &inst = program.instructions[k];
    if (!inst.size) continue; // after a function's end
    ProfiledInstruction &p = instructions[inst.address];
    if (p.text.empty()) {
      p.address = inst.address;
      p.text = program.text(k);
      p.name = isa::name(inst.op);
      p.unit = isa::name(inst.cls);
      p.function = symbolAt(program.object, inst.address);
      if (inst.location.valid() && inst.location.file < program.object.files().size()) {
        p.file = program.object.files()[inst.location.file];
        p.line = inst.location.line;
      }
      for (unsigned c = 0; c < isa::counterCount; ++c)
        if (inst.is(isa::Class::Wait) && inst.waits.limit[c] != isa::Waits::none)
          p.counters.emplace_back(isa::name(static_cast<isa::Counter>(c)));
      p.perLane = worksPerLane(inst.cls);
    }
    if (k >= counters.counts.size()) continue;
    ProfileCounts counts = counters.counts[k];
    if (inst.cls == isa::Class::ScalarMemory && inst.mayLoad)
      if (const isa::Operand *dst = inst.find(isa::Role::Dst))
        counts.scalarReadBytes = counts.executions * dst->width * 4;
    counts.matrixFlops = counts.executions * matrixFlops(inst, program.waveSize);
    p.counts += counts;
  }
}

void ProfileCollector::finish(Profile &profile, const LaunchConfig &config) {
  profile = std::move(sum);
  profile.grid = config.grid;
  profile.block = config.block;
  std::set<std::string> entered;
  for (const auto &[address, p] : instructions)
    if (p.counts.executions) entered.insert(p.function);
  for (auto &[address, p] : instructions)
    if (entered.count(p.function)) profile.instructions.push_back(std::move(p));
}

ProfileCounts Profile::total() const {
  ProfileCounts sum;
  for (const ProfiledInstruction &p : instructions) sum += p.counts;
  return sum;
}

std::vector<ProfiledLine> Profile::lines() const {
  std::map<std::pair<std::string, unsigned>, ProfileCounts> sums;
  for (const ProfiledInstruction &p : instructions) sums[{p.file, p.line}] += p.counts;
  std::vector<ProfiledLine> out;
  for (auto &[place, counts] : sums)
    if (counts.executions) out.push_back({place.first, place.second, counts});
  std::sort(out.begin(), out.end(), [](const ProfiledLine &a, const ProfiledLine &b) {
    return std::tie(b.counts.executions, a.file, a.line) < std::tie(a.counts.executions, b.file, b.line);
  });
  return out;
}

double Profile::activeLaneShare() const {
  uint64_t executions = 0, lanes = 0;
  for (const ProfiledInstruction &p : instructions)
    if (p.perLane) executions += p.counts.executions, lanes += p.counts.lanes;
  return executions ? static_cast<double>(lanes) / (static_cast<double>(executions) * waveSize) : 1.0;
}

} // namespace fly::emulator
