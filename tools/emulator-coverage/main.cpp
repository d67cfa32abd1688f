// Prints the page docs/generated/emulator-coverage.md from the records that the tests leave in $FLY_COVERAGE_DIR, or the
// list of an architecture's instructions.
//
//     emulator-coverage FOLDER NOTES    the page; FOLDER holds the records, NOTES is tests/facts/coverage_notes.json
//     emulator-coverage --list gfx950   one line an instruction: name, unit, forms, MISSING if it is not executed
#include "tools/emulator-coverage/Coverage.h"

#include "compiler/isa/Decoder.h"
#include "compiler/target/Target.h"

#include <cstdio>

using namespace fly;
using namespace fly::coverage;

static int fail(llvm::Error error) {
  std::fprintf(stderr, "emulator-coverage: %s\n", llvm::toString(std::move(error)).c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc == 3 && std::string(argv[1]) == "--list") {
    auto coverage = coverageOf(argv[2], {});
    if (!coverage)
      return fail(coverage.takeError());
    for (const Instruction &i : coverage->instructions)
      std::printf("%s: %s: %s%s\n", i.name.c_str(), i.unit.c_str(), i.forms.c_str(),
                  i.executed  ? ""
                  : i.leftOut ? " LEFT OUT"
                              : " MISSING");
    for (const std::string &name : coverage->unbuilt)
      std::printf("%s UNBUILT\n", name.c_str());
    return 0;
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: emulator-coverage FOLDER NOTES | --list ARCHITECTURE\n");
    return 2;
  }
  auto records = readRecords(argv[1]);
  if (!records)
    return fail(records.takeError());
  auto notes = readNotes(argv[2]);
  if (!notes)
    return fail(notes.takeError());
  std::vector<Coverage> all;
  for (const target::Target &row : target::all()) {
    auto coverage = coverageOf(std::string(row.name), *records);
    if (!coverage)
      return fail(coverage.takeError());
    all.push_back(std::move(*coverage));
  }
  auto text = page(all, *notes);
  if (!text)
    return fail(text.takeError());
  std::fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}
