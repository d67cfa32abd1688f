// Executes single instructions on a wave whose whole state the test sets and reads.
//
//     StepBench bench("gfx942");                       // own wave size; StepBench("gfx1201", {.waveSize = 64})
//     bench.vgpr(1, lane) = 0x3f800000;
//     ASSERT_TRUE(bench.run("v_add_f32 v0, v1, v1")) << bench.error();
//     EXPECT_EQ(bench.vgpr(0, lane), 0x40000000u);
//
// Assembling costs more than executing: prepare an encoding once (`add`) and step it as often as there are operand
// sets. Nothing is reset between steps. A step executes one instruction and lets its memory operations arrive; a
// branch's effect is in `pc()`. Everything the friendly accessors do not cover is in `wave()` itself.
#pragma once

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/Decoder.h"
#include "compiler/isa/Encoder.h"
#include "runtime/emulator/ops/scalar/Control.h"
#include "runtime/emulator/wave/Program.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace fly::emulator::test {

struct StepOptions {
  unsigned waveSize = 0;         ///< 0: the architecture's own
  unsigned vgprs = 0, agprs = 0; ///< 0: as many as there are (agprs: gfx9 only)
  uint32_t ldsBytes = 64 * 1024;
  uint32_t scratchBytes = 1024; ///< a lane
};

/// Whether the assembler has gfx12's mnemonics: `global_load_b32`, not `global_load_dword`.
inline bool isGfx12(const target::Target &row) { return row.generation.encodings == target::Encodings::Gfx12; }

class StepBench {
public:
  explicit StepBench(const std::string &arch, StepOptions options = {});
  ~StepBench();
  StepBench(const StepBench &) = delete;

  const std::string arch;
  const ArchitectureRow &row;

  /// Prepares an instruction; its number, or -1 and `error()`.
  int add(const std::string &text);
  int add(llvm::ArrayRef<uint8_t> bytes);
  const isa::Instruction &instruction(int number) const;
  std::string print(int number); ///< LLVM's text
  bool known(int number);        ///< the emulator has a row for it and its operands resolve

  /// Executes it once, at any distance to the step before. False if the wave faulted: `error()` says why,
  /// `wave().fault` has the details.
  bool step(int number);
  /// add (kept by text) and step.
  bool run(const std::string &text);
  /// Prepares instructions that follow each other; the number of the first, or -1 and `error()`.
  int addSequence(const std::vector<std::string> &texts);
  /// Executes `count` instructions from `first` on and leaves their memory operations under way. False after a fault.
  bool runSequence(int first, unsigned count);
  bool runSequence(const std::vector<std::string> &texts) {
    return runSequence(addSequence(texts), static_cast<unsigned>(texts.size()));
  }
  /// Forgets the memory operations that are under way.
  void forgetPending();
  const std::string &error() const { return why; }

  // Registers
  uint32_t &vgpr(unsigned r, unsigned lane) { return state->vector[static_cast<size_t>(r) * laneStride + lane]; }
  uint32_t &agpr(unsigned r, unsigned lane) { return vgpr(vgprs + r, lane); }
  uint32_t &sgpr(unsigned r) { return state->scalar[slot::sgpr + r]; }
  uint64_t vgpr64(unsigned r, unsigned lane) { return vgpr(r, lane) | static_cast<uint64_t>(vgpr(r + 1, lane)) << 32; }
  void setVgpr64(unsigned r, unsigned lane, uint64_t v) {
    vgpr(r, lane) = static_cast<uint32_t>(v);
    vgpr(r + 1, lane) = static_cast<uint32_t>(v >> 32);
  }
  uint64_t sgpr64(unsigned r) { return state->scalar64(slot::sgpr + r); }
  void setSgpr64(unsigned r, uint64_t v) { state->setScalar64(slot::sgpr + r, v); }
  /// A value in all lanes of a VGPR.
  void splat(unsigned r, uint32_t v) {
    for (unsigned l = 0; l < lanes(); ++l) vgpr(r, l) = v;
  }
  uint64_t vcc() const { return state->scalar64(slot::vcc); }
  void setVcc(uint64_t v) { state->setScalar64(slot::vcc, v); }
  uint64_t exec() const { return state->exec(); }
  void setExec(uint64_t v) { state->setScalar64(slot::exec, v); }
  bool scc() const { return state->scc(); }
  void setScc(bool v) { state->setScc(v); }
  uint32_t &m0() { return state->scalar[slot::m0]; }
  uint32_t mode() const { return state->mode.bits; }
  /// FP_ROUND in 3:0, FP_DENORM in 7:4, and on gfx9 dx10_clamp in 8, ieee in 9.
  void setMode(uint32_t v) { writeMode(*state, v); }
  unsigned lanes() const { return state->lanes; }
  uint64_t laneMask() const { return state->laneMask; }
  unsigned vgprCount() const { return vgprs; }
  unsigned agprCount() const { return agprs; }
  /// Index of what would be executed next minus that of the instruction after the last one executed: 0 unless it
  /// jumped.
  int64_t jumped() const { return static_cast<int64_t>(state->pc) - static_cast<int64_t>(state->at) - 1; }
  void setPoison(); ///< every register, LDS and scratch

  // Memory
  Memory memory;
  /// Device address of a new allocation, whose bytes are at `host`.
  uint64_t allocate(uint64_t bytes, uint8_t **host = nullptr);
  std::vector<uint8_t> lds, scratch; ///< scratch: lane after lane, scratchBytes each
  Workgroup group;
  Wave &wave() { return *state; }
  Program &program() { return *prog; }

private:
  unsigned vgprs = 0, agprs = 0;
  isa::CodeObject empty;
  std::unique_ptr<isa::Encoder> encoder;
  std::unique_ptr<isa::Decoder> decoder;
  std::unique_ptr<Program> prog;
  std::unique_ptr<Wave> state;
  std::vector<uint32_t> registers;
  std::unordered_map<std::string, int> byText;
  uint64_t nextAddress = 0x1000;
  std::string why;
};

} // namespace fly::emulator::test
