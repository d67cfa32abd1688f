// The metadata note: a msgpack map that the compiler wrote for the runtime.
//
//     amdhsa.kernels: [ { .name: vec_add, .symbol: vec_add.kd, .kernarg_segment_size: 280, .vgpr_count: 5,
//                         .args: [ {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global},
//                                  ... ] } ]
//
// Every value may be missing or of another kind than it should be: a missing one keeps its default, a wrong one is an
// error that names its key.
#include "compiler/isa/CodeObjectReader.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"

namespace fly::isa {

namespace {

using llvm::msgpack::DocNode;
using llvm::msgpack::MapDocNode;

/// The fields of one map, with the first error kept.
struct Fields {
  MapDocNode map;
  std::string &error;

  DocNode *find(llvm::StringRef key) {
    auto it = map.find(key);
    return it == map.end() ? nullptr : &it->second;
  }
  void fail(llvm::StringRef key, const char *wanted) {
    if (error.empty()) error = ("`" + key + "` of the metadata is not " + wanted).str();
  }
  template <class T> void number(llvm::StringRef key, T &to) {
    DocNode *node = find(key);
    if (!node) return;
    uint64_t value;
    if (node->getKind() == llvm::msgpack::Type::UInt) value = node->getUInt();
    else if (node->getKind() == llvm::msgpack::Type::Int && node->getInt() >= 0)
      value = static_cast<uint64_t>(node->getInt());
    else return fail(key, "a number");
    if (value > 0xffffffffu) return fail(key, "a 32-bit number");
    to = static_cast<T>(value);
  }
  void text(llvm::StringRef key, std::string &to) {
    DocNode *node = find(key);
    if (!node) return;
    if (!node->isString()) return fail(key, "a text");
    to = node->getString().str();
  }
  void boolean(llvm::StringRef key, bool &to) {
    DocNode *node = find(key);
    if (!node) return;
    if (node->getKind() == llvm::msgpack::Type::Boolean) to = node->getBool();
    else if (node->getKind() == llvm::msgpack::Type::UInt) to = node->getUInt() != 0;
    else fail(key, "a boolean");
  }
  void triple(llvm::StringRef key, std::array<uint32_t, 3> &to) {
    DocNode *node = find(key);
    if (!node) return;
    if (!node->isArray() || node->getArray().size() != 3) return fail(key, "an array of three numbers");
    for (unsigned i = 0; i < 3; ++i) {
      DocNode &n = node->getArray()[i];
      if (n.getKind() != llvm::msgpack::Type::UInt || n.getUInt() > 0xffffffffu)
        return fail(key, "an array of three numbers");
      to[i] = static_cast<uint32_t>(n.getUInt());
    }
  }
};

void readKernel(Fields fields, Kernel &kernel) {
  kernel.hasMetadata = true;
  fields.number(".kernarg_segment_size", kernel.kernargSegmentSize);
  fields.number(".kernarg_segment_align", kernel.kernargSegmentAlign);
  fields.number(".group_segment_fixed_size", kernel.groupSegmentFixedSize);
  fields.number(".private_segment_fixed_size", kernel.privateSegmentFixedSize);
  fields.number(".wavefront_size", kernel.waveSize);
  fields.number(".max_flat_workgroup_size", kernel.maxFlatWorkgroupSize);
  fields.number(".sgpr_count", kernel.sgprs);
  fields.number(".vgpr_count", kernel.vgprs);
  fields.number(".agpr_count", kernel.agprs);
  kernel.countsAgprs = fields.find(".agpr_count") != nullptr;
  fields.number(".sgpr_spill_count", kernel.sgprSpills);
  fields.number(".vgpr_spill_count", kernel.vgprSpills);
  fields.boolean(".uses_dynamic_stack", kernel.usesDynamicStack);
  fields.boolean(".uniform_work_group_size", kernel.uniformWorkgroupSize);
  fields.triple(".reqd_workgroup_size", kernel.requiredWorkgroupSize);
  fields.triple(".cluster_dims", kernel.clusterDims);
  if (kernel.waveSize != 32 && kernel.waveSize != 64) fields.fail(".wavefront_size", "32 or 64");

  DocNode *args = fields.find(".args");
  if (!args) return;
  if (!args->isArray()) return fields.fail(".args", "an array");
  for (DocNode &node : args->getArray()) {
    if (!node.isMap()) return fields.fail(".args", "an array of maps");
    KernelArgument argument;
    Fields of{node.getMap(), fields.error};
    of.text(".name", argument.name);
    of.text(".value_kind", argument.kind);
    of.text(".address_space", argument.addressSpace);
    of.text(".actual_access", argument.access);
    if (argument.access.empty()) of.text(".access", argument.access);
    of.text(".type_name", argument.typeName);
    of.number(".offset", argument.offset);
    of.number(".size", argument.size);
    // The HIP runtime copies the segment as the descriptor and the note give it; such an argument is never read.
    if (uint64_t(argument.offset) + argument.size > kernel.kernargSegmentSize)
      kernel.remarks.push_back(
          "argument " + (argument.name.empty() ? std::to_string(kernel.arguments.size()) : "`" + argument.name + "`") +
          " at offset " + std::to_string(argument.offset) + ", " + std::to_string(argument.size) +
          " bytes, lies outside of the kernel's " + std::to_string(kernel.kernargSegmentSize) + " bytes of arguments");
    kernel.arguments.push_back(std::move(argument));
  }
}

/// Whether the blob is one well-formed value whose map keys are texts. llvm::msgpack::Document assumes that (comparing
/// keys of an unexpected kind crashes it), so damaged blobs must not reach it.
bool isWellFormed(llvm::StringRef blob) {
  llvm::msgpack::Reader reader(blob);
  struct Level {
    size_t left;
    bool map;
  };
  llvm::SmallVector<Level, 8> open{{1, false}};
  while (!open.empty()) {
    if (open.back().left == 0) {
      open.pop_back();
      continue;
    }
    const bool key = open.back().map && open.back().left % 2 == 0;
    --open.back().left;
    llvm::msgpack::Object object;
    auto more = reader.read(object);
    if (!more) {
      llvm::consumeError(more.takeError());
      return false;
    }
    if (!*more || (key && object.Kind != llvm::msgpack::Type::String)) return false;
    const bool map = object.Kind == llvm::msgpack::Type::Map;
    if (!map && object.Kind != llvm::msgpack::Type::Array) {
      if (object.Kind == llvm::msgpack::Type::Extension || object.Kind == llvm::msgpack::Type::Binary) return false;
      continue;
    }
    // Each element takes a byte at least.
    if (object.Length > blob.size() || open.size() > 16) return false;
    open.push_back({object.Length * (map ? 2 : 1), map});
  }
  return true;
}

} // namespace

llvm::Error readMetadata(llvm::StringRef blob, std::vector<Kernel> &kernels) {
  llvm::msgpack::Document document;
  if (!isWellFormed(blob) || !document.readFromBlob(blob, /*Multi=*/false))
    return makeError("damaged code object: the metadata note cannot be read");
  if (!document.getRoot().isMap()) return makeError("damaged code object: the metadata note is not a map");
  std::string error;
  Fields root{document.getRoot().getMap(), error};
  DocNode *list = root.find("amdhsa.kernels");
  if (!list) return llvm::Error::success();
  if (!list->isArray()) return makeError("damaged code object: `amdhsa.kernels` of the metadata is not an array");
  for (DocNode &node : list->getArray()) {
    if (!node.isMap()) return makeError("damaged code object: a kernel of the metadata is not a map");
    Fields fields{node.getMap(), error};
    std::string symbol;
    fields.text(".symbol", symbol);
    Kernel *kernel = nullptr;
    for (Kernel &k : kernels)
      if (k.descriptorName == symbol) kernel = &k;
    if (!kernel)
      return makeError("damaged code object: the metadata names `" + symbol +
                       "`, for which there is no kernel descriptor");
    readKernel(fields, *kernel);
    if (!error.empty()) return makeError("damaged code object: kernel `" + kernel->name + "`: " + error);
  }
  return llvm::Error::success();
}

} // namespace fly::isa
