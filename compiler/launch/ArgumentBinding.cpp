// Which argument goes where in the kernel's block of arguments.
//
//     --kernarg @block.bin     all bytes, as the vendor's host code passes them
//     --arg x=in.npy           a parameter of the metadata: kind and size are checked
//     --arg @16=in.npy         a place of the block: what is given decides about kind and size
//
// Places are for code objects of hand-written assembly, whose metadata often describes arguments wrongly or not at all.
// A parameter needs a value unless the block, or places that cover all of it, give its bytes, or its name says that it
// is padding.
#include "compiler/launch/SingleLaunch.h"
#include "compiler/text/Words.h"

#include <algorithm>

namespace fly::driver {

std::optional<size_t> SingleLaunch::find(const std::string &name, const std::string &text) {
  auto &parameters = kernel.parameters;
  size_t position;
  const auto offset = offsetOf(name);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].isPlace ? offset == parameters[i].offset : parameters[i].name == name && !name.empty())
      return i;
  if (!llvm::StringRef(name).getAsInteger(10, position) && position < parameters.size() &&
      !parameters[position].isPlace)
    return position;
  if (offset) {
    refuse(text, "no `--arg @" + llvm::Twine(*offset) + "=...` puts a buffer there");
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (auto &p : parameters)
    names.push_back(p.name);
  auto guess = didYouMean(name, names);
  session.diags.report(diag::bad_option, {})
      .arg(text)
      .arg("kernel `" + kernel.kernel->name + "` has no parameter `" + name + "`" +
           (guess ? "; did you mean `" + *guess + "`?" : ""))
      .help("its arguments are " + describe(parameters));
  return std::nullopt;
}

/// The block of --kernarg against the kernel's, and what the metadata places outside of the latter.
void SingleLaunch::readBlock() {
  const std::string name = "kernel `" + kernel.kernel->name + "`";
  const uint32_t bytes = kernel.argumentBytes;
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (auto &p = kernel.parameters[i]; p.end() > bytes)
      session.diags.report({}, diag::argument_block{.message = nameOf(p, i) + " at offset " + std::to_string(p.offset) +
                                                               ", " + std::to_string(p.size) +
                                                               " bytes, lies outside of the " + std::to_string(bytes) +
                                                               " bytes of arguments that " + name + " receives"});
  if (!argumentBlock)
    return;
  if (kernel.info)
    return refuse("--kernarg", "the parameters of a .fly kernel are known; give each with `--arg`");
  const uint32_t wanted = kernel.kernel->hasMetadata ? std::min(kernel.kernel->explicitKernargSize(), bytes) : bytes;
  const std::string given = "`--kernarg` gives " + std::to_string(argumentBlock->size()) + " bytes, ";
  if (argumentBlock->size() < wanted)
    session.diags.report({}, diag::argument_block{.message = given + name + " takes " + std::to_string(wanted) +
                                                             "; the others are 0 where no `--arg` sets them"});
  else if (llvm::any_of(llvm::StringRef(*argumentBlock).drop_front(std::min<size_t>(bytes, argumentBlock->size())),
                        [](char c) { return c != 0; }))
    session.diags.report({}, diag::argument_block{.message = given + name + " takes " + std::to_string(bytes) +
                                                             "; the rest, not all 0, is dropped"});
}

/// Arguments by name or position, and the others in the kernel's order.
void SingleLaunch::bindInOrder(std::vector<ArgumentSpec> specs) {
  auto &parameters = kernel.parameters;
  const auto unnamed = llvm::count_if(specs, [](auto &spec) { return spec.name.empty(); });
  const bool skipsPadding = unnamed <= llvm::count_if(parameters, [](auto &p) { return !isPadding(p); });
  size_t next = 0;
  for (auto &spec : specs) {
    std::optional<size_t> at;
    if (!spec.name.empty())
      at = find(spec.name, "--arg " + spec.text);
    else {
      while (skipsPadding && next < parameters.size() && isPadding(parameters[next]))
        ++next;
      at = next++;
    }
    if (!at)
      continue;
    if (*at >= parameters.size()) {
      session.diags.report(diag::bad_option, {})
          .arg("--arg " + spec.text)
          .arg("kernel `" + kernel.kernel->name + "` takes " + counted(parameters.size(), "argument"))
          .help("its arguments are " + describe(parameters));
      continue;
    }
    if (bindings[*at].spec) {
      refuse("--arg " + spec.text, nameOf(parameters[*at], *at) + " is given twice");
      continue;
    }
    bindings[*at].spec = std::move(spec);
  }
}

/// `@16=...`: what is given decides about size and kind.
void SingleLaunch::bindPlace(ArgumentSpec spec) {
  const std::string what = "--arg " + spec.text;
  const auto offset = offsetOf(spec.name);
  if (!offset)
    return refuse(what, "`" + spec.name + "` is not an offset; it takes a number of bytes, like @16 or @0x10");
  if (kernel.info)
    return refuse(what, "the parameters of a .fly kernel are known; name them");
  KernelParameter place;
  place.isPlace = true;
  place.name = "@" + std::to_string(*offset);
  place.offset = *offset;
  place.size = 8;
  place.kind = KernelParameter::Buffer;
  if (spec.kind == ArgumentSpec::Value || (spec.kind == ArgumentSpec::Bytes && spec.output.empty())) {
    place.kind = KernelParameter::Value;
    place.size = uint32_t(spec.bytes.size());
  } else if (spec.kind == ArgumentSpec::Lds) {
    place.kind = KernelParameter::Lds;
    place.size = 4;
  }
  const std::string bytes = std::to_string(place.size) + " bytes at offset " + std::to_string(*offset);
  if (*offset > kernel.argumentBytes || place.size > kernel.argumentBytes - *offset)
    return refuse(what, bytes + " do not fit into the " + std::to_string(kernel.argumentBytes) +
                            " bytes of arguments that kernel `" + kernel.kernel->name + "` receives");
  auto overlaps = [&](uint64_t begin, uint64_t end) { return place.offset < end && begin < place.end(); };
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (auto &p = kernel.parameters[i]; bindings[i].spec && overlaps(p.offset, p.end()))
      return refuse(what, bytes + " overlap " + nameOf(p, i) + " at offset " + std::to_string(p.offset) + ", " +
                              std::to_string(p.size) + " bytes, which is given too");
  for (auto &argument : kernel.kernel->arguments)
    if (argument.hidden() && argument.kind != "hidden_none" &&
        overlaps(argument.offset, uint64_t(argument.offset) + argument.size))
      return refuse(what, bytes + " overlap `" + argument.kind + "` at offset " + std::to_string(argument.offset) +
                              ", which the emulator fills in");
  kernel.parameters.push_back(place);
  bindings.emplace_back().spec = std::move(spec);
}

/// Whether every byte of the parameter is given by a place.
bool SingleLaunch::isCovered(const KernelParameter &parameter) const {
  uint64_t covered = 0;
  for (auto &place : kernel.parameters)
    if (place.isPlace && place.offset < parameter.end() && parameter.offset < place.end())
      covered += std::min(place.end(), parameter.end()) - std::max(place.offset, parameter.offset);
  return covered == parameter.size; // places do not overlap
}

void SingleLaunch::bind(std::vector<ArgumentSpec> specs) {
  auto &parameters = kernel.parameters;
  const size_t declared = parameters.size();
  auto places = std::stable_partition(specs.begin(), specs.end(),
                                      [](auto &spec) { return !llvm::StringRef(spec.name).starts_with("@"); });
  const bool raw = argumentBlock || places != specs.end();
  readBlock();
  if (!kernel.kernel->hasMetadata && kernel.argumentBytes && !raw) {
    session.diags.report(diag::bad_option, {})
        .arg(command.path)
        .arg("it has no metadata that describes the arguments of `" + kernel.kernel->name + "`")
        .help("give its " + llvm::Twine(kernel.argumentBytes) +
              " bytes with `--kernarg`, or single arguments with `--arg @OFFSET=...`");
    return;
  }
  bindings.resize(declared);
  bindInOrder({std::make_move_iterator(specs.begin()), std::make_move_iterator(places)});
  for (auto spec = places; spec != specs.end(); ++spec)
    bindPlace(std::move(*spec));
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto &p = parameters[i];
    if (bindings[i].spec)
      check(i);
    else if (!session.diags.hasErrors() && !argumentBlock && !isPadding(p) && p.end() <= kernel.argumentBytes &&
             !isCovered(p))
      session.diags.report(diag::bad_option, {})
          .arg("--arg")
          .arg("kernel `" + kernel.kernel->name + "` needs " + nameOf(p, i))
          .help("its arguments are " + describe(parameters));
  }
}

/// Kind, size and type of an argument against the parameter's.
void SingleLaunch::check(size_t i) {
  auto &p = kernel.parameters[i];
  auto &b = bindings[i];
  std::string what = "--arg " + b.spec->text, name = nameOf(p, i);
  auto content = contentOf(*b.spec, p.type);
  if (!content.ok())
    return refuse(what, content.error);
  b.content = std::move(content.value);
  auto &c = b.content;
  bool isLds = b.spec->kind == ArgumentSpec::Lds, isNull = b.spec->kind == ArgumentSpec::Null,
       isValue = b.spec->kind == ArgumentSpec::Value;
  switch (p.kind) {
  case KernelParameter::Lds:
    if (!isLds)
      refuse(what, name + " is a pointer to LDS; give its bytes as lds:BYTES");
    break;
  case KernelParameter::Value:
    if (isNull || isLds || (c.isBuffer && b.spec->kind != ArgumentSpec::Bytes))
      refuse(what, name + " is a value of " + std::to_string(p.size) + " bytes, not a buffer" +
                       (c.isBuffer && p.size == 8 && !kernel.info
                            ? "; `--arg @" + std::to_string(p.offset) + "=...` puts a buffer's address there"
                            : ""));
    else if (c.size != p.size || (p.type && isValue && c.type != p.type))
      refuse(what,
             name + " is " +
                 (p.type ? "of type " + std::string(p.type->name) : "a value of " + std::to_string(p.size) + " bytes") +
                 ", got " + (isValue ? std::string(c.type->name) + ", " : "") + std::to_string(c.size) + " bytes");
    c.isBuffer = false;
    break;
  case KernelParameter::Buffer:
    if (isValue && c.size == 8 && !p.type)
      break; // an address
    if (isLds || isValue)
      refuse(what, name + " is a buffer; give a file, zeros:TYPE[SHAPE], ... or null");
    else if (p.type && c.type && c.type != p.type)
      refuse(what, name + " is a buffer of " + p.type->name + ", got one of " + c.type->name);
    else if (p.type && !c.type && c.elementBytes != p.type->bytes && b.spec->kind != ArgumentSpec::Bytes)
      refuse(what, name + " is a buffer of " + p.type->name + ", got elements of " + std::to_string(c.elementBytes) +
                       " bytes");
    break;
  }
  if (!b.spec->output.empty())
    outputs.push_back({i, b.spec->output});
}

} // namespace fly::driver
