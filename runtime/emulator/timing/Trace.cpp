#include "runtime/emulator/timing/Trace.h"

#include "runtime/emulator/timing/TimeModel.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace fly::emulator {

namespace {

uint64_t hashOf(const std::vector<uint32_t> &path) {
  uint64_t h = path.size();
  for (uint32_t word : path) h = (h ^ word) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
  return h;
}

bool isMemory(isa::Class c) {
  return c == isa::Class::VectorMemory || c == isa::Class::Lds || c == isa::Class::ScalarMemory;
}

} // namespace

uint32_t Trace::numberOf(Program &program, const Inst &inst) {
  const isa::Instruction &instruction = program.instructions[inst.number];
  std::lock_guard lock(mutex);
  auto [found, isNew] = numbers.try_emplace(instruction.address, static_cast<uint32_t>(code.size()));
  if (isNew) {
    TracedInstruction &t = code.emplace_back();
    t.instruction = instruction;
    t.text = program.text(inst.number);
    if (instruction.location.valid() && instruction.location.file < program.object.files().size())
      t.file = program.object.files()[instruction.location.file];
    t.ranges.assign(inst.ranges, inst.ranges + inst.rangeCount);
    t.hasUse = isMemory(instruction.cls) || instruction.cls == isa::Class::Barrier;
  }
  return found->second;
}

std::shared_ptr<const std::vector<uint32_t>> Trace::share(std::vector<uint32_t> &&path) {
  const uint64_t hash = hashOf(path);
  std::lock_guard lock(mutex);
  auto &same = paths[hash];
  for (const auto &p : same)
    if (*p == path) return p;
  path.shrink_to_fit();
  memory += path.size() * sizeof(uint32_t);
  same.push_back(std::make_shared<const std::vector<uint32_t>>(std::move(path)));
  return same.back();
}

void Trace::add(WaveTrace &&wave) {
  std::lock_guard lock(mutex);
  memory += bytesOf(wave);
  waves.push_back(std::move(wave));
}

Trace::Probed Trace::probed(uint64_t xcds) {
  Probed sum;
  std::lock_guard lock(mutex);
  for (const WaveTrace &w : waves) {
    if (w.unit >= probe) continue;
    ++sum.waves;
    const auto instructions = static_cast<double>(w.path->size());
    sum.instructions += instructions;
    if (w.unit % xcds == 0) sum.instructionsOfFirst += instructions;
    sum.bytes += static_cast<double>(bytesOf(w));
  }
  return sum;
}

void Trace::removeIf(const std::function<bool(uint64_t unit)> &is) {
  std::lock_guard lock(mutex);
  uint64_t removed = 0;
  std::erase_if(waves, [&](const WaveTrace &w) {
    const bool isOne = is(w.unit);
    if (isOne) removed += bytesOf(w);
    return isOne;
  });
  memory -= removed;
}

void Trace::sort() {
  std::sort(waves.begin(), waves.end(), [](const WaveTrace &a, const WaveTrace &b) {
    return std::tie(a.unit, a.group, a.wave) < std::tie(b.unit, b.group, b.wave);
  });
}

WaveRecorder::WaveRecorder(TimeModel &model, Trace &trace, std::string_view arch, unsigned waveSize)
    : model(model), trace(trace) {
  for (unsigned write = 0; write < 2; ++write)
    for (unsigned bytes = 1; bytes <= 16; ++bytes) rules[write][bytes] = target::ldsRule(arch, waveSize, bytes, write);
}

void WaveRecorder::begin(Wave &wave, const WaveStart &start) {
  if (!model.records(start.unit)) return;
  current = WaveTrace();
  current.unit = start.unit, current.group = start.group, current.wave = start.wave;
  path.clear();
  wave.observers.add(*this, {Hook::Instruction, Hook::Access, Hook::Turn, Hook::End});
}

std::string WaveRecorder::refusal(const Wave &) { return model.refusal(*this); }

uint32_t WaveRecorder::learn(Wave &wave, const Inst &inst) {
  const uint32_t number = trace.numberOf(*wave.program, inst);
  if (inst.number >= numbers.size()) numbers.resize(inst.number + 256, unknown);
  const isa::Class c = wave.program->instructions[inst.number].cls;
  return numbers[inst.number] = number | (isMemory(c) || c == isa::Class::Barrier ? withUse : 0);
}

void WaveRecorder::use(Wave &wave, const Inst &inst) {
  const isa::Instruction &instruction = wave.program->instructions[inst.number];
  MemoryUse &u = current.uses.emplace_back();
  if (instruction.cls == isa::Class::Barrier) {
    // A wait for a named barrier means the one that was joined, whatever it names (Barrier.h).
    const isa::Operand *number = instruction.find(isa::Role::Simm);
    if (!number) number = instruction.find(isa::Role::Src0);
    int64_t which = number && number->isImmediate() ? static_cast<int16_t>(number->bits) : wave.scalar[slot::m0] & 31;
    if (isa::name(instruction.op) == "S_BARRIER") which = -1;
    if (isa::name(instruction.op) == "S_BARRIER_WAIT" && which > 0) which = wave.joined;
    u.barrier = static_cast<int8_t>(which);
  } else if (instruction.cls == isa::Class::ScalarMemory && inst.hasSaddr) {
    const uint64_t address =
        (wave.scalar64(inst.saddr) & 0xffffffffffffull) + static_cast<uint64_t>(int64_t{inst.offset});
    u.runs = 1, u.requests = 1;
    u.reads = instruction.mayLoad;
    current.runs.push_back({address / lineBytes & 0xffffffffffffull, 1});
  }
}

void WaveRecorder::access(Wave &wave, const Inst &, const MemoryEvent &event) {
  if (current.uses.empty() || !event.active) return;
  if (event.space == Space::Scratch) return;
  if (event.space == Space::Lds) return lds(event);
  if (event.space != Space::Flat) return global(event);
  // A flat address may mean LDS or scratch, by its upper half.
  MemoryEvent shared = event, other = event;
  uint64_t offsets[laneStride];
  shared.space = Space::Lds, shared.active = 0, shared.addresses = offsets;
  for (uint64_t left = event.active; left; left &= left - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(left));
    offsets[l] = event.addresses[l] & 0xffffffff;
    if (event.addresses[l] >> 32 == sharedAperture) shared.active |= 1ull << l;
    else if (isFlatScratch(*wave.program, event.addresses[l])) other.active &= ~(1ull << l);
  }
  other.active &= ~shared.active;
  if (shared.active) lds(shared);
  if (other.active) global(other);
}

void WaveRecorder::global(const MemoryEvent &event) {
  MemoryUse &u = current.uses.back();
  const unsigned bytes = std::max(event.bytes, 1u);
  const uint64_t lanes = static_cast<unsigned>(std::popcount(event.active));
  u.laneBytes = static_cast<uint8_t>(std::min(bytes, 255u));
  u.reads |= event.read || event.atomic, u.writes |= event.write || event.atomic, u.atomic |= event.atomic;
  if (event.read || event.atomic) current.readBytes += lanes * bytes;
  if (event.write || event.atomic) current.writtenBytes += lanes * bytes;
  uint64_t last = ~0ull;
  bool sorted = true;
  parts.clear();
  for (uint64_t left = event.active; left; left &= left - 1) {
    const uint64_t address = event.addresses[std::countr_zero(left)];
    for (uint64_t part = address / 64; part <= (address + bytes - 1) / 64; ++part)
      if (part != last) {
        sorted &= last == ~0ull || part > last;
        parts.push_back(last = part);
      }
  }
  if (!sorted) {
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  }
  u.requests += static_cast<uint32_t>(parts.size());
  const size_t first = current.runs.size();
  for (uint64_t part : parts) {
    const uint64_t line = part / 2 & 0xffffffffffffull;
    if (current.runs.size() > first) {
      LineRun &run = current.runs.back();
      if (line < run.first + run.count) continue;
      if (line == run.first + run.count && run.count < 0xffff) {
        ++run.count;
        continue;
      }
    }
    current.runs.push_back({line, 1});
    ++u.runs;
  }
}

void WaveRecorder::lds(const MemoryEvent &event) {
  MemoryUse &u = current.uses.back();
  const bool write = event.write || event.atomic;
  const unsigned bytes = std::clamp(event.bytes, 1u, 16u);
  const target::LdsCost cost =
      target::ldsCost(rules[write][bytes], event.active, event.addresses, event.bytes, event.atomic);
  u.ldsCycles += cost.cycles, u.ldsIdeal += cost.ideal;
  u.ldsBytes += static_cast<uint32_t>(std::popcount(event.active)) * event.bytes;
  u.ldsReads |= event.read || event.atomic, u.ldsWrites |= write;
  if (bytes == 16)
    for (uint64_t left = event.active; left; left &= left - 1)
      u.ldsUnaligned |= event.addresses[std::countr_zero(left)] % 16 != 0;
}

void WaveRecorder::end(Wave &) {
  current.path = trace.share(std::move(path));
  path = {};
  current.uses.shrink_to_fit();
  current.runs.shrink_to_fit();
  trace.add(std::move(current));
}

} // namespace fly::emulator
