// See FormKernel.h. The assembly of a form's kernel.
//
// Its own registers: s[80:86] what becomes and was of the special registers, s[88:93] the addresses of input, output
// and memory, s94 and s95 for computing; v240 four times the lane, v244 for computing. Nothing here is fast: every
// operation is waited for, and the form stands between long pauses.
#include "compiler/hardware/forms/FormKernel.h"

#include "compiler/target/Target.h"

#include "llvm/Support/raw_ostream.h"

namespace fly::hardware {

namespace {

class Writer {
public:
  Writer(const Form &form, const FormLayout &layout, const target::Target &target, const std::string &symbol)
      : form(form), layout(layout), target(target), symbol(symbol), os(text),
        splitCounters(target.generation.splitCounters), isWide(layout.lanes == 64), vcc(isWide ? "vcc" : "vcc_lo") {}

  std::string write() {
    os << "\t.text\n\t.globl\t" << symbol << "\n\t.p2align\t8\n\t.type\t" << symbol << ",@function\n"
       << symbol << ":\n";
    findBuffers();
    setScalars();
    setMemories();
    setVectors();
    setSpecials();
    pause();
    line(form.text);
    waitForAll();
    pause();
    keepSpecials();
    storeAll();
    line("s_endpgm");
    os << symbol << "_end:\n\t.size\t" << symbol << ", " << symbol << "_end-" << symbol << "\n";
    descriptor();
    return text;
  }

private:
  template <class... Parts> void line(const Parts &...parts) {
    os << '\t';
    (os << ... << parts);
    os << '\n';
  }
  /// The names of memory instructions changed when each kind of them got a counter.
  std::string b32(const char *before, const char *since) const { return splitCounters ? since : before; }

  void waitForAll() {
    if (!splitCounters)
      return line("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)");
    for (const char *counter : {"loadcnt", "storecnt", "dscnt", "kmcnt"})
      line("s_wait_", counter, " 0x0");
    if (target.hasFeature("async_lds"))
      line("s_wait_asynccnt 0x0");
  }
  void pause() {
    if (splitCounters)
      line("s_wait_alu 0x0");
    for (int k = 0; k < 3; ++k)
      line("s_nop 15");
  }
  /// Adds to the address in s[first:first+1].
  void advance(unsigned first, const std::string &bytes) {
    line("s_add_u32 s", first, ", s", first, ", ", bytes);
    line("s_addc_u32 s", first + 1, ", s", first + 1, ", 0");
  }
  std::string rowBytes() const { return std::to_string(layout.lanes * 4); }

  void findBuffers() {
    line("s_mov_b32 s94, ", target.generation.idsInTtmp ? "ttmp9" : "s2");
    line(b32("s_load_dwordx4", "s_load_b128"), " s[88:91], s[0:1], 0x0");
    line(b32("s_load_dwordx2", "s_load_b64"), " s[92:93], s[0:1], 0x10");
    line("v_and_b32 v240, 0x3ff, v0");
    line("v_lshlrev_b32 v240, 2, v240");
    waitForAll();
    const std::pair<unsigned, unsigned> buffers[] = {
        {88, layout.inputDwords() * 4}, {90, layout.outputDwords() * 4}, {92, memoryBytes}};
    for (auto [address, bytes] : buffers) {
      line("s_mul_i32 s95, s94, ", bytes);
      advance(address, "s95");
    }
  }

  void setScalars() {
    unsigned dword = 0;
    auto load = [&](const std::string &to) {
      line(b32("s_load_dword ", "s_load_b32 "), to, ", s[88:89], ", 4 * dword++);
    };
    for (const FormRegister &one : layout.scalars)
      load(nameOf(one));
    for (unsigned special = 0; special < unsigned(SpecialPlace::Count); ++special)
      load("s" + std::to_string(firstOwnSgpr + special));
    waitForAll();
    advance(88, std::to_string(layout.scalarDwords() * 4));
    for (const FormRegister &one : layout.scalars) {
      const unsigned at = one.index;
      if (one.content == Content::MemoryAddress) {
        line("s_mov_b32 s", at, ", s92");
        line("s_mov_b32 s", at + 1, ", s93");
      } else if (one.content == Content::Buffer) {
        setBuffer(at, one.hasIndex);
      }
    }
  }

  /// A resource of the round's memory: raw, or of records of 48 bytes.
  void setBuffer(unsigned at, bool hasIndex) {
    constexpr unsigned stride = 48, records = memoryBytes / stride;
    line("s_mov_b32 s", at, ", s92");
    uint32_t upper = 0, count = memoryBytes, flags = target.bufferFlags;
    if (target.wideBuffers) { // the number of bytes stands above bit 57
      count = memoryBytes >> 7;
      flags |= hasIndex ? stride << 12 : 0;
    } else if (hasIndex) {
      upper = stride << 16;
      if (target.generation.boundsMode)
        flags = (flags & ~(3u << 28)) | 1u << 28; // OOB_SELECT: the index alone
      count = records;
    }
    constexpr uint32_t components = 0xfac; // x, y, z, w where formats are read
    if (!target.wideBuffers)
      flags |= components;
    line("s_or_b32 s", at + 1, ", s93, ", upper);
    line("s_mov_b32 s", at + 2, ", ", count);
    line("s_mov_b32 s", at + 3, ", ", flags);
  }

  /// The next row of the input to v244, or another register.
  void loadRow(const std::string &to = "v244") {
    line(b32("global_load_dword ", "global_load_b32 "), to, ", v240, s[88:89]");
    waitForAll();
    advance(88, rowBytes());
  }

  void setMemories() {
    for (unsigned row = 0; row < layout.ldsRows(); ++row) {
      loadRow();
      line(b32("ds_write_b32", "ds_store_b32"), " v240, v244 offset:", row * layout.lanes * 4);
      waitForAll();
    }
    for (unsigned row = 0; row < layout.scratchRows(); ++row) {
      loadRow();
      line(b32("scratch_store_dword", "scratch_store_b32"), " off, v244, off offset:", row * 4);
      waitForAll();
    }
  }

  void setVectors() {
    for (const FormRegister &one : layout.vectors)
      loadRow(nameOf(one));
    for (const FormRegister &one : layout.vectors) {
      if (one.content != Content::MemoryAddress)
        continue;
      const std::string low = nameOf(one), high = "v" + std::to_string(one.index + 1);
      line("v_mov_b32 v244, s93");
      line("v_add_co_u32 ", low, ", ", vcc, ", s92, ", low);
      line("s_nop 4");
      line(b32("v_addc_co_u32_e32 ", "v_add_co_ci_u32_e32 "), high, ", ", vcc, ", 0, v244, ", vcc);
    }
  }

  void setSpecials() {
    auto at = [](SpecialPlace place) { return "s" + std::to_string(firstOwnSgpr + unsigned(place)); };
    line("s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), ", at(SpecialPlace::Mode));
    line("s_mov_b32 m0, ", at(SpecialPlace::M0));
    line("s_mov_b32 vcc_lo, ", at(SpecialPlace::VccLow));
    if (isWide)
      line("s_mov_b32 vcc_hi, ", at(SpecialPlace::VccHigh));
    line("s_cmp_lg_u32 ", at(SpecialPlace::Scc), ", 0");
    if (isWide)
      line("s_mov_b32 exec_hi, ", at(SpecialPlace::ExecHigh));
    line("s_mov_b32 exec_lo, ", at(SpecialPlace::ExecLow));
  }

  void keepSpecials() {
    line("s_cselect_b32 s84, 1, 0");
    line("s_mov_b32 s80, exec_lo");
    line("s_mov_b32 s81, ", isWide ? "exec_hi" : "0");
    line("s_mov_b32 s82, vcc_lo");
    line("s_mov_b32 s83, ", isWide ? "vcc_hi" : "0");
    line("s_mov_b32 s85, m0");
    line(isWide ? "s_mov_b64 exec, -1" : "s_mov_b32 exec_lo, -1");
    pause();
  }

  void storeRow(const std::string &from = "v244") {
    line(b32("global_store_dword", "global_store_b32"), " v240, ", from, ", s[90:91]");
    waitForAll();
    advance(90, rowBytes());
  }

  void storeAll() {
    for (unsigned special = 0; special < FormLayout::specialRows; ++special) {
      line("v_mov_b32 v244, s", firstOwnSgpr + special);
      storeRow();
    }
    for (const FormRegister &one : layout.scalars) {
      line("v_mov_b32 v244, ", nameOf(one));
      storeRow();
    }
    for (unsigned row = 0; row < layout.ldsRows(); ++row) {
      line(b32("ds_read_b32", "ds_load_b32"), " v244, v240 offset:", row * layout.lanes * 4);
      waitForAll();
      storeRow();
    }
    for (unsigned row = 0; row < layout.scratchRows(); ++row) {
      line(b32("scratch_load_dword", "scratch_load_b32"), " v244, off, off offset:", row * 4);
      waitForAll();
      storeRow();
    }
    for (const FormRegister &one : layout.vectors)
      storeRow(nameOf(one));
  }

  void descriptor() {
    os << "\t.section .rodata,\"a\",@progbits\n\t.p2align 6\n";
    line(".amdhsa_kernel ", symbol);
    line(".amdhsa_group_segment_fixed_size ", layout.usesLds ? 2 * ldsBytes : 0);
    line(".amdhsa_private_segment_fixed_size ", layout.usesScratch ? scratchDwords * 4 : 0);
    line(".amdhsa_kernarg_size 24");
    line(".amdhsa_user_sgpr_kernarg_segment_ptr 1");
    line(".amdhsa_enable_private_segment ", layout.usesScratch ? 1 : 0);
    line(".amdhsa_next_free_sgpr 100");
    line(".amdhsa_next_free_vgpr ", target.agprs ? 512 : 256);
    if (target.agprs)
      line(".amdhsa_accum_offset 256");
    if (target.hasWaveSize(32))
      line(".amdhsa_wavefront_size32 ", isWide ? 0 : 1);
    line(".end_amdhsa_kernel");
  }

  const Form &form;
  const FormLayout &layout;
  const target::Target &target;
  const std::string &symbol;
  std::string text;
  llvm::raw_string_ostream os;
  const bool splitCounters, isWide;
  const std::string vcc;
};

} // namespace

std::string kernelText(const Form &form, const FormLayout &layout, llvm::StringRef architecture,
                       const std::string &symbol) {
  return Writer(form, layout, *target::find(architecture), symbol).write();
}

std::string metadataText(const std::vector<std::pair<std::string, const FormLayout *>> &kernels,
                         llvm::StringRef architecture) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "\t.amdgpu_metadata\n---\namdhsa.kernels:\n";
  for (auto &[symbol, layout] : kernels) {
    os << "  - .args:\n";
    for (unsigned offset : {0, 8, 16})
      os << "      - .address_space:  global\n        .offset:         " << offset
         << "\n        .size:           8\n        .value_kind:     global_buffer\n";
    os << "    .group_segment_fixed_size: " << (layout->usesLds ? 2 * ldsBytes : 0)
       << "\n    .kernarg_segment_align: 8\n    .kernarg_segment_size: 24\n    .max_flat_workgroup_size: "
       << layout->lanes << "\n    .name:           " << symbol
       << "\n    .private_segment_fixed_size: " << (layout->usesScratch ? scratchDwords * 4 : 0)
       << "\n    .sgpr_count:     100\n    .symbol:         " << symbol
       << ".kd\n    .vgpr_count:     256\n    .wavefront_size: " << layout->lanes << "\n";
  }
  os << "amdhsa.target:   amdgcn-amd-amdhsa--" << architecture
     << "\namdhsa.version:\n  - 1\n  - 2\n...\n\t.end_amdgpu_metadata\n";
  return text;
}

} // namespace fly::hardware
