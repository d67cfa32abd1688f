// See Import.h. The kernel descriptor is imported field by field, since what enables a register is not known from the
// code. Arguments become parameters of the same size at the same place; those that the language does not have, and
// gaps, become words.
#include "compiler/assembly/Import.h"

#include "compiler/assembly/Descriptor.h"
#include "compiler/assembly/Outside.h"
#include "compiler/assembly/ReadText.h"
#include "compiler/assembly/RegisterUse.h"
#include "compiler/isa/Assembler.h"
#include "compiler/isa/InputMistakes.h"
#include "compiler/target/Target.h"
#include "compiler/verify/Verify.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <map>

namespace fly::assembly {

namespace {

bool isNamedOperand(llvm::StringRef text) { return llvm::is_contained(isa::namedOperands(), text); }

std::string inQuotes(llvm::StringRef text) { return "\"" + text.str() + "\""; }

class Writer {
public:
  explicit Writer(Imported &out) : out(out) {}

  std::string operand(const isa::AsmOperand &o) {
    std::string text;
    switch (o.kind) {
    case isa::AsmOperand::Kind::Register: {
      static constexpr const char *files[] = {"s", "v", "a"};
      const std::string file = files[static_cast<unsigned>(o.file)];
      out.registers.insert(file);
      text = file + "[" + std::to_string(o.index) + (o.width == 1 ? "" : ":" + std::to_string(o.index + o.width)) + "]";
      if (o.half != isa::Half::Whole)
        text += o.half == isa::Half::High ? ".h" : ".l";
      break;
    }
    case isa::AsmOperand::Kind::Integer:
      text = o.integer > 4095 || o.integer < -4096
                 ? (o.integer < 0 ? "-0x" : "0x") +
                       llvm::utohexstr(static_cast<uint64_t>(o.integer < 0 ? -o.integer : o.integer), true)
                 : std::to_string(o.integer);
      break;
    case isa::AsmOperand::Kind::Float: {
      isa::AsmOperand plain = o;
      plain.neg = plain.abs = plain.sext = false;
      text = isa::textOf(plain);
      break;
    }
    default: text = symbol(o.symbol); break;
    }
    if (o.sext)
      text = "isa.sext(" + text + ")";
    if (o.abs)
      text = "isa.abs(" + text + ")";
    if (o.neg)
      text = "isa.neg(" + text + ")";
    return text;
  }

  std::string call(const isa::AsmInstruction &i, const std::string &label, bool unchecked) {
    auto list = [&](const isa::AsmInstruction &half) {
      std::string text;
      for (auto [k, o] : llvm::enumerate(half.operands))
        text += (k ? ", " : "") + (!label.empty() && k + 1 == half.operands.size() ? label : operand(o));
      return text;
    };
    std::string text;
    if (i.second) {
      auto tuple = [&](const isa::AsmInstruction &half) {
        return "(" + list(half) + (half.operands.size() == 1 ? ",)" : ")");
      };
      text = "isa.dual(isa." + i.name + ", " + tuple(i) + ", isa." + i.second->name + ", " + tuple(*i.second);
    } else {
      text = "isa." + i.name + "(" + list(i);
    }
    bool first = i.operands.empty() && !i.second;
    auto add = [&](const std::string &one) {
      text += (first ? "" : ", ") + one;
      first = false;
    };
    for (const isa::AsmModifier &m : i.modifiers)
      add((i.second ? "x_" : "") + m.name + "=" + value(m));
    if (i.second)
      for (const isa::AsmModifier &m : i.second->modifiers)
        add("y_" + m.name + "=" + value(m));
    if (unchecked)
      add("unchecked=True");
    return text + ")";
  }

private:
  Imported &out;

  std::string symbol(llvm::StringRef text) {
    if (isNamedOperand(text)) {
      out.registers.insert(text.str());
      return text.str();
    }
    unsigned first = 0;
    if (llvm::StringRef rest = text; rest.consume_front("ttmp") && !rest.getAsInteger(10, first)) {
      out.registers.insert("ttmp");
      return "ttmp[" + std::to_string(first) + "]";
    }
    return inQuotes(text);
  }

  static std::string value(const isa::AsmModifier &m) {
    if (auto *flag = std::get_if<bool>(&m.value))
      return *flag ? "True" : "False";
    if (auto *number = std::get_if<int64_t>(&m.value))
      return std::to_string(*number);
    if (auto *text = std::get_if<std::string>(&m.value))
      return inQuotes(*text);
    std::string list;
    for (int64_t number : std::get<std::vector<int64_t>>(m.value))
      list += (list.empty() ? "" : ", ") + std::to_string(number);
    return "[" + list + "]";
  }
};

/// A name that the language and the imports have no other use for.
std::string identifier(llvm::StringRef text, const char *otherwise) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  while (!name.empty() && name[0] == '_')
    name.erase(0, 1);
  if (name.empty() || llvm::isDigit(name[0]))
    name = otherwise + name;
  static const std::set<std::string> taken{
      "s",     "v",     "a",        "isa",   "abi",    "ttmp", "off",  "and",    "as",    "assert",
      "break", "class", "continue", "def",   "del",    "elif", "else", "except", "False", "finally",
      "for",   "from",  "global",   "if",    "import", "in",   "is",   "lambda", "None",  "nonlocal",
      "not",   "or",    "pass",     "raise", "return", "True", "try",  "while",  "with",  "yield"};
  if (taken.count(name) || isNamedOperand(name))
    name += "_";
  return name;
}

/// The argument block as parameters, each at its place, and its bytes.
std::pair<std::string, uint32_t> parameters(const isa::Kernel &kernel) {
  std::vector<std::string> list;
  std::map<std::string, unsigned> used;
  uint32_t at = 0;
  auto add = [&](std::string name, const std::string &type, uint32_t size) {
    if (unsigned n = used[name]++)
      name += "_" + std::to_string(n);
    list.push_back(name + ": " + type);
    at += size;
  };
  /// Words without a meaning of their own.
  auto fill = [&](uint32_t end, const std::string &name) {
    while (at < end) {
      if (at % 8 == 0 && end - at >= 8)
        add(name, "u64", 8);
      else if (at % 4 == 0 && end - at >= 4)
        add(name, "u32", 4);
      else if (at % 2 == 0 && end - at >= 2)
        add(name, "u16", 2);
      else
        add(name, "u8", 1);
    }
  };
  std::vector<isa::KernelArgument> arguments = kernel.arguments;
  llvm::stable_sort(arguments, [](auto &a, auto &b) { return a.offset < b.offset; });
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    fill(argument.offset, "gap");
    if (argument.offset < at)
      continue;
    const std::string name = identifier(!argument.name.empty() ? argument.name
                                        : argument.hidden()    ? argument.kind
                                                               : "",
                                        ("p" + std::to_string(number)).c_str());
    if (argument.size == 8 &&
        (argument.kind == "global_buffer" || argument.kind.find("pointer") != std::string::npos) && at % 8 == 0)
      add(name, "Pointer[u8, global]", 8);
    else
      fill(argument.offset + argument.size, name);
  }
  constexpr uint32_t most = 1 << 16; // a block of more is a mistake, which the descriptor alone has
  if (kernel.descriptor.kernargSize <= most)
    fill(kernel.descriptor.kernargSize, "gap");
  std::string text;
  for (const std::string &p : list)
    text += (text.empty() ? "" : ", ") + p;
  return {text, at};
}

/// Lines of at most 116 columns, broken after commas.
std::string wrapped(const std::string &head, const std::string &list, const std::string &tail, unsigned indent) {
  std::string line = head, out;
  for (llvm::StringRef rest = list; !rest.empty();) {
    auto [part, after] = rest.split(", ");
    const std::string piece = part.str() + (after.empty() ? "" : ",");
    if (line.size() + piece.size() > 110) {
      out += line + "\n";
      line = std::string(indent, ' ');
    } else if (line.back() != '(' && line.back() != ' ') {
      line += ' ';
    }
    line += piece;
    rest = after;
  }
  return out + line + tail;
}

} // namespace

namespace {

/// The kernel's instructions; bytes that are none are hints of that size.
std::vector<isa::Instruction> decode(isa::Assembler &assembler, llvm::ArrayRef<uint8_t> bytes, uint64_t entry) {
  std::vector<isa::Instruction> code;
  for (size_t at = 0; at < bytes.size();) {
    isa::Encoding here(bytes.begin() + long(at), bytes.begin() + long(std::min(bytes.size(), at + 20)));
    auto decoded = assembler.decode(here, entry + at);
    isa::Instruction i;
    if (decoded) {
      i = std::move(*decoded);
    } else {
      llvm::consumeError(decoded.takeError());
      i.address = entry + at;
      i.size = static_cast<uint8_t>(std::min<size_t>(4, bytes.size() - at));
      std::copy_n(here.begin(), i.size, i.bytes.begin());
      i.cls = isa::Class::Hint;
    }
    at += i.size;
    code.push_back(std::move(i));
  }
  return code;
}

/// Removes what follows the last end and is nothing but zeros and hints, unless the code reads its own bytes.
void dropPadding(std::vector<isa::Instruction> &code) {
  if (llvm::any_of(code, [](const isa::Instruction &i) { return computesAddress(i); }))
    return;
  size_t keep = 0;
  for (size_t k = 0; k < code.size(); ++k) {
    const isa::Instruction &i = code[k];
    const bool isZero = llvm::all_of(llvm::ArrayRef(i.bytes).take_front(i.size), [](uint8_t b) { return b == 0; });
    if (!(keep && endsWave(code[keep - 1]) && (i.is(isa::Class::Hint) || isZero)))
      keep = k + 1;
  }
  code.resize(keep);
}

/// What the verifier would refuse was right for its author.
std::set<uint32_t> findUnproved(llvm::ArrayRef<isa::Instruction> code, const target::Target &target) {
  std::vector<isa::Instruction> absolute = code;
  if (target.hasFeature("vgpr_msb")) {
    isa::VgprMsb msb;
    for (isa::Instruction &i : absolute)
      msb.apply(i);
  }
  std::set<uint32_t> found;
  verify::Options options;
  options.strict = true;
  for (const verify::Finding &f : verify::verify(absolute, isa::ControlFlow(absolute), target, options).errors)
    found.insert(f.second);
  return found;
}

/// The call that makes an instruction again; empty if none makes these bytes.
std::string callOf(isa::Assembler &assembler, Writer &writer, const isa::Instruction &i, const std::string &label,
                   bool unchecked) {
  if (i.op == isa::Op::Invalid)
    return "";
  isa::Encoding wanted(i.bytes.begin(), i.bytes.begin() + i.size);
  if (!label.empty())
    wanted[0] = wanted[1] = 0;
  for (bool verbatim : {false, true}) {
    auto instruction = readInstruction(assembler.print(i), verbatim);
    if (!instruction || isa::constantOutOfRange(*instruction) || (!label.empty() && instruction->operands.empty()))
      continue;
    if (!label.empty())
      instruction->operands.back() = isa::AsmOperand::ofInteger(0);
    if (auto again = assembler.assemble(*instruction); again && *again == wanted)
      return writer.call(*instruction, label, unchecked);
  }
  return "";
}

std::string bytesOf(isa::Assembler &assembler, const isa::Instruction &i, bool isData, bool unchecked) {
  std::string words;
  for (unsigned at = 0; at + 4 <= i.size; at += 4)
    words += (at ? ", 0x" : "0x") + llvm::utohexstr(llvm::support::endian::read32le(i.bytes.data() + at), true);
  const bool hasText = i.op != isa::Op::Invalid && !isData;
  return "isa.raw(" + words + (unchecked ? ", unchecked=True" : "") + ")" +
         (hasText ? "  # " + assembler.print(i) : "");
}

/// Whether the language can call a symbol by its name: other identifiers are exported, and what is none is changed.
bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// A name of the file that is not taken yet.
std::string unusedName(std::string name, std::set<std::string> &taken) {
  while (!taken.insert(name).second)
    name += "_";
  return name;
}

/// `block=`: what the file says; without metadata, the most that the registers allow.
std::string blockOf(const isa::Kernel &kernel, const target::Target &target) {
  const auto &size = kernel.requiredWorkgroupSize;
  if (size[0])
    return "(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " + std::to_string(size[2]) + ")";
  const unsigned most = std::min(kernel.maxFlatWorkgroupSize, target.maxWorkgroupSize);
  return std::to_string(largestWorkgroup(target, kernel.waveSize, vectorRegistersOf(kernel, target), most));
}

} // namespace

Imported importKernel(const isa::CodeObject &object, const isa::Kernel &kernel, std::set<std::string> &names) {
  Imported out;
  const target::Target *target = target::find(object.architecture());
  auto refuse = [&](const std::string &why) {
    out.problem = why;
    return out;
  };
  if (!target)
    return refuse("flyc does not compile for " + object.architecture());
  if (kernel.waveSize != target->waveSize)
    return refuse("its waves have " + std::to_string(kernel.waveSize) + " lanes, but flyc compiles for waves of " +
                  std::to_string(target->waveSize));
  auto made = isa::Assembler::create(object.architecture(), kernel.waveSize);
  if (!made)
    return refuse(llvm::toString(made.takeError()));
  isa::Assembler &assembler = **made;
  std::vector<isa::Instruction> code = decode(assembler, object.text(kernel), kernel.entry);
  dropPadding(code);
  if (code.empty())
    return refuse("it has no code");
  const Paths paths(code);
  if (paths.runsOff())
    return refuse("its code does not end");
  out.outside = findOutside(object, kernel, code, paths);

  std::map<uint64_t, std::string> labels;
  std::set<uint64_t> starts;
  for (const isa::Instruction &i : code)
    starts.insert(i.address);
  auto isData = [&](uint32_t k) { return !paths.hasComputedJump() && !paths.reachedAt(k); };
  for (auto [k, i] : llvm::enumerate(code))
    if (auto to = i.target(); to && starts.count(*to) && !isData(uint32_t(k)))
      labels[*to];
  unsigned number = 0;
  for (auto &label : labels)
    label.second = "L" + std::to_string(number++);

  const std::set<uint32_t> unproved = findUnproved(code, *target);
  Writer writer(out);
  std::string body;
  for (uint32_t k = 0; k < code.size(); ++k) {
    const isa::Instruction &i = code[k];
    if (auto label = labels.find(i.address); label != labels.end())
      body += "    isa.place(" + label->second + ")\n";
    ++out.instructions;
    auto to = i.target();
    const std::string label = to && labels.count(*to) && !isData(k) ? labels[*to] : "";
    std::string call = isData(k) ? "" : callOf(assembler, writer, i, label, unproved.count(k));
    if (call.empty()) {
      ++out.raw;
      call = bytesOf(assembler, i, isData(k), unproved.count(k));
    }
    body += "    " + call + "\n";
  }

  // What the file exports has the name of the kernel.
  const bool isExported = isIdentifier(kernel.name) && identifier(kernel.name, "k") != kernel.name;
  out.name = unusedName((isExported ? "_" : "") + identifier(kernel.name, "k"), names);
  std::string text;
  std::string options =
      "isa=True, arch=\"" + object.architecture() + "\", block=" + blockOf(kernel, *target) + ", grid=1";
  uint32_t lds = std::max(kernel.descriptor.groupSegmentFixedSize, kernel.groupSegmentFixedSize);
  if (lds > target->ldsBytes)
    lds = 0; // the descriptor alone has it
  if (lds)
    options += ", lds=" + std::to_string(lds);
  const auto [list, kernargBytes] = parameters(kernel);
  text += "@kernel(" + options + ")\n";
  text += wrapped("def " + out.name + "(", list, "):\n", 4 + 4);
  std::string fields;
  for (auto &[name, value] :
       descriptorFields(kernel, object.bytesAt(kernel.descriptorAddress, 64), *target, kernargBytes, lds))
    fields += (fields.empty() ? "" : ", ") + name + "=" +
              (value > 4095 ? "0x" + llvm::utohexstr(static_cast<uint64_t>(value), true) : std::to_string(value));
  text += wrapped("    isa.descriptor(", fields, ")\n", 8);
  for (auto &label : labels)
    text += "    " + label.second + " = isa.label()\n";
  out.text = text + body;
  if (isExported)
    out.text += "\n\nexport(\"" + kernel.name + "\", " + out.name + ")\n";
  return out;
}

std::string importedFile(llvm::ArrayRef<Imported> kernels, llvm::StringRef from, llvm::StringRef architecture) {
  std::set<std::string> registers;
  for (const Imported &kernel : kernels)
    registers.insert(kernel.registers.begin(), kernel.registers.end());
  std::string text = "\"\"\"Imported from " + from.str() + " by `flyc import`: the same machine code for " +
                     architecture.str() + ".\n\n" +
                     "A code object does not say how a kernel is launched: add `grid=` and `block=`.\n\"\"\"\n\n" +
                     "from fly.amd import isa\n";
  if (!registers.empty()) {
    std::string names;
    for (const std::string &name : registers)
      names += (names.empty() ? "" : ", ") + name;
    text += "from fly.amd.reg import " + names + "\n";
  }
  for (const Imported &kernel : kernels)
    text += "\n\n" + kernel.text;
  return text;
}

} // namespace fly::assembly
