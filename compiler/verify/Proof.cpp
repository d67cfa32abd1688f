#include "compiler/verify/Proof.h"

#include "compiler/isa/Decoder.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <map>

namespace fly::verify {

namespace {

std::string hex(uint64_t address) { return "0x" + llvm::utohexstr(address, /*LowerCase=*/true); }

class Prover {
public:
  Prover(const isa::CodeObject &object, const Options &options)
      : object(object), options(options), target(target::findReadable(object.architecture())) {}

  Proof of(std::string name, const isa::Kernel *kernel, uint64_t address, uint64_t size, unsigned waveSize) {
    Proof proof;
    proof.name = std::move(name);
    proof.isKernel = kernel != nullptr;
    proof.architecture = object.architecture();
    auto made = isa::Decoder::create(object.architecture(), waveSize);
    auto list = made ? (*made)->decodeKernel(object.bytesAt(address, size), address)
                     : llvm::Expected<std::vector<isa::Instruction>>(made.takeError());
    if (!list || list->empty()) {
      const std::string why = list ? "there are no instructions" : llvm::toString(list.takeError());
      if (options.isCompiled && options.isOn("encoding"))
        proof.errors.push_back({findRule("encoding"), why, "LLVM", "", {}, 0});
      else
        proof.gaps.push_back({why, {address, "", "", 0, 0}, 0});
      return proof;
    }
    Options own = options;
    if (kernel)
      own.workgroup = kernel->requiredWorkgroupSize;
    Result result = verify(*list, isa::ControlFlow(*list), *target, own);
    proof.instructions = result.instructions;
    if (!result.errors.empty() || !result.doubts.empty() || !result.hints.empty() || !result.gaps.empty())
      object.attachLocations(*list); // only what is shown needs them
    const auto step = [&](uint32_t number) {
      const isa::Instruction &i = (*list)[number];
      Step s{i.address, (*made)->print(i), "", 0, 0};
      if (i.location.valid() && i.location.file < object.files().size())
        s = {s.address, s.text, object.files()[i.location.file], i.location.line, i.location.column};
      return s;
    };
    for (auto [from, to] : {std::pair{&result.errors, &proof.errors}, std::pair{&result.doubts, &proof.doubts},
                            std::pair{&result.hints, &proof.hints}})
      for (const Finding &f : *from) {
        PlacedFinding placed{f.rule, f.message, f.source, f.doubt, {step(f.first)}, f.others};
        for (uint32_t jump : f.path)
          placed.steps.push_back(step(jump));
        if (f.second != f.first)
          placed.steps.push_back(step(f.second));
        to->push_back(std::move(placed));
      }
    for (const Gap &g : result.gaps)
      proof.gaps.push_back({g.why, step(g.instruction), g.others});
    return proof;
  }

private:
  const isa::CodeObject &object;
  const Options &options;
  const target::Target *target;
};

bool isExecutable(const isa::CodeObject &object, uint64_t address) {
  return llvm::any_of(object.segments(), [&](const isa::Segment &s) {
    return s.execute && address >= s.address && address - s.address < s.data.size();
  });
}

std::string others(unsigned count, const char *what) {
  return count == 0 ? "" : " and " + counted(count, "other") + " " + what;
}

Json toJson(const Step &step) {
  Json out{{"address", step.address}, {"text", step.text}};
  if (step.line) {
    out["file"] = step.file;
    out["line"] = step.line;
  }
  return out;
}

Json toJson(const PlacedFinding &f) {
  Json out{{"rule", f.rule->name}, {"message", f.message}};
  if (!f.source.empty())
    out["source"] = f.source;
  if (!f.doubt.empty())
    out["doubt"] = f.doubt;
  out["path"] = Json::array();
  for (const Step &step : f.steps)
    out["path"].push_back(toJson(step));
  out["others"] = f.others;
  return out;
}

} // namespace

std::vector<Proof> prove(const isa::CodeObject &object, const Options &options, llvm::StringRef only, bool functions) {
  Prover prover(object, options);
  std::vector<Proof> out;
  for (const isa::Kernel &k : object.kernels())
    if (only.empty() || only == k.name)
      out.push_back(prover.of(k.name, &k, k.entry, k.codeSize, k.waveSize));
  if (!only.empty() || !functions)
    return out;
  std::map<uint64_t, const isa::Symbol *> found;
  for (const isa::Symbol &symbol : object.symbols())
    if (symbol.defined && symbol.type == llvm::ELF::STT_FUNC && symbol.size && isExecutable(object, symbol.address) &&
        llvm::none_of(object.kernels(), [&](const isa::Kernel &k) {
          return symbol.address >= k.entry && symbol.address - k.entry < k.codeSize;
        }))
      found.emplace(symbol.address, &symbol);
  const unsigned waveSize = object.kernels().empty() ? 0 : object.kernels().front().waveSize;
  for (auto &[address, symbol] : found)
    out.push_back(prover.of(symbol->name, nullptr, address, symbol->size, waveSize));
  return out;
}

std::string Proof::summary() const {
  const std::string tail = doubts.empty() ? "" : ", " + counted(doubts.size(), "doubt");
  if (!errors.empty())
    return counted(errors.size(), "error") + tail;
  if (gaps.empty())
    return "proved" + tail;
  std::string text = "not proved: ";
  for (const PlacedGap &g : gaps) {
    text += &g == gaps.data() ? "" : "; ";
    text += g.why + (g.step.text.empty() ? "" : " at " + hex(g.step.address)) + others(g.others, "like it");
  }
  return text + tail;
}

std::vector<std::string> toLines(llvm::ArrayRef<Step> steps) {
  size_t width = 0;
  for (const Step &s : steps)
    width = std::max(width, s.text.size());
  std::vector<std::string> out;
  for (const Step &s : steps) {
    std::string line = hex(s.address) + "  " + s.text;
    if (s.line)
      line += std::string(width - s.text.size() + 2, ' ') + s.file + ":" + std::to_string(s.line);
    out.push_back(std::move(line));
  }
  return out;
}

std::string toText(const Proof &proof) {
  std::string out = (proof.isKernel ? "" : "function ") + proof.name + ": " + proof.summary() + ", " +
                    std::to_string(proof.instructions) + " instructions\n";
  for (auto [list, kind] :
       {std::pair{&proof.errors, "error"}, std::pair{&proof.doubts, "doubt"}, std::pair{&proof.hints, "may"}})
    for (const PlacedFinding &f : *list) {
      out += std::string("  ") + kind + ": " + f.message +
             (!f.rule->may ? others(f.others, "after the same instruction")
              : f.others   ? "; " + counted(f.others, "other place") + " like it"
                           : "") +
             (f.doubt.empty() ? "" : "; but " + f.doubt) + " [" + f.rule->name +
             (f.source.empty() ? "" : "; " + f.source) + "]\n";
      for (const std::string &line : toLines(f.steps))
        out += "    " + line + "\n";
    }
  return out;
}

Json toJson(const Proof &proof) {
  static constexpr const char *names[] = {"proved", "not-proved", "errors"};
  Json out{{"name", proof.name},
           {"kind", proof.isKernel ? "kernel" : "function"},
           {"arch", proof.architecture},
           {"instructions", proof.instructions},
           {"verdict", names[unsigned(proof.verdict())]}};
  out["reasons"] = Json::array();
  for (const PlacedGap &g : proof.gaps) {
    Json reason{{"why", g.why}};
    reason.update(toJson(g.step));
    reason["others"] = g.others;
    out["reasons"].push_back(std::move(reason));
  }
  for (auto [list, name] :
       {std::pair{&proof.errors, "errors"}, std::pair{&proof.doubts, "doubts"}, std::pair{&proof.hints, "may"}}) {
    out[name] = Json::array();
    for (const PlacedFinding &f : *list)
      out[name].push_back(toJson(f));
  }
  return out;
}

} // namespace fly::verify
