// Meanings of ds_*: LDS, exchanges of data between lanes that use its wires, and what graphics has there.
//
// gfx12 renamed most of them: ds_read_b64 is ds_load_b64, ds_write2st64_b32 is ds_store_2addr_stride64_b32.
#include "compiler/isa/MeaningPatterns.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::isa {

namespace {

constexpr MeaningRow wholeLds[] = {
    // between lanes
    {"swizzle_b32", "d = addr of another lane, by the pattern in offset; does not access LDS"},
    {"permute_b32", "d of lane addr / 4 = data; the highest lane that sends there wins; does not access LDS"},
    {"bpermute_b32", "d = data of lane addr / 4, or 0 if that lane is inactive; does not access LDS"},
    {"bpermute_fi_b32", "d = data of lane addr / 4, even if that lane is inactive; does not access LDS"},
    // counters
    {"append", "d = the word of LDS at M0 + offset, then adds the number of active lanes to it"},
    {"consume", "d = the word of LDS at M0 + offset, then subtracts the number of active lanes from it"},
    // updates
    {"mskor_B", "LDS = (LDS & ~data) | data1, {1} bits, atomically"},
    {"mskor_rtn_B", "LDS = (LDS & ~data) | data1, {1} bits, atomically; d = the former value"},
    {"cmpst_T", "if LDS equals data, LDS = data1, {1}, atomically"},
    {"cmpst_rtn_T", "if LDS equals data, LDS = data1, {1}, atomically; d = the former value"},
    {"cmpstore_T", "if LDS equals data1, LDS = data, {1}, atomically"},
    {"cmpstore_rtn_T", "if LDS equals data1, LDS = data, {1}, atomically; d = the former value"},
    {"wrxchg|storexchg_rtn_B", "LDS = data, {1} bits, atomically; d = the former value"},
    {"wrxchg2_rtn_B",
     "LDS = data and data1, {1} bits at addr + {n} * offset0 and at addr + {n} * offset1; d = the former values"},
    {"wrxchg2st64_rtn_B",
     "LDS = data and data1, {1} bits at addr + {64n} * offset0 and at addr + {64n} * offset1; d = the former "
     "values"},
    {"storexchg_2addr_rtn_B",
     "LDS = data and data1, {1} bits at addr + {n} * offset0 and at addr + {n} * offset1; d = the former "
     "values"},
    {"storexchg_2addr_stride64_rtn_B",
     "LDS = data and data1, {1} bits at addr + {64n} * offset0 and at addr + {64n} * offset1; "
     "d = the former values"},
    {"condxchg32_rtn_b64",
     "for each of two words, if bit 31 of data is set, LDS = bits 30:0 of data; d = the former values"},
    {"wrap_rtn_b32", "LDS = LDS - data if LDS >= data, else LDS + data1, u32, atomically; d = the former value"},
    {"atomic_barrier_arrive_rtn_b64", "arrives data times at the barrier in LDS at addr; d = its former state"},
    {"atomic_async_barrier_arrive_b64",
     "arrives at the barrier in LDS at addr once the wave's asynchronous loads are done"},
    // two places
    {"read2_B", "d = two values of {1} bits of LDS, at addr + {n} * offset0 and at addr + {n} * offset1"},
    {"load_2addr_B", "d = two values of {1} bits of LDS, at addr + {n} * offset0 and at addr + {n} * offset1"},
    {"read2st64_B", "d = two values of {1} bits of LDS, at addr + {64n} * offset0 and at addr + {64n} * offset1"},
    {"load_2addr_stride64_B",
     "d = two values of {1} bits of LDS, at addr + {64n} * offset0 and at addr + {64n} * offset1"},
    {"write2_B", "LDS = data and data1, {1} bits at addr + {n} * offset0 and at addr + {n} * offset1"},
    {"store_2addr_B", "LDS = data and data1, {1} bits at addr + {n} * offset0 and at addr + {n} * offset1"},
    {"write2st64_B", "LDS = data and data1, {1} bits at addr + {64n} * offset0 and at addr + {64n} * offset1"},
    {"store_2addr_stride64_B",
     "LDS = data and data1, {1} bits at addr + {64n} * offset0 and at addr + {64n} * offset1"},
    // others
    {"read|load_addtid_b32", "d = 32 bits of LDS, at M0 + offset + 4 * the lane's number"},
    {"write|store_addtid_b32", "LDS = 32 bits of data, at M0 + offset + 4 * the lane's number"},
    {"nop", "does nothing"},
    {"gws_init", "initialises a semaphore or barrier of the whole GPU with the count data"},
    {"gws_barrier", "waits at a barrier of the whole GPU"},
    {"gws_sema_v", "increments a semaphore of the whole GPU"},
    {"gws_sema_p", "waits for a semaphore of the whole GPU and decrements it"},
    {"gws_sema_br", "increments a semaphore of the whole GPU by data"},
    {"gws_sema_release_all", "releases all waves that wait for a semaphore of the whole GPU"},
    {"direct_load", "d = 32 bits of LDS at the address in M0, the same in all lanes"},
    {"param_load", "d = an attribute of the corners of a triangle, for v_interp"},
    {"bvh_stack_push4_pop1_rtn_b32",
     "pushes up to four nodes of a ray tracing tree onto a stack in LDS and pops the next one"},
    {"bvh_stack_push8_pop1_rtn_b32",
     "pushes up to eight nodes of a ray tracing tree onto a stack in LDS and pops the next one"},
    {"bvh_stack_push8_pop2_rtn_b64",
     "pushes up to eight nodes of a ray tracing tree onto a stack in LDS and pops the next two"},
};

struct LoadRow {
  const char *type, *text;
};
constexpr LoadRow loads[] = {
    {"u8", "8 bits of LDS, zero-extended"},
    {"i8", "8 bits of LDS, sign-extended"},
    {"u16", "16 bits of LDS, zero-extended"},
    {"i16", "16 bits of LDS, sign-extended"},
    {"b32", "32 bits of LDS"},
    {"b64", "64 bits of LDS"},
    {"b96", "96 bits of LDS"},
    {"b128", "128 bits of LDS"},
};

std::string tile(llvm::StringRef elementBits, llvm::StringRef lanes) {
  return "; " + lanes.str() + " exchange " + elementBits.str() + "-bit elements, which transposes a tile";
}

/// read_u8_d16_hi, read_b64_tr_b16, load_tr16_b128
std::string loadMeaning(llvm::StringRef rest) {
  auto words = wordsOf(rest);
  std::string transposed;
  if (words.front().starts_with("tr")) {
    transposed = tile(words.front().drop_front(2), "lanes");
    words.erase(words.begin());
  } else if (words.size() == 3 && words[1] == "tr") {
    transposed = tile(words[2].drop_front(), "16 lanes");
    words.pop_back_n(2);
  }
  std::string place = "d";
  if (words.size() > 1 && words[1] == "d16")
    place = words.size() == 3 && words[2] == "hi" ? "high half of d" : words.size() == 2 ? "low half of d" : "";
  else if (words.size() != 1) return "";
  for (const LoadRow &row : loads)
    if (words.front() == row.type && !place.empty()) return place + " = " + row.text + transposed;
  return "";
}

constexpr MeaningRow stores[] = {
    {"b8", "LDS = the low 8 bits of data"},    {"b16", "LDS = the low 16 bits of data"},
    {"b8_d16_hi", "LDS = bits 23:16 of data"}, {"b16_d16_hi", "LDS = the high 16 bits of data"},
    {"b32", "LDS = 32 bits of data"},          {"b64", "LDS = 64 bits of data"},
    {"b96", "LDS = 96 bits of data"},          {"b128", "LDS = 128 bits of data"},
};

} // namespace

std::string ldsMeaning(llvm::StringRef name) {
  if (!name.consume_front("ds_")) return "";
  if (std::string meaning = meaningIn(wholeLds, name); !meaning.empty()) {
    const bool wide = name.ends_with("b64");
    return filled(filled(meaning, "64n", wide ? "512" : "256"), "n", wide ? "8" : "4");
  }
  llvm::StringRef rest = name;
  if (rest.consume_front("read_") || rest.consume_front("load_")) return loadMeaning(rest);
  if (rest.consume_front("write_") || rest.consume_front("store_")) return meaningIn(stores, rest);
  auto words = wordsOf(name); // add_u32, max_rtn_f32, pk_add_rtn_bf16
  const bool returns = llvm::is_contained(words, "rtn");
  llvm::erase(words, "rtn");
  const std::string phrase = filled(atomicPhrase(words), "0", "LDS");
  return phrase.empty() || !returns ? phrase : phrase + "; d = the former value";
}

} // namespace fly::isa
