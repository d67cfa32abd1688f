// See PlacedIr.h.
//
//   %5 = fadd float %3, %4, !dbg !27      is printed as      %5 = fadd float %3, %4      of place 3
//
//   1. Copy the module and note the location of each instruction of the copy.
//   2. Remove debug information from the copy, and what only describes it.
//   3. Print it. LLVM asks for a comment after each instruction, which tells the line that the instruction is on.
#include "compiler/codegen/ir/PlacedIr.h"

#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace fly::codegen {

namespace {

int32_t placeOf(const llvm::DILocation *location, artifact::PlaceNumbers &places) {
  if (!location)
    return -1;
  const int32_t caller = placeOf(location->getInlinedAt(), places);
  if (location->getLine() == 0) // what the compiler made itself: its caller is all that is known
    return caller;
  return places.of({location->getFilename().str(), location->getLine(), location->getColumn(), caller});
}

class LineNotes : public llvm::AssemblyAnnotationWriter {
public:
  explicit LineNotes(const llvm::DenseMap<const llvm::Value *, int32_t> &known) : known(known) {}
  void printInfoComment(const llvm::Value &value, llvm::formatted_raw_ostream &os) override {
    auto found = known.find(&value);
    if (found == known.end())
      return;
    const size_t line = os.getLine();
    if (ofLine.size() <= line)
      ofLine.resize(line + 1, -1);
    ofLine[line] = found->second;
  }
  std::vector<int32_t> ofLine;

private:
  const llvm::DenseMap<const llvm::Value *, int32_t> &known;
};

} // namespace

artifact::PlacedText placedIr(const llvm::Module &module) {
  llvm::ValueToValueMapTy copies;
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module, copies);
  artifact::PlaceNumbers places;
  llvm::DenseMap<const llvm::Value *, int32_t> known;
  for (const llvm::Function &function : *copy)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const int32_t place = placeOf(instruction.getDebugLoc().get(), places); place >= 0)
        known[&instruction] = place;
  llvm::StripDebugInfo(*copy);
  artifact::PlacedText out;
  LineNotes notes(known);
  {
    llvm::raw_string_ostream text(out.text);
    copy->print(text, &notes);
  }
  out.places = std::move(places.places);
  out.ofLine = std::move(notes.ofLine);
  return out;
}

} // namespace fly::codegen
