// See Instructions.h.
#include "compiler/editor/Instructions.h"

#include "compiler/isa/InstructionList.h"
#include "compiler/isa/OpcodeList.h"

#include <future>
#include <map>

namespace fly::editor {

namespace {

struct Book {
  isa::OpcodeList opcodes;
  std::vector<std::pair<std::string, std::string>> names;
};

Book readBook(std::string arch) {
  Book book;
  auto opcodes = isa::listOpcodes(arch);
  if (!opcodes) {
    llvm::consumeError(opcodes.takeError());
    return book;
  }
  book.opcodes = std::move(*opcodes);
  book.names = isa::mnemonicsIn(book.opcodes);
  return book;
}

/// Only the thread that answers asks.
std::shared_future<Book> &futureOf(const target::Target &target) {
  static std::map<std::string, std::shared_future<Book>>
      books; // at the end of the program it waits for those that are read
  auto [entry, isNew] = books.try_emplace(std::string(target.name));
  if (isNew)
    entry->second = std::async(std::launch::async, readBook, std::string(target.name)).share();
  return entry->second;
}

const Book &bookOf(const target::Target &target, const Waits &waits) {
  auto &book = futureOf(target);
  while (book.wait_for(std::chrono::milliseconds(200)) != std::future_status::ready)
    waits();
  return book.get();
}

} // namespace

void beginInstructions(const target::Target &target) { futureOf(target); }

const std::vector<std::pair<std::string, std::string>> &mnemonicsOf(const target::Target &target, const Waits &waits) {
  return bookOf(target, waits).names;
}

std::string instructionText(const target::Target &target, const std::string &name, const Waits &waits) {
  auto list = isa::listInstructions(target.name, bookOf(target, waits).opcodes, name);
  if (!list) {
    llvm::consumeError(list.takeError());
    return "";
  }
  std::string text;
  for (const isa::ListedInstruction &instruction : *list) {
    std::string forms, modifiers;
    for (const isa::InstructionForm &form : instruction.forms)
      forms += instruction.name + "  " + isa::textOf(form) + "\n";
    for (const std::string &modifier : instruction.modifiers)
      modifiers += (modifiers.empty() ? "\nmodifiers: `" : ", `") + modifier + "`";
    text = "```\n" + forms + "```\n" + instruction.meaning + "\n" + modifiers;
  }
  return text;
}

} // namespace fly::editor
