// Prints a listing. Branches, which LLVM prints as a number of words, get labels: `.L` and a number in order of
// address, starting again in each kernel.
#include "compiler/isa/Disassembly.h"

#include "compiler/isa/Decoder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <memory>

namespace fly::isa {

namespace {

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

/// "s_cbranch_scc1 12" -> "s_cbranch_scc1 .L3"
std::string withLabel(std::string text, const std::string &label) {
  size_t at = text.find_last_of(" ,");
  return at == std::string::npos ? text + " " + label : text.substr(0, at + 1) + label;
}

} // namespace

llvm::Expected<std::string> disassemble(const CodeObject &object, const DisassemblyOptions &options) {
  std::string out;
  std::map<unsigned, std::unique_ptr<Decoder>> decoders; // by wave size
  for (const Kernel &kernel : object.kernels()) {
    std::unique_ptr<Decoder> &decoder = decoders[kernel.waveSize];
    if (!decoder) {
      auto made = Decoder::create(object.architecture(), kernel.waveSize);
      if (!made) return made.takeError();
      decoder = std::move(*made);
    }
    auto code = decoder->decodeKernel(object.text(kernel), kernel.entry);
    if (!code) return code.takeError();
    object.attachLocations(*code);
    std::map<uint64_t, std::string> labels;
    for (const Instruction &inst : *code)
      if (auto target = inst.target()) labels[*target];
    unsigned number = 0;
    for (auto &label : labels) label.second = ".L" + std::to_string(number++);

    if (!out.empty()) out += '\n';
    out += padded(kernel.name + ":", 72) + llvm::formatv(" ; {0} bytes\n", kernel.codeSize).str();
    SourceLocation shown;
    for (const Instruction &inst : *code) {
      if (auto it = labels.find(inst.address); it != labels.end()) out += it->second + ":\n";
      SourceLocation here = inst.location;
      if (options.locations && here.valid() && (here.file != shown.file || here.line != shown.line) &&
          here.file < object.files().size()) {
        const std::string &file = object.files()[here.file];
        out += "        ; " + file + ":" + std::to_string(here.line);
        if (options.source)
          if (std::string text = options.source(file, here.line); !text.empty())
            out += ": " + llvm::StringRef(text).trim().str();
        out += '\n';
        shown = here;
      }
      std::string text = decoder->print(inst);
      if (auto target = inst.target()) text = withLabel(text, labels[*target]);
      out += "        ";
      out += options.addresses ? padded(text, 64) + " ; " + llvm::utohexstr(inst.address, true) : text;
      out += '\n';
    }
  }
  return out;
}

llvm::Expected<std::string> disassemble(llvm::StringRef codeObject, const DisassemblyOptions &options) {
  auto object = CodeObject::read(codeObject);
  if (!object) return object.takeError();
  return disassemble(*object, options);
}

} // namespace fly::isa
