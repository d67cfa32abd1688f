// Meanings of instructions on memory: buffer_*, tbuffer_*, global_*, cluster_*, flat_*, scratch_*, tensor_* and the
// scalar s_load_*, s_store_*, s_atomic_*, s_dcache_*, s_prefetch_*. LDS has a file of its own, LdsMeanings.cpp.
//
// A name is SPACE_OPERATION_WIDTH with modifiers, and gfx12 has another order and other words than gfx9:
//
//     load_ubyte_d16_hi     load_d16_hi_u8      one byte, with zeros, to the high half of a register
//     atomic_smax_x2        atomic_max_i64
//     load_format_d16_xy    load_d16_format_xy
//
// so the words after the operation are taken in any order.
#include "compiler/isa/MeaningPatterns.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::isa {

namespace {

using Words = llvm::ArrayRef<llvm::StringRef>;

struct SpaceRow {
  const char *prefix, *text;
};
constexpr SpaceRow spaces[] = {
    {"buffer_", "the buffer"},     {"tbuffer_", "the buffer"}, {"global_", "global memory"},
    {"cluster_", "global memory"}, {"flat_", "memory"},        {"scratch_", "scratch memory"},
};

/// How much an access without d16 moves, and how it fills a register.
struct WidthRow {
  const char *word, *load, *extended, *store;
};
constexpr WidthRow widths[] = {
    {"dword", "32 bits", "", "32 bits"},
    {"b32", "32 bits", "", "32 bits"},
    {"dwordx2", "64 bits", "", "64 bits"},
    {"b64", "64 bits", "", "64 bits"},
    {"dwordx3", "96 bits", "", "96 bits"},
    {"b96", "96 bits", "", "96 bits"},
    {"dwordx4", "128 bits", "", "128 bits"},
    {"b128", "128 bits", "", "128 bits"},
    {"dwordx8", "256 bits", "", nullptr},
    {"b256", "256 bits", "", nullptr},
    {"dwordx16", "512 bits", "", nullptr},
    {"b512", "512 bits", "", nullptr},
    {"ubyte", "8 bits", ", zero-extended", nullptr},
    {"u8", "8 bits", ", zero-extended", nullptr},
    {"sbyte", "8 bits", ", sign-extended", nullptr},
    {"i8", "8 bits", ", sign-extended", nullptr},
    {"ushort", "16 bits", ", zero-extended", nullptr},
    {"u16", "16 bits", ", zero-extended", nullptr},
    {"sshort", "16 bits", ", sign-extended", nullptr},
    {"i16", "16 bits", ", sign-extended", nullptr},
    {"short", "16 bits", "", "the low 16 bits"},
    {"b16", "16 bits", "", "the low 16 bits"},
    {"byte", nullptr, "", "the low 8 bits"},
    {"b8", "8 bits", "", "the low 8 bits"},
};
const WidthRow *widthOf(llvm::StringRef word) {
  auto *row = llvm::find_if(widths, [&](const WidthRow &r) { return word == r.word; });
  return row == std::end(widths) ? nullptr : row;
}

/// "x", "x, y": of a format with channels.
std::string channels(llvm::StringRef word) {
  if (word.empty() || word.size() > 4 || !llvm::StringRef("xyzw").starts_with(word)) return "";
  std::string text;
  for (char c : word) text += (text.empty() ? "" : ", ") + std::string(1, c);
  return text;
}

/// What is after `load` or `store`, in any order.
struct Access {
  bool d16 = false, high = false, format = false, lds = false, block = false, perLane = false, monitor = false;
  std::string channels;
  const WidthRow *width = nullptr;
  unsigned transposed = 0; ///< bits of the elements

  bool take(Words words) {
    for (llvm::StringRef word : words) {
      if (word == "d16") d16 = true;
      else if (word == "hi") high = true;
      else if (word == "format") format = true;
      else if (word == "lds") lds = true;
      else if (word == "block") block = true;
      else if (word == "addtid") perLane = true;
      else if (word == "monitor") monitor = true;
      else if (word == "tr") transposed = words.back() == "b128" ? 16 : 8; // gfx1201
      else if (word.starts_with("tr") && !word.drop_front(2).getAsInteger(10, transposed)) continue;
      else if (auto *row = widthOf(word)) width = row;
      else if (format && channels.empty()) channels = isa::channels(word);
      else return false;
    }
    return format ? !channels.empty() : width || block;
  }
};

std::string loadMeaning(const Access &a, llvm::StringRef from) {
  if (a.block) return "loads from " + from.str() + " those of 32 registers whose bits are set in M0";
  const std::string place = a.high ? "high half of d" : a.d16 && !a.format ? "low half of d" : "d";
  if (a.format)
    return place + " = " + a.channels + " of an element of " + from.str() + ", converted to " +
           (a.d16 ? "16 bits" : "32 bits") + (a.channels.size() > 1 ? " each" : "");
  if (!a.width->load) return "";
  if (a.lds)
    return "copies " + (a.width->load + (" per lane from " + from.str())) + " to LDS" + a.width->extended + ", at M0";
  std::string text = place + " = " + a.width->load + " from " + from.str() + a.width->extended;
  if (a.perLane) text += ", at the address + 4 * the lane's number";
  if (a.transposed)
    text += "; lanes exchange " + std::to_string(a.transposed) + "-bit elements, which transposes a tile";
  if (a.monitor) text += "; a change there ends s_monitor_sleep";
  return text;
}

std::string storeMeaning(const Access &a, llvm::StringRef to) {
  if (a.block) return "stores to " + to.str() + " those of 32 registers whose bits are set in M0";
  if (a.format) {
    const char *source = a.high ? "the high half" : a.d16 ? "16 bits" : "32 bits";
    return "stores " + a.channels + " of data as an element of " + to.str() + ", converted from " + source +
           (a.channels.size() > 1 ? " each" : "");
  }
  if (!a.width->store) return "";
  const llvm::StringRef word = a.width->word;
  const bool isByte = word == "byte" || word == "b8";
  std::string text = "stores ";
  text += a.high ? (isByte ? "bits 23:16" : "the high 16 bits") : a.width->store;
  text += " of data to " + to.str();
  if (a.perLane) text += ", at the address + 4 * the lane's number";
  return text;
}

constexpr MeaningRow whole[] = {
    {"buffer_inv", "invalidates caches, up to the scope of sc0 and sc1"},
    {"buffer_wbl2", "writes the L2 cache back to memory, up to the scope of sc0 and sc1"},
    {"global_inv", "invalidates caches, up to the scope of the modifier scope"},
    {"global_wb", "writes caches back to memory, up to the scope of the modifier scope"},
    {"global_wbinv", "writes caches back to memory and invalidates them, up to the scope of the modifier scope"},
    {"global|flat_prefetch_b8", "fetches the cache line at the address into caches"},
    {"global_atomic_ordered_add_b64",
     "if the low words of memory and data are equal, adds the high word of data to that of memory "
     "and increments the low word, atomically; can return the former value"},
    {"tensor_load_to_lds", "copies a tile of a tensor that descriptors describe from memory to LDS, asynchronously"},
    {"tensor_store_from_lds", "copies a tile from LDS to a tensor in memory that descriptors describe, asynchronously"},
    {"tensor_save", "saves the state of the tensor mover, for a context switch"},
    {"tensor_stop", "stops the tensor mover, for a context switch"},
    {"export", "sends up to four values of each lane to a fixed-function unit of the graphics pipeline"},
};

constexpr MeaningRow scalarWhole[] = {
    {"s_dcache_inv", "invalidates the scalar cache"},
    {"s_dcache_inv_vol", "invalidates volatile lines of the scalar cache"},
    {"s_dcache_wb", "writes the scalar cache back to memory"},
    {"s_dcache_wb_vol", "writes volatile lines of the scalar cache back to memory"},
    {"s_dcache_discard", "discards 64 bytes of the scalar cache at the address without writing them back"},
    {"s_dcache_discard_x2", "discards 128 bytes of the scalar cache at the address without writing them back"},
    {"s_memtime", "d = the clock counter, 64 bits"},
    {"s_memrealtime", "d = the counter of a clock with a constant rate, 64 bits"},
    {"s_atc_probe", "translates an address ahead of its use"},
    {"s_atc_probe_buffer", "translates an address of a buffer ahead of its use"},
    {"s_prefetch_data", "fetches 1 to 32 lines of 128 bytes at the address into the scalar data cache"},
    {"s_prefetch_data_pc_rel",
     "fetches 1 to 32 lines of 128 bytes, relative to the program counter, into the scalar data cache"},
    {"s_prefetch_inst", "fetches 1 to 32 lines of 128 bytes at the address into the instruction cache"},
    {"s_prefetch_inst_pc_rel",
     "fetches 1 to 32 lines of 128 bytes, relative to the program counter, into the instruction cache"},
    {"s_buffer_prefetch_data", "fetches 1 to 32 lines of 128 bytes of a buffer into the scalar data cache"},
};

struct AtomicRow {
  const char *operation, *text, *type;
}; ///< type: where the name has none
constexpr AtomicRow atomics[] = {
    {"swap", "exchanges {0} and data", "u32"},
    {"cmpswap", "if {0} equals the upper half of data, {0} = the lower half", "u32"},
    {"add", "{0} = {0} + data", "u32"},
    {"pk add", "{0} = {0} + data", "u32"},
    {"sub", "{0} = {0} - data", "u32"},
    {"sub clamp", "{0} = {0} - data, at least 0", "u32"},
    {"cond sub", "if {0} >= data, {0} = {0} - data", "u32"},
    {"smin", "{0} = min({0}, data)", "i32"},
    {"umin", "{0} = min({0}, data)", "u32"},
    {"smax", "{0} = max({0}, data)", "i32"},
    {"umax", "{0} = max({0}, data)", "u32"},
    {"min", "{0} = min({0}, data)", "u32"},
    {"max", "{0} = max({0}, data)", "u32"},
    {"min num", "{0} = min({0}, data)", "f32"},
    {"max num", "{0} = max({0}, data)", "f32"},
    {"and", "{0} = {0} & data", "b32"},
    {"or", "{0} = {0} | data", "b32"},
    {"xor", "{0} = {0} ^ data", "b32"},
    {"inc", "{0} = {0} + 1, but 0 if {0} >= data", "u32"},
    {"dec", "{0} = {0} - 1, but data if {0} is 0 or {0} > data", "u32"},
    // of LDS alone
    {"rsub", "{0} = data - {0}", "u32"},
};

} // namespace

std::string atomicPhrase(Words words) {
  std::string operation, type;
  bool isPair = false;
  for (llvm::StringRef word : words) {
    if (word == "x2") type = "x2";
    else if (isTypeWord(word)) type = word.str();
    else operation += (operation.empty() ? "" : " ") + word.str();
    isPair |= word == "pk";
  }
  for (const AtomicRow &row : atomics) {
    if (operation != row.operation) continue;
    if (type.empty()) type = row.type;
    else if (type == "x2") type = std::string(1, row.type[0]) + "64";
    return row.text + std::string(isPair ? ", two " : ", ") + type + ", atomically";
  }
  return "";
}

std::string vectorMemoryMeaning(llvm::StringRef name) {
  if (std::string meaning = meaningIn(whole, name); !meaning.empty()) return meaning;
  for (const SpaceRow &space : spaces) {
    llvm::StringRef rest = name;
    if (!rest.consume_front(space.prefix)) continue;
    const bool isCluster = llvm::StringRef(space.prefix) == "cluster_";
    std::string place = space.text;
    if (isCluster) place += ", shared with the workgroups of the cluster that M0 names";
    for (bool load : {true, false}) {
      llvm::StringRef width = rest;
      if (!width.consume_front(load ? "load_async_to_lds_" : "store_async_from_lds_")) continue;
      auto *row = widthOf(width);
      if (!row || !row->load) return "";
      return "copies " + std::string(row->load) + " per lane, asynchronously, " +
             (load ? "to LDS from " + place : "from LDS to " + place);
    }
    if (rest.consume_front("atomic_")) {
      const std::string phrase = filled(atomicPhrase(wordsOf(rest)), "0", "memory");
      return phrase.empty() ? "" : phrase + "; can return the former value";
    }
    const bool load = rest.consume_front("load_");
    if (!load && !rest.consume_front("store_")) return "";
    Access access;
    if (!access.take(wordsOf(rest))) return "";
    return load ? loadMeaning(access, place) : storeMeaning(access, place);
  }
  return "";
}

std::string scalarMemoryMeaning(llvm::StringRef name) {
  if (std::string meaning = meaningIn(scalarWhole, name); !meaning.empty()) return meaning;
  llvm::StringRef rest = name;
  if (!rest.consume_front("s_")) return "";
  const char *place = rest.consume_front("buffer_")    ? "the buffer"
                      : rest.consume_front("scratch_") ? "scratch memory"
                                                       : "memory";
  if (rest.consume_front("atomic_")) {
    const std::string phrase = filled(atomicPhrase(wordsOf(rest)), "0", "memory");
    return phrase.empty() ? "" : phrase + "; can return the former value";
  }
  const bool load = rest.consume_front("load_");
  if (!load && !rest.consume_front("store_")) return "";
  auto *row = widthOf(rest);
  if (!row || !(load ? row->load : row->store)) return "";
  return load ? "d = " + std::string(row->load) + " from " + place + row->extended
              : "stores " + std::string(row->store) + " of data to " + place;
}

} // namespace fly::isa
