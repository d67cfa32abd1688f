// What the lanes of a wave know of themselves and do together, in the reference interpreter.
//
// Sources of the exchanges: AMD's ISA manuals (CDNA3 and RDNA4, "DPP", "DS_PERMUTE_B32", "DS_SWIZZLE_B32"; CDNA4,
// "V_PERMLANE16_SWAP_B32"), and LLVM's IntrinsicsAMDGPU.td. A lane that does not take part is no source.
#include "compiler/reference/Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fly::reference {

namespace {

/// The lane from which a DPP control takes; none: there is no such lane.
std::optional<unsigned> dppSource(unsigned control, unsigned lane, unsigned size) {
  const unsigned row = lane & ~15u, in = lane & 15u, n = control & 15u;
  if (control <= 0xff)
    return (lane & ~3u) + (control >> (2 * (lane & 3u)) & 3u);
  switch (control & ~15u) {
  case 0x100: return in + n < 16 ? std::optional(row + in + n) : std::nullopt;
  case 0x110: return in >= n ? std::optional(row + in - n) : std::nullopt;
  case 0x120: return row + ((in - n) & 15u);
  case 0x150: return row + n;
  case 0x160: return row + (in ^ n);
  default: break;
  }
  switch (control) {
  case 0x130: return lane + 1 < size ? std::optional(lane + 1) : std::nullopt;
  case 0x134: return (lane + 1) % size;
  case 0x138: return lane ? std::optional(lane - 1) : std::nullopt;
  case 0x13c: return (lane + size - 1) % size;
  case 0x140: return row + 15 - in;
  case 0x141: return (lane & ~7u) + 7 - (lane & 7u);
  case 0x142: return row ? std::optional(row - 1) : std::nullopt;
  case 0x143: return lane >= 32 ? std::optional(31u) : std::nullopt;
  default: throw Stop{Outcome::Beyond, "the DPP control " + llvm::utohexstr(control)};
  }
}

std::optional<unsigned> swizzleSource(unsigned pattern, unsigned lane) {
  if (pattern & 0x8000) {
    if (pattern >= 0xc000)
      throw Stop{Outcome::Beyond, "the swizzle pattern " + llvm::utohexstr(pattern)};
    return (lane & ~3u) + (pattern >> (2 * (lane & 3u)) & 3u);
  }
  const unsigned in = lane & 31u;
  return (lane & ~31u) + ((((in & pattern) | pattern >> 5) ^ pattern >> 10) & 31u);
}

class LaneExchange {
public:
  LaneExchange(Wave &wave, ir::WaveOp op) : wave(wave), op(op), immediates(op.getImmediates()) {}

  void run() {
    using A = ir::WaveAction;
    switch (op.getAction()) {
    case A::Dpp:
      return each([&](unsigned lane) {
        if (!(immediates[1] >> (lane / 16 % 4) & 1) || !(immediates[2] >> (lane % 16 / 4) & 1))
          return in(0, lane);
        auto from = dppSource(unsigned(immediates[0]), lane, wave.size);
        if (from && isActive(*from))
          return in(1, *from);
        return immediates[3] ? zero() : in(0, lane);
      });
    case A::Dpp8:
      return each(
          [&](unsigned lane) { return taken(0, (lane & ~7u) + (unsigned(immediates[0]) >> (3 * (lane & 7u)) & 7u)); });
    case A::Bpermute: return each([&](unsigned lane) { return taken(1, unsigned(number(0, lane) >> 2) % wave.size); });
    case A::Permute: return permute();
    case A::Swizzle:
      return each([&](unsigned lane) { return taken(0, *swizzleSource(unsigned(immediates[0]), lane)); });
    case A::ReadLane: {
      const auto from = unsigned(number(1, first())) % wave.size;
      const Cell cell = isActive(from) ? in(0, from) : Cell::unknown();
      return each([&](unsigned) { return cell; });
    }
    case A::ReadFirstLane: {
      const Cell cell = in(0, first());
      return each([&](unsigned) { return cell; });
    }
    case A::WriteLane: {
      const auto to = unsigned(number(1, first())) % wave.size;
      const Cell cell = in(0, first());
      return each([&](unsigned lane) { return lane == to ? cell : in(2, lane); });
    }
    case A::Ballot: return ballot();
    case A::MbcntLo: return each([&](unsigned lane) { return counted(lane, onesOf(std::min(lane, 32u))); });
    case A::MbcntHi: return each([&](unsigned lane) { return counted(lane, lane < 32 ? 0 : onesOf(lane - 32)); });
    case A::Permlane16:
    case A::PermlaneX16:
      return each([&](unsigned lane) {
        const uint64_t selectors = number(lane % 16 < 8 ? 2 : 3, first());
        return rowOf(lane, unsigned(selectors >> (4 * (lane % 8)) & 15u), op.getAction() == A::PermlaneX16);
      });
    case A::Permlane16Var:
    case A::PermlaneX16Var:
      return each([&](unsigned lane) {
        return rowOf(lane, unsigned(number(2, lane) & 15u), op.getAction() == A::PermlaneX16Var);
      });
    case A::Permlane64: return each([&](unsigned lane) { return taken(0, lane ^ 32u); });
    case A::Permlane16Swap: return swap(16);
    case A::Permlane32Swap: return swap(32);
    default: throw Stop{Outcome::Beyond, "`" + ir::stringifyWaveAction(op.getAction()).str() + "`"};
    }
  }

private:
  bool isActive(unsigned lane) const { return wave.active >> lane & 1; }
  unsigned first() const { return unsigned(llvm::countr_zero(wave.active)); }
  Cell in(unsigned operand, unsigned lane) const { return *wave.of(op.getOperands()[operand], lane); }
  uint64_t number(unsigned operand, unsigned lane) const {
    return wave.needed(in(operand, lane), widthOf(op.getOperands()[operand].getType()), "a lane");
  }
  static Cell zero() { return Cell::of(0, 32); }
  /// Of another lane; what a lane that does not take part gives is open.
  Cell taken(unsigned operand, unsigned lane) const { return isActive(lane) ? in(operand, lane) : Cell::unknown(); }

  template <typename Compute> void each(Compute compute) {
    std::vector<Cell> results(wave.size);
    wave.forLanes([&](unsigned lane) { results[lane] = compute(lane); });
    wave.forLanes([&](unsigned lane) { *wave.result(op, lane) = results[lane]; });
  }

  void permute() {
    std::vector<Cell> results(wave.size, zero());
    wave.forLanes([&](unsigned lane) { results[unsigned(number(0, lane) >> 2) % wave.size] = in(1, lane); });
    wave.forLanes([&](unsigned lane) { *wave.result(op, lane) = results[lane]; });
  }

  void ballot() {
    uint64_t mask = 0;
    wave.forLanes([&](unsigned lane) { mask |= number(0, lane) << lane; });
    each([&](unsigned) { return Cell::of(mask, widthOf(op.getResultTypes()[0])); });
  }

  Cell counted(unsigned lane, uint64_t below) const {
    const Cell add = in(1, lane);
    if (!add.isKnown(32))
      return Cell::unknown();
    return Cell::of(add.bits + uint64_t(llvm::popcount(number(0, lane) & below)), 32);
  }

  /// Lane `at` of the own row, or of the other row of the pair.
  Cell rowOf(unsigned lane, unsigned at, bool isOther) const {
    const unsigned from = ((lane & ~15u) ^ (isOther ? 16u : 0u)) + at;
    if (isActive(from) || immediates[0])
      return isActive(from) ? in(1, from) : Cell::unknown();
    return immediates[1] ? zero() : in(0, lane);
  }

  /// Odd groups of the first operand change places with even groups of the second.
  void swap(unsigned group) {
    if (wave.active != onesOf(wave.size))
      throw Stop{Outcome::Beyond, "an exchange of some lanes"};
    std::vector<Cell> x(wave.size), y(wave.size);
    for (unsigned lane = 0; lane < wave.size; ++lane) {
      const bool isOdd = lane / group % 2;
      x[lane] = isOdd ? in(1, lane - group) : in(0, lane);
      y[lane] = isOdd ? in(1, lane) : in(0, lane + group);
    }
    for (unsigned lane = 0; lane < wave.size; ++lane) {
      *wave.result(op, lane, 0) = x[lane];
      *wave.result(op, lane, 1) = y[lane];
    }
  }

  Wave &wave;
  mutable ir::WaveOp op; // MLIR's accessors are not const
  llvm::ArrayRef<int32_t> immediates;
};

} // namespace

bool runWave(Wave &wave, Operation *op) {
  const Launch &launch = wave.kernel.launch;
  auto index = [&](auto compute) {
    wave.forLanes([&](unsigned lane) { *wave.result(op, lane) = Cell::of(uint64_t(compute(lane)), 32); });
    return true;
  };
  auto at = [](ir::Dimension dimension) { return static_cast<size_t>(dimension); };
  if (launch.block[0] == 0)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ir::ThreadIdOp id) {
        return index([&](unsigned lane) {
          const uint64_t thread = wave.thread(lane), x = launch.block[0], y = launch.block[1];
          const uint64_t by[] = {thread % x, thread / x % y, thread / x / y};
          return by[at(id.getDimension())];
        });
      })
      .Case([&](ir::BlockIdOp id) { return index([&](unsigned) { return wave.group.id[at(id.getDimension())]; }); })
      .Case([&](ir::BlockDimOp dim) { return index([&](unsigned) { return launch.block[at(dim.getDimension())]; }); })
      .Case([&](ir::GridDimOp dim) { return index([&](unsigned) { return launch.grid[at(dim.getDimension())]; }); })
      .Case([&](ir::LaneIdOp) { return index([&](unsigned lane) { return lane; }); })
      .Case([&](ir::WaveIdOp) { return index([&](unsigned) { return wave.index; }); })
      .Case([&](ir::WaveOp exchange) {
        LaneExchange(wave, exchange).run();
        return true;
      })
      .Default(false);
}

} // namespace fly::reference
