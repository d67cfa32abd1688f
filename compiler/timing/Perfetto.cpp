// See Perfetto.h. Field numbers are those of protos/perfetto/trace in Perfetto's sources, which never change.
#include "compiler/timing/Perfetto.h"

#include "compiler/timing/Palette.h"
#include "compiler/timing/Text.h"

#include <algorithm>
#include <map>

namespace fly::timing {

using namespace emulator;

namespace {

/// One message of protobuf, as its bytes.
class Message {
public:
  Message &number(unsigned field, uint64_t value) {
    tag(field, 0);
    varint(value);
    return *this;
  }
  Message &bytes(unsigned field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    content += value;
    return *this;
  }
  Message &text(unsigned field, std::string_view value) { return bytes(field, cleanText(value)); }
  Message &message(unsigned field, const Message &value) { return bytes(field, value.content); }

  std::string content;

private:
  void tag(unsigned field, unsigned wireType) { varint(field << 3 | wireType); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      content += static_cast<char>(value | 0x80);
    content += static_cast<char>(value);
  }
};

namespace trace {
enum { packet = 1 };
}
namespace packet {
enum { timestamp = 8, sequence = 10, event = 11, internedData = 12, sequenceFlags = 13, trackDescriptor = 60 };
enum { stateCleared = 1, needsState = 2 }; // of sequenceFlags
} // namespace packet
namespace track {
enum { uuid = 1, name = 2, parent = 5, childOrdering = 11, rank = 12 };
enum { explicitOrder = 3 }; // of childOrdering
} // namespace track
namespace event {
enum { categories = 3, annotations = 4, type = 9, name = 10, trackUuid = 11, sourceLocation = 34 };
enum { sliceBegin = 1, sliceEnd = 2 }; // of type
} // namespace event
namespace interned {
enum { categories = 1, eventNames = 2, annotationNames = 3, sourceLocations = 4 };
enum { iid = 1, name = 2 };
enum { file = 2, line = 4 }; // of a source location
} // namespace interned
namespace annotation {
enum { name = 1, unsignedValue = 3, stringValue = 6 };
} // namespace annotation

/// What annotations are called; the numbers are those of interned names.
enum class Note : unsigned { Cycle = 1, Cycles, Address, Workgroup, Count };
constexpr const char *noteNames[] = {"", "cycle", "cycles", "address", "workgroup"};

/// Categories: instructions by the unit that executes them, then waits.
constexpr uint64_t categoryOf(Unit unit) { return 1 + static_cast<uint64_t>(unit); }
constexpr uint64_t waitCategory = 1 + unitCount;

struct Slice {
  uint64_t begin, end; ///< cycles
  uint64_t name, category;
  uint64_t instruction = UINT64_MAX; ///< index in Timing::instructions; none of a wait
};

class PerfettoWriter {
public:
  explicit PerfettoWriter(const Timing &timing) : timing(timing) {}

  std::string write() {
    start();
    const uint64_t root = addTrack(0, timing.kernel + " on " + timing.architecture + ", compute unit 0");
    std::map<unsigned, uint64_t> simds;
    for (const WaveLine &wave : timing.timeline)
      if (!simds.contains(wave.simd))
        simds[wave.simd] = addTrack(root, "SIMD " + std::to_string(wave.simd));
    std::map<std::pair<unsigned, Unit>, std::vector<Slice>> busy;
    for (const WaveLine &wave : timing.timeline)
      writeWave(wave, simds[wave.simd], busy);
    for (auto &[of, slices] : busy)
      writeLanes(simds[of.first], look(of.second).label, slices);
    return std::move(out);
  }

private:
  /// The names of everything, once and first.
  void start() {
    Message data;
    auto name = [&](unsigned field, uint64_t iid, std::string_view text) {
      data.message(field, Message().number(interned::iid, iid).text(interned::name, text));
    };
    for (std::size_t unit = 0; unit < unitCount; ++unit)
      name(interned::categories, categoryOf(static_cast<Unit>(unit)), look(static_cast<Unit>(unit)).label);
    name(interned::categories, waitCategory, "wait");
    for (unsigned note = 1; note < static_cast<unsigned>(Note::Count); ++note)
      name(interned::annotationNames, note, noteNames[note]);
    for (unsigned stall = 0; stall < stallCount; ++stall)
      name(interned::eventNames, nameOf(static_cast<Stall>(stall)),
           "waits: " + std::string(emulator::name(static_cast<Stall>(stall))));
    for (std::size_t i = 0; i < timing.instructions.size(); ++i) {
      const TimedInstruction &instruction = timing.instructions[i];
      name(interned::eventNames, nameOf(i), instruction.text);
      if (!instruction.file.empty())
        data.message(interned::sourceLocations, Message()
                                                    .number(interned::iid, i + 1)
                                                    .text(interned::file, instruction.file)
                                                    .number(interned::line, instruction.line));
    }
    add(Message().number(packet::sequenceFlags, packet::stateCleared).message(packet::internedData, data));
  }

  static uint64_t nameOf(Stall stall) { return 1 + static_cast<uint64_t>(stall); }
  static uint64_t nameOf(std::size_t instruction) { return 1 + stallCount + instruction; }

  void add(Message content) {
    content.number(packet::sequence, 1);
    out += Message().message(trace::packet, content).content;
  }

  uint64_t addTrack(uint64_t parent, std::string_view name) {
    Message descriptor;
    descriptor.number(track::uuid, ++tracks).text(track::name, name);
    if (parent)
      descriptor.number(track::parent, parent);
    descriptor.number(track::childOrdering, track::explicitOrder).number(track::rank, tracks);
    add(Message().message(packet::trackDescriptor, descriptor));
    return tracks;
  }

  void addEvent(uint64_t cycle, const Message &content) {
    const double nanoseconds = timing.maximumClock > 0 ? double(cycle) * 1000 / timing.maximumClock : double(cycle);
    add(Message()
            .number(packet::timestamp, static_cast<uint64_t>(nanoseconds + 0.5))
            .number(packet::sequenceFlags, packet::needsState)
            .message(packet::event, content));
  }

  static Message note(Note name, uint64_t value) {
    return Message().number(annotation::name, static_cast<unsigned>(name)).number(annotation::unsignedValue, value);
  }

  void addSlice(uint64_t on, const Slice &slice) {
    Message begin;
    begin.number(event::categories, slice.category)
        .message(event::annotations, note(Note::Cycle, slice.begin))
        .message(event::annotations, note(Note::Cycles, slice.end - slice.begin));
    if (slice.instruction != UINT64_MAX)
      begin.message(event::annotations, note(Note::Address, timing.instructions[slice.instruction].address));
    begin.number(event::type, event::sliceBegin).number(event::name, slice.name).number(event::trackUuid, on);
    if (slice.instruction != UINT64_MAX && !timing.instructions[slice.instruction].file.empty())
      begin.number(event::sourceLocation, slice.instruction + 1);
    addEvent(slice.begin, begin);
    addEvent(slice.end, Message().number(event::type, event::sliceEnd).number(event::trackUuid, on));
  }

  /// Slices that may overlap, on as many tracks as it takes.
  void writeLanes(uint64_t parent, const std::string &name, std::vector<Slice> &slices) {
    std::ranges::stable_sort(slices, {}, &Slice::begin);
    struct Lane {
      uint64_t track, free;
    };
    std::vector<Lane> lanes;
    for (const Slice &slice : slices) {
      auto lane = std::ranges::find_if(lanes, [&](const Lane &one) { return one.free <= slice.begin; });
      if (lane == lanes.end()) {
        const std::string number = lanes.empty() ? "" : " " + std::to_string(lanes.size() + 1);
        lanes.push_back({addTrack(parent, name + number), 0});
        lane = std::prev(lanes.end());
      }
      addSlice(lane->track, slice);
      lane->free = slice.end;
    }
  }

  void writeWave(const WaveLine &wave, uint64_t simd, std::map<std::pair<unsigned, Unit>, std::vector<Slice>> &busy) {
    const uint64_t on =
        addTrack(simd, "workgroup " + std::to_string(wave.workgroup) + " wave " + std::to_string(wave.wave));
    std::vector<WaveSpan> spans = wave.spans;
    std::ranges::stable_sort(spans, {}, &WaveSpan::issue);
    std::vector<Slice> flights;
    uint64_t free = 0; // the wave's own track is
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const WaveSpan &span = spans[i];
      if (span.instruction >= timing.instructions.size())
        continue;
      const Unit unit = unitOf(timing.instructions[span.instruction].unit);
      const uint64_t end = std::max(span.end, span.issue + 1), begin = std::max(span.begin, free);
      if (begin < span.issue)
        addSlice(on, {begin, span.issue, nameOf(span.stall), waitCategory});
      // The wave goes on when the next instruction could be issued, though this one's result is not there yet.
      const uint64_t next = i + 1 < spans.size() ? spans[i + 1].begin : end;
      const Slice whole{span.issue, end, nameOf(std::size_t{span.instruction}), categoryOf(unit), span.instruction};
      Slice own = whole;
      own.begin = std::max(span.issue, free);
      own.end = std::max(std::min(end, next), own.begin + 1);
      if (i + 1 < spans.size())
        own.end = std::max(std::min(own.end, spans[i + 1].issue), own.begin);
      if (own.begin < own.end)
        addSlice(on, own);
      free = own.end;
      if (flies(unit))
        flights.push_back(whole);
      else if (unit == Unit::Matrix || unit == Unit::Vector || unit == Unit::Transcendental || unit == Unit::Scalar)
        busy[{wave.simd, unit}].push_back(whole);
    }
    writeLanes(on, "in flight", flights);
  }

  const Timing &timing;
  std::string out;
  uint64_t tracks = 0;
};

} // namespace

std::string perfettoTrace(const Timing &timing) { return PerfettoWriter(timing).write(); }

} // namespace fly::timing
