// Every instruction that the emulator executes and AMD's published pseudocode describes, on random and special operands
// in every rounding and denormal mode: the emulator's result against the interpreted text, and nothing else changed.
//
// FLY_SEED=random (or a number) tries other operands than those of every run; FLY_ONLY=v_add restricts the mnemonics;
// FLY_WRITE=1 writes the list of what cannot be compared anew.
#include "runtime/emulator/decode/Rows.h"
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/pseudocode/Encodings.h"
#include "tests/emulator/pseudocode/Machine.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace fly::pseudocode {

namespace {

using emulator::test::StepBench;
namespace slot = emulator::slot;

/// cdna5.json: AMD's manual of CDNA5, July 2026, chapter 15 and sections 7.6, 7.7, 12.2 and 12.3, in our own formulas,
/// for the instructions that no older document has. It serves as a second source because the emulator had them before
/// from LLVM, MLIR, HIP's headers and AMD's kernels.
const std::string ownWords = "cdna5";

const Library &document(const std::string &name) {
  static std::map<std::string, std::unique_ptr<Library>> all;
  auto &l = all[name];
  if (!l)
    l = std::make_unique<Library>(name == ownWords ? FLY_OWN_WORDS
                                                   : std::string(FLY_FACTS) + "/isa/" + name + "_pseudocode.json");
  return *l;
}

uint64_t seed() {
  const char *s = std::getenv("FLY_SEED");
  if (!s) return 20250101;
  return !std::strcmp(s, "random") ? std::random_device()() : std::strtoull(s, nullptr, 0);
}

struct Report {
  std::map<std::string, std::string> failed, unsupported; ///< by mnemonic: first difference, reason
  std::map<std::string, unsigned> failures;
  unsigned passed = 0, executed = 0;
};

class Differential {
public:
  /// `documents`: an instruction is compared with the first that has it.
  Differential(const std::string &arch, unsigned waveSize, const std::vector<const Library *> &documents,
               const Library &functions)
      : bench(arch, {.waveSize = waveSize, .vgprs = 144, .agprs = 8, .ldsBytes = 8192, .scratchBytes = 256}),
        documents(documents), machine(bench, *documents[0], functions), random(seedOfRun) {
    machine.memoryBase = bench.allocate(16384, &machine.memoryHost);
    machine.memory.resize(16384);
  }

  Report run() {
    const char *only = std::getenv("FLY_ONLY");
    for (const Library *l : documents)
      for (const auto &[name, what] : l->all()) {
        if (only && mnemonicOf(name).find(only) == std::string::npos) continue;
        if (describing(mnemonicOf(name), l) == l) instruction(what, *l);
      }
    return report;
  }

private:
  StepBench bench;
  const std::vector<const Library *> documents;
  Machine machine;
  const uint64_t seedOfRun = seed();
  Random random;
  Report report;

  unsigned filled = 0;

  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }

  /// The first document with the instruction, up to `last`.
  const Library *describing(const std::string &mnemonic, const Library *last) {
    for (const Library *l : documents)
      if (l == last || l->find(mnemonic)) return l;
    return nullptr;
  }

  void instruction(const Instruction &what, const Library &from) {
    std::string mnemonic = mnemonicOf(what.name);
    // Operands depend on the instruction alone: what is done with the others does not change them.
    random = Random(seedOfRun);
    for (char c : what.name) random.state = random.state * 131 + static_cast<unsigned char>(c);
    filled = 0;
    auto unsupported = [&](const std::string &why) { report.unsupported.emplace(what.name, why); };
    std::string upper;
    for (char c : mnemonic) upper += static_cast<char>(std::toupper(c));
    const bool executed = isa::isInstructionName(upper) && emulator::findRow(isa::findOp(upper));
    for (const Erratum &e : errata)
      if (!e.from && mnemonic == e.name) return executed ? unsupported(e.reason) : void();
    if (!what.text) {
      if (executed) unsupported(what.problem);
      return;
    }
    std::vector<int> list;
    bool exists = false;
    try {
      list = encodings(bench, what, random, 10, &exists);
    } catch (const Unsupported &u) {
      return unsupported(u.what());
    }
    if (executed && list.empty() && exists) unsupported("none of the encodings tried is one");
    bool any = false;
    std::set<std::string> records;
    for (int n : list) {
      if (!bench.known(n)) continue;
      const isa::Instruction inst = bench.instruction(n); // finding out about a buffer format adds others
      // A name of the older document may assemble to an instruction that the newer one describes.
      std::string printed = bench.print(n);
      if (describing(mnemonicOf(printed.substr(0, printed.find(' '))), &from) != &from) continue;
      for (unsigned round = 0; round < 4; ++round) {
        fill(what, inst, round);
        try {
          machine.expect(what, inst);
        } catch (const Unsupported &u) {
          unsupported(u.what());
          break;
        }
        ++report.executed;
        std::string problem;
        bool stepped =
            bench.step(n) || (machine.jumpExpected() && bench.wave().fault.kind == emulator::FaultKind::BadJump);
        if (!stepped) problem = "faults: " + bench.error();
        else problem = machine.difference();
        if (!problem.empty()) {
          char mode[32];
          std::snprintf(mode, sizeof mode, " (mode 0x%x)", bench.mode());
          if (!report.failures[what.name]++)
            report.failed[what.name] = bench.print(n) + mode + ": " + problem + context(what, inst, problem);
          break;
        }
        any = true;
        records.insert(std::string(
            isa::name(inst.form == isa::Form::VOPD && !inst.components.empty() ? inst.components[0].op : inst.op)));
      }
    }
    if (any && !report.failures.count(what.name)) {
      ++report.passed;
      for (const std::string &r : records)
        emulator::test::recordSource(bench.arch, r, &from == &document(ownWords) ? "manual" : "pseudocode");
    }
  }

  /// The sources of the lane that a difference names.
  std::string context(const Instruction &what, const isa::Instruction &inst, const std::string &problem) {
    size_t at = problem.find("lane ");
    unsigned lane = at == std::string::npos ? 0 : static_cast<unsigned>(std::atoi(problem.c_str() + at + 5));
    std::string text;
    (void)what;
    for (const isa::Operand &o : inst.operands) {
      if (o.def || !o.isRegister() || o.implicit) continue;
      text += " " + toString(o) + "=";
      for (unsigned k = std::min<unsigned>(o.width, 4); k-- > 0;) {
        char b[16];
        uint32_t v = o.isVgpr() ? machine.beforeAt(o.index + k, lane) : o.isSgpr() ? bench.sgpr(o.index + k) : 0;
        std::snprintf(b, sizeof b, "%08x", v);
        text += b;
      }
    }
    return text;
  }

  void fill(const Instruction &what, const isa::Instruction &inst, unsigned round) {
    const Shape &shape = what.shape;
    emulator::Wave &w = bench.wave();
    size_t count = static_cast<size_t>(bench.vgprCount() + bench.agprCount()) * emulator::laneStride;
    if (filled++ % 64 == 0)
      for (size_t k = 0; k < count; k += 2) {
        uint64_t r = random();
        w.vector[k] = static_cast<uint32_t>(r);
        w.vector[k + 1] = static_cast<uint32_t>(r >> 32);
      }
    for (unsigned s = 0; s < slot::vcc; ++s) w.scalar[s] = static_cast<uint32_t>(random());
    bench.setVcc(random() & random());
    if (bench.lanes() == 32) bench.setVcc(bench.vcc() | random() << 32);
    bench.m0() = static_cast<uint32_t>(random());
    bench.setScc(below(2));
    bool allLanes = false;
    for (const Erratum &e : errata)
      allLanes |= e.from && std::string_view(e.from) == "@exec" && mnemonicOf(what.name) == e.name;
    uint64_t exec = allLanes || round == 0 ? ~0ull : below(8) == 0 ? 1ull << below(64) : below(12) == 0 ? 0 : random();
    bench.setExec(exec);
    bool memory =
        inst.cls == isa::Class::VectorMemory || inst.cls == isa::Class::Lds || inst.cls == isa::Class::ScalarMemory;
    uint32_t mode = 0xf0;
    bool anyMode = true;
    for (const Erratum &e : errata)
      anyMode &= !(e.from && std::string_view(e.from) == "@mode" && mnemonicOf(what.name) == e.name);
    if (round >= 2 && !memory && anyMode) mode = below(256);
    if (!emulator::test::isGfx12(bench.row)) mode |= (below(4) << 8);
    bench.setMode(mode);
    w.codeState = 0;
    w.code = bench.program().code(0);
    for (const isa::Operand &o :
         inst.form == isa::Form::VOPD && !inst.components.empty() ? inst.components[0].operands : inst.operands) {
      unsigned n = o.role == isa::Role::Src0   ? 0
                   : o.role == isa::Role::Src1 ? 1
                   : o.role == isa::Role::Src2 ? 2
                   : o.role == isa::Role::Dst  ? 3
                                               : 4;
      if (n == 4 || o.implicit) continue;
      unsigned bits = n == 3 ? 32u * o.width : std::max(shape.bits[n], 32u), floats = shape.floatBits[n == 3 ? 0 : n];
      if (n == 3 && !shape.resultFloat) continue;
      for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
        Wide v = interesting(random, bits, floats, shape.bfloat[n == 3 ? 0 : n]);
        for (unsigned k = 0; k < std::min(4u, (bits + 31) / 32) && k < o.width; ++k) {
          uint32_t word = static_cast<uint32_t>(v >> 32 * k);
          if (o.isVgpr()) bench.vgpr(o.index + k, lane) = word;
          else if (o.isSgpr()) bench.sgpr(o.index + k) = word;
        }
        if (!o.isVgpr()) break;
      }
    }
    if (memory) fillAddresses(what, inst);
    if (what.text->uses("M0") && (what.text->uses("SRC0") || what.text->uses("DST"))) { // relative registers
      bool two = what.name.find("_2_") != std::string::npos || what.name.find("swaprel") != std::string::npos;
      bench.m0() = below(4) | (two ? below(4) << 16 : 0);
      if (what.name.find("b64") != std::string::npos) bench.m0() &= 2;
    }
    if (memory && what.text->uses("M0"))
      bench.m0() = what.name.find("block") != std::string::npos ? static_cast<uint32_t>(random()) : below(64) * 4;
  }

  void fillAddresses(const Instruction &what, const isa::Instruction &inst) {
    auto randomise = [&](uint8_t *p, size_t bytes) {
      for (size_t k = 0; k + 8 <= bytes; k += 8) {
        uint64_t r = random();
        std::memcpy(p + k, &r, 8);
      }
    };
    randomise(bench.lds.data(), 2048);
    randomise(bench.scratch.data(), bench.scratch.size());
    randomise(machine.memoryHost, 6144);
    bench.m0() = what.name.rfind("cluster_", 0) == 0 ? 0 : 0xffffffffu; // outside of a cluster no mask is one
    bool permute = std::string_view(isa::name(inst.op)).find("PERMUTE") != std::string_view::npos;
    for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
      uint32_t offset = below(16) * 16; // some lanes share an address
      // Blocks of 128 bytes must not overlap.
      if (what.name.find("_block") != std::string::npos && inst.form == isa::Form::GLOBAL) offset = lane * 64;
      if (inst.form == isa::Form::DS) bench.vgpr(40, lane) = permute ? static_cast<uint32_t>(random()) : offset + 32;
      else if (inst.form == isa::Form::SCRATCH)
        bench.vgpr(40, lane) = offset & (what.name.find("block") == std::string::npos ? 0x70 : 0x30);
      else if (const isa::Operand *v = inst.find(isa::Role::Vaddr); v && v->width == 2)
        bench.setVgpr64(40, lane, machine.memoryBase + offset + lane * 64);
      else bench.vgpr(40, lane) = offset + lane * 64;
    }
    bench.sgpr(30) = 16;
    bench.setSgpr64(34, machine.memoryBase + 256);
    bench.setSgpr64(36, machine.memoryBase);
    bench.sgpr(38) = static_cast<uint32_t>(machine.memory.size());
    bench.sgpr(39) = emulator::test::isGfx12(bench.row) ? 0x31016fac : 0x00027fac;
    if (bench.row.wideBuffers) { // 45 bits of bytes after 57 of the address, no format
      bench.sgpr(37) |= static_cast<uint32_t>(machine.memory.size()) << 25;
      bench.sgpr(38) = static_cast<uint32_t>(machine.memory.size() >> 7);
      bench.sgpr(39) = 0;
    }
    if (std::string_view(isa::name(inst.op)).find("_FORMAT_") != std::string_view::npos &&
        inst.form != isa::Form::MTBUF) {
      unsigned code;
      do code = 1 + below(emulator::test::isGfx12(bench.row) ? 63 : 127);
      while (!machine.formats[code].valid);
      uint32_t selects = 0;
      for (unsigned k = 0; k < 4; ++k) selects |= (inst.mayStore ? 4 + k : below(4) ? 4 + below(4) : below(2)) << 3 * k;
      bench.sgpr(39) = selects | (emulator::test::isGfx12(bench.row) ? 0x31000000u | code << 12
                                                                     : (code & 15) << 15 | (code >> 4) << 12);
    }
  }
};

/// A checked-in list of lines "CONFIGURATION INSTRUCTION..." is what this run found, no less and no more. FLY_WRITE=1
/// in the environment rewrites it.
void checkList(const char *path, const std::string &configuration, const std::set<std::string> &now) {
  std::set<std::string> rest, then;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    (line.compare(0, configuration.size() + 1, configuration + " ") ? rest : then).insert(line);
  if (std::getenv("FLY_WRITE")) {
    rest.insert(now.begin(), now.end());
    std::ofstream out(path);
    for (const std::string &line : rest) out << line << "\n";
    return;
  }
  for (const std::string &line : now) EXPECT_TRUE(then.count(line)) << "not in " << path << ": " << line;
  for (const std::string &line : then) EXPECT_TRUE(now.count(line)) << "in " << path << ", and not so: " << line;
}

void compareAll(const char *arch, unsigned waveSize, std::initializer_list<const char *> names) {
  std::vector<const Library *> documents;
  for (const char *name : names) {
    documents.push_back(&document(name));
    ASSERT_EQ(documents.back()->error, "");
  }
  Differential d(arch, waveSize, documents, document("rdna4"));
  Report r = d.run();
  // not-compared.txt: what the emulator executes and a text describes, and yet is not compared, with the reason. Where
  // a text is wrong, Errata.cpp says so; no other difference is allowed.
  std::string configuration = std::string(arch) + (waveSize == 64 ? "" : "-wave32");
  std::set<std::string> notCompared;
  for (const auto &[n, why] : r.unsupported) notCompared.insert(configuration + " " + n + ": " + why);
  for (const auto &[n, why] : r.failed)
    ADD_FAILURE() << arch << " " << n << ": " << why << " [" << r.failures[n] << " encodings]";
  if (!std::getenv("FLY_ONLY") && !std::getenv("FLY_SEED")) checkList(FLY_NOT_COMPARED, configuration, notCompared);
  std::printf("%s: %u instructions agree in %u executions, %zu differ, %zu are not compared\n", arch, r.passed,
              r.executed, r.failed.size(), r.unsupported.size());
}

} // namespace

TEST(Pseudocode, Gfx942) { compareAll("gfx942", 64, {"cdna3_cdna4"}); }
TEST(Pseudocode, Gfx950) { compareAll("gfx950", 64, {"cdna3_cdna4"}); }
TEST(Pseudocode, Gfx1201) { compareAll("gfx1201", 32, {"rdna4", "rdna3"}); }
TEST(Pseudocode, Gfx1201Wave64) { compareAll("gfx1201", 64, {"rdna4", "rdna3"}); }
TEST(Pseudocode, Gfx1250) { compareAll("gfx1250", 32, {"cdna5", "rdna4", "rdna3"}); }

} // namespace fly::pseudocode
