// See WeakMemory.h.
#include "runtime/emulator/watch/WeakMemory.h"

#include <algorithm>

namespace fly::emulator {

namespace {

uint8_t *at(uint64_t line) { return reinterpret_cast<uint8_t *>(line); }

/// Takes what only the copy has to memory.
template <class Line> void writeBack(uint64_t address, Line &line) {
  for (size_t k = 0; k < line.bytes.size(); ++k)
    if (line.kept[k]) at(address)[k] = line.bytes[k];
  line.kept.reset();
}

bool isWithin(uint64_t line, uint64_t bytes, const uint8_t *memory, uint64_t size) {
  const uint64_t low = reinterpret_cast<uint64_t>(memory);
  return line + bytes > low && line < low + size;
}

/// The lines of global memory that the operation accesses, ascending.
std::vector<uint64_t> linesOf(const Wave &w, const Pending &p, uint64_t lineBytes) {
  std::vector<uint64_t> lines;
  if (p.scalar || !p.range.high) return lines;
  const auto add = [&](uint64_t low, uint64_t high) {
    for (uint64_t line = low / lineBytes * lineBytes; line < high; line += lineBytes) lines.push_back(line);
  };
  if (p.contiguous) add(p.range.low, p.range.high);
  else
    for (uint64_t m = p.lanes(); m; m &= m - 1) {
      const uint64_t low = reinterpret_cast<uint64_t>(p.at(static_cast<unsigned>(std::countr_zero(m))));
      add(low, std::min(low + (p.bytes ? p.bytes : 16), p.range.high));
    }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  const Workgroup &group = *w.group;
  std::erase_if(lines, [&](uint64_t line) {
    return isWithin(line, lineBytes, group.lds, group.ldsBytes) ||
           isWithin(line, lineBytes, w.scratch, uint64_t(w.scratchBytes) * w.lanes);
  });
  return lines;
}

void performNow(Wave &w, Pending &p) {
  if (p.actions->perform) p.actions->perform(w, p);
}

} // namespace

void WeakMemory::begin(Wave &wave, const WaveStart &start) {
  wave.observers.add(*this, {Hook::Order, Hook::Execution});
  numbers[&wave] = 2 * start.workgroup + (shape.splitsWorkgroup ? start.wave % 2 : 0);
}

void WeakMemory::finish(Program &) {
  for (auto &[number, cache] : caches)
    for (auto &[address, line] : cache) writeBack(address, line);
  caches.clear();
}

void WeakMemory::release(Wave &wave, Reach reach) {
  if (reach == Reach::Group) return;
  if (wave.pending) wave.pending->performWrites(wave); // they are in front of it on the same way
  for (auto &[address, line] : of(wave)) writeBack(address, line);
}

void WeakMemory::acquire(Wave &wave, Reach reach) {
  if (reach == Reach::Group) return;
  Cache &cache = of(wave);
  for (auto line = cache.begin(); line != cache.end();) {
    line->second.valid = line->second.kept;
    line = line->second.kept.none() ? cache.erase(line) : std::next(line);
  }
}

void WeakMemory::carryOut(Wave &wave, Pending &operation) {
  const std::vector<uint64_t> lines = linesOf(wave, operation, lineBytes);
  if (lines.empty()) return performNow(wave, operation);
  const isa::Instruction &instruction = wave.program->instructions[operation.number];
  const bool isAtomic = isa::name(instruction.op).find("ATOMIC") != std::string_view::npos,
             passes = reachOf(instruction, isAtomic) != Reach::Group;
  if (isAtomic) {
    Cache &cache = of(wave);
    for (uint64_t address : lines)
      if (const auto line = cache.find(address); line != cache.end()) {
        writeBack(address, line->second);
        cache.erase(line);
      }
    performNow(wave, operation);
  } else if (operation.writes) store(wave, operation, lines, passes);
  else load(wave, operation, lines, passes);
}

void WeakMemory::deliver(Wave &wave, Pending &operation) {
  if (operation.actions->deliver && operation.words) operation.actions->deliver(wave, operation);
}

void WeakMemory::load(Wave &wave, Pending &operation, const std::vector<uint64_t> &lines, bool passes) {
  Cache &cache = of(wave);
  std::vector<Bytes> memory(lines.size());
  for (size_t n = 0; n < lines.size(); ++n) {
    std::copy_n(at(lines[n]), lineBytes, memory[n].begin());
    Line &line = cache[lines[n]];
    if (passes) line.valid = line.kept;
    for (unsigned k = 0; k < lineBytes; ++k)
      if (!line.valid[k]) line.bytes[k] = memory[n][k];
    if (!passes) line.valid.set();
    std::copy_n(line.bytes.begin(), lineBytes, at(lines[n]));
  }
  performNow(wave, operation);
  for (size_t n = 0; n < lines.size(); ++n) {
    std::copy_n(memory[n].begin(), lineBytes, at(lines[n]));
    if (passes && cache[lines[n]].kept.none()) cache.erase(lines[n]);
  }
}

void WeakMemory::store(Wave &wave, Pending &operation, const std::vector<uint64_t> &lines, bool passes) {
  Cache &cache = of(wave);
  std::vector<Bytes> memory(lines.size()), first(lines.size());
  for (size_t n = 0; n < lines.size(); ++n) std::copy_n(at(lines[n]), lineBytes, memory[n].begin());
  performNow(wave, operation);
  for (size_t n = 0; n < lines.size(); ++n) {
    std::copy_n(at(lines[n]), lineBytes, first[n].begin());
    for (unsigned k = 0; k < lineBytes; ++k) at(lines[n])[k] = static_cast<uint8_t>(~memory[n][k]);
  }
  performNow(wave, operation);
  for (size_t n = 0; n < lines.size(); ++n) {
    Line *line = nullptr;
    if (const auto found = cache.find(lines[n]); found != cache.end()) line = &found->second;
    else if (shape.keepsStores && !passes) line = &cache[lines[n]];
    for (unsigned k = 0; k < lineBytes; ++k) {
      const bool written = at(lines[n])[k] == first[n][k], kept = written && shape.keepsStores && !passes;
      if (written && line) {
        line->bytes[k] = first[n][k];
        line->valid[k] = line->valid[k] || kept;
        line->kept[k] = kept;
      }
      at(lines[n])[k] = written && !kept ? first[n][k] : memory[n][k];
    }
  }
}

} // namespace fly::emulator
