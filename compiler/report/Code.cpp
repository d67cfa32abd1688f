// Reads kernels and functions. Functions are symbols of type FUNC in a segment that may be executed; a kernel's own
// symbol is of that type too, so those at an entry are left out. Symbols at one address are one function.
#include "compiler/report/Code.h"

#include "compiler/isa/Decoder.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <map>

namespace fly::report {

using isa::Instruction;

std::vector<uint32_t> Code::whole() const {
  std::vector<uint32_t> out(instructions.size());
  for (uint32_t i = 0; i < out.size(); ++i)
    out[i] = i;
  return out;
}

std::vector<uint32_t> Code::of(llvm::ArrayRef<uint32_t> blocks) const {
  std::vector<uint32_t> out;
  for (uint32_t block : blocks)
    for (uint32_t i = flow.blocks()[block].first; i < flow.blocks()[block].last; ++i)
      out.push_back(i);
  return out;
}

uint32_t Code::at(uint64_t address) const {
  auto found = llvm::lower_bound(instructions, address, [](const Instruction &i, uint64_t a) { return i.address < a; });
  return found != instructions.end() && found->address == address ? uint32_t(found - instructions.begin()) : ~0u;
}

bool Code::isCall(uint32_t instruction) const { return isa::isCall(instructions[instruction]); }

bool Code::isReturn(uint32_t instruction) const {
  return !kernel && llvm::StringRef(isa::name(instructions[instruction].op)).starts_with("S_SETPC");
}

namespace {

class Reader {
public:
  Reader(const isa::CodeObject &object) : object(object) {}

  llvm::Error add(std::string name, const isa::Kernel *kernel, uint64_t address, uint64_t size, unsigned waveSize) {
    auto &decoder = decoders[waveSize];
    if (!decoder) {
      auto made = isa::Decoder::create(object.architecture(), waveSize);
      if (!made)
        return made.takeError();
      decoder = std::move(*made);
    }
    auto list = decoder->decodeKernel(object.bytesAt(address, size), address);
    if (!list)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "`" + name + "`: " + llvm::toString(list.takeError()));
    if (list->empty())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "`" + name + "` has no instructions");
    object.attachLocations(*list);
    Code code(std::move(name), std::move(*list));
    code.kernel = kernel;
    code.separateWorkitemIds = target::findReadable(object.architecture())->separateWorkitemIds;
    code.address = address;
    code.size = size;
    for (const Instruction &instruction : code.instructions)
      code.texts.push_back(decoder->print(instruction));
    for (uint32_t i = 0; i < code.instructions.size(); ++i) {
      code.calls += code.isCall(i);
      code.indirectJumps += kernel && llvm::StringRef(isa::name(code.instructions[i].op)).starts_with("S_SETPC");
    }
    out.push_back(std::move(code));
    return llvm::Error::success();
  }

  std::vector<Code> out;

private:
  const isa::CodeObject &object;
  std::map<unsigned, std::unique_ptr<isa::Decoder>> decoders; ///< by wave size
};

bool isExecutable(const isa::CodeObject &object, uint64_t address) {
  return llvm::any_of(object.segments(), [&](const isa::Segment &s) {
    return s.execute && address >= s.address && address - s.address < s.data.size();
  });
}

} // namespace

llvm::Expected<std::vector<Code>> readCode(const isa::CodeObject &object, llvm::StringRef only) {
  Reader reader(object);
  for (const isa::Kernel &kernel : object.kernels())
    if (only.empty() || only == kernel.name)
      if (llvm::Error error = reader.add(kernel.name, &kernel, kernel.entry, kernel.codeSize, kernel.waveSize))
        return error;
  if (!only.empty())
    return std::move(reader.out);
  std::map<uint64_t, const isa::Symbol *> functions;
  for (const isa::Symbol &symbol : object.symbols())
    if (symbol.defined && symbol.type == llvm::ELF::STT_FUNC && symbol.size && isExecutable(object, symbol.address) &&
        llvm::none_of(object.kernels(), [&](const isa::Kernel &k) {
          return symbol.address >= k.entry && symbol.address - k.entry < k.codeSize;
        }))
      functions.emplace(symbol.address, &symbol);
  const unsigned waveSize = object.kernels().empty() ? 0 : object.kernels().front().waveSize;
  for (auto &[address, symbol] : functions)
    if (llvm::Error error = reader.add(symbol->name, nullptr, address, symbol->size, waveSize))
      return error;
  return std::move(reader.out);
}

} // namespace fly::report
