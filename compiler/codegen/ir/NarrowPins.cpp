// See NarrowPins.h.
#include "compiler/codegen/ir/NarrowPins.h"

#include "compiler/codegen/ir/PinStatement.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

namespace fly::codegen {

namespace {

constexpr unsigned wordBits = 32;

unsigned bitsOf(const llvm::Type *type) { return unsigned(type->getPrimitiveSizeInBits().getFixedValue()); }

/// Bits of a value, from `offset`.
struct Place {
  llvm::Value *value = nullptr;
  unsigned offset = 0;
};

/// Through a shuffle that takes the elements in question from one vector, in its order.
bool stepBack(const llvm::ShuffleVectorInst &shuffle, Place &place, unsigned bits) {
  auto *from = llvm::cast<llvm::FixedVectorType>(shuffle.getOperand(0)->getType());
  const unsigned size = bitsOf(from->getElementType()), first = place.offset / size,
                 last = (place.offset + bits - 1) / size, elements = from->getNumElements();
  const int start = shuffle.getMaskValue(first);
  for (unsigned i = first; i <= last; ++i)
    if (shuffle.getMaskValue(i) < 0 || shuffle.getMaskValue(i) != start + int(i - first))
      return false;
  const bool isSecond = unsigned(start) >= elements;
  if (!isSecond && unsigned(start) + (last - first) >= elements)
    return false;
  place = {shuffle.getOperand(isSecond), (unsigned(start) - (isSecond ? elements : 0)) * size + place.offset % size};
  return true;
}

/// One step towards where bits come from, through what only puts vectors together and takes them apart.
bool stepBack(Place &place, unsigned bits) {
  if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(place.value))
    return stepBack(*shuffle, place, bits);
  if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(place.value)) {
    place.value = cast->getOperand(0);
    return true;
  }
  if (auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(place.value)) {
    auto *index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    if (!index)
      return false;
    place = {extract->getVectorOperand(), place.offset + unsigned(index->getZExtValue()) * bitsOf(extract->getType())};
    return true;
  }
  auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(place.value);
  auto *index = insert ? llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2)) : nullptr;
  if (!index)
    return false;
  const unsigned size = bitsOf(insert->getOperand(1)->getType()), first = unsigned(index->getZExtValue()) * size;
  if (place.offset >= first && place.offset + bits <= first + size)
    place = {insert->getOperand(1), place.offset - first};
  else if (place.offset + bits <= first || first + size <= place.offset)
    place.value = insert->getOperand(0);
  else
    return false; // a part of the word
  return true;
}

Place traced(Place place, unsigned bits) {
  while (stepBack(place, bits)) {
  }
  return place;
}

/// Where a word comes from. One that is put together from smaller elements may still be a word of another value.
Place tracedWord(llvm::Value *value, unsigned word) {
  const Place whole = traced({value, word * wordBits}, wordBits);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(whole.value->getType());
  const unsigned size = type ? bitsOf(type->getElementType()) : 0;
  if (size == 0 || size >= wordBits || wordBits % size != 0)
    return whole;
  const Place first = traced(whole, size);
  for (unsigned bit = size; bit < wordBits; bit += size) {
    const Place next = traced({whole.value, whole.offset + bit}, size);
    if (next.value != first.value || next.offset != first.offset + bit)
      return whole;
  }
  return first;
}

class NarrowPins {
public:
  explicit NarrowPins(llvm::BasicBlock &block) : block(block) {}

  void run() {
    llvm::SmallVector<llvm::CallInst *> reads;
    unsigned time = 0;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      auto pinned = pinnedBy(&instruction);
      if (!pinned)
        continue;
      auto *statement = llvm::cast<llvm::CallInst>(&instruction);
      ++time;
      if (statement->getType()->isVoidTy()) {
        write(*statement, *pinned, time);
      } else {
        readAt[statement] = time;
        reads.push_back(statement);
      }
    }
    for (llvm::CallInst *each : reads)
      read(*each);
    joinWrites();
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
      if (auto pinned = pinnedBy(&instruction); pinned && tupleFor(pinned->count) != pinned->count)
        divide(llvm::cast<llvm::CallInst>(instruction), *pinned);
  }

private:
  /// The largest tuple of LLVM's registers with at most so many words.
  static unsigned tupleFor(unsigned words) {
    constexpr unsigned every = 12;
    return words <= every ? words : words < 16 ? every : words < 32 ? 16 : 32;
  }

  static void divide(llvm::CallInst &statement, const Pinned &pinned) {
    llvm::IRBuilder<> b(&statement);
    llvm::Value *whole = statement.getType()->isVoidTy() ? nullptr : llvm::PoisonValue::get(statement.getType());
    for (unsigned first = 0, count; first < pinned.count; first += count) {
      count = tupleFor(pinned.count - first);
      const Pinned part{pinned.file, pinned.first + first, count};
      auto order = llvm::to_vector<32>(llvm::seq(int(first), int(first + count)));
      if (!whole) {
        emitWrite(b, part,
                  count == 1 ? b.CreateExtractElement(statement.getArgOperand(0), first)
                             : b.CreateShuffleVector(statement.getArgOperand(0), order));
        continue;
      }
      llvm::Value *held = emitRead(b, part);
      for (unsigned i = 0; i < count; ++i)
        whole = b.CreateInsertElement(whole, count == 1 ? held : b.CreateExtractElement(held, i), first + i);
    }
    if (whole)
      statement.replaceAllUsesWith(whole);
    statement.eraseFromParent();
  }

  void write(llvm::CallInst &statement, const Pinned &pinned, unsigned time) {
    llvm::Value *value = statement.getArgOperand(0);
    std::vector<Place> words;
    for (unsigned word = 0; word < pinned.count; ++word)
      words.push_back(tracedWord(value, word));
    auto isKept = [&](unsigned word) { return isHeld(words[word], pinned.file, pinned.first + word); };
    const bool keepsSome = pinned.count > 1 && llvm::any_of(llvm::seq(0u, pinned.count), isKept);
    const bool isOneVector = words.front().value == words.back().value; // of all, or of what is neither
    if (!keepsSome && (pinned.count == 1 || isOneVector)) {
      written(pinned, time);
      return;
    }
    llvm::IRBuilder<> b(&statement);
    for (unsigned word = 0; word < pinned.count;) {
      if (isKept(word)) {
        ++word;
        continue;
      }
      unsigned count = vectorAt(words, word);
      auto isChanged = [&](unsigned each) { return !isKept(each); };
      llvm::Value *source = count > 1 ? words[word].value : nullptr;
      if (!source || !llvm::all_of(llvm::seq(word, word + count), isChanged)) {
        count = 1;
        source = wordAt(b, isWord(words[word]) ? words[word] : Place{value, word * wordBits});
      }
      const Pinned part{pinned.file, pinned.first + word, count};
      emitWrite(b, part, b.CreateBitCast(source, wordsType(b, count)));
      written(part, time);
      word += count;
    }
    statement.eraseFromParent();
    if (auto *old = llvm::dyn_cast<llvm::Instruction>(value))
      llvm::RecursivelyDeleteTriviallyDeadInstructions(old);
  }

  static bool isWord(const Place &place) {
    return place.offset % wordBits == 0 && bitsOf(place.value->getType()) % wordBits == 0;
  }
  static llvm::Value *wordAt(llvm::IRBuilder<> &b, const Place &place) {
    const unsigned count = bitsOf(place.value->getType()) / wordBits;
    llvm::Value *words = b.CreateBitCast(place.value, wordsType(b, count));
    return count == 1 ? words : b.CreateExtractElement(words, place.offset / wordBits);
  }

  /// How many words from this one are all of one vector, in its order; 1 if they are not.
  static unsigned vectorAt(llvm::ArrayRef<Place> words, unsigned first) {
    const Place &start = words[first];
    const unsigned count = bitsOf(start.value->getType()) / wordBits;
    if (start.offset != 0 || count < 2 || first + count > words.size() ||
        bitsOf(start.value->getType()) % wordBits != 0)
      return 1;
    for (unsigned i = 1; i < count; ++i)
      if (words[first + i].value != start.value || words[first + i].offset != i * wordBits)
        return 1;
    return count;
  }

  /// Whether a register still holds this word, since it was read from there.
  bool isHeld(const Place &word, char file, unsigned reg) const {
    auto from = pinnedBy(word.value);
    auto *read = llvm::dyn_cast<llvm::CallInst>(word.value);
    auto when = readAt.find(read);
    if (!from || when == readAt.end() || from->file != file || word.offset % wordBits != 0 ||
        from->first + word.offset / wordBits != reg)
      return false;
    auto last = writtenAt.find({unsigned(file), reg});
    return last == writtenAt.end() || last->second < when->second;
  }

  void written(const Pinned &pinned, unsigned time) {
    for (unsigned i = 0; i < pinned.count; ++i)
      writtenAt[{unsigned(pinned.file), pinned.first + i}] = time;
  }

  /// A read whose value is only taken apart is one of each word that is used.
  void read(llvm::CallInst &statement) {
    const Pinned pinned = *pinnedBy(&statement);
    llvm::SmallVector<llvm::ExtractElementInst *> parts;
    if (pinned.count == 1 || !findParts(&statement, parts))
      return;
    llvm::DenseMap<std::pair<unsigned, unsigned>, llvm::Value *> narrow; ///< by first word and number of words
    for (llvm::ExtractElementInst *part : parts) {
      const unsigned size = bitsOf(part->getType()),
                     bit = unsigned(llvm::cast<llvm::ConstantInt>(part->getIndexOperand())->getZExtValue()) * size,
                     word = bit / wordBits, count = std::max(1u, size / wordBits);
      llvm::Value *&held = narrow[{word, count}];
      if (!held) {
        llvm::IRBuilder<> b(&statement);
        held = emitRead(b, {pinned.file, pinned.first + word, count});
      }
      llvm::IRBuilder<> b(part);
      llvm::Value *value =
          size >= wordBits ? b.CreateBitCast(held, part->getType())
                           : b.CreateExtractElement(
                                 b.CreateBitCast(held, llvm::FixedVectorType::get(part->getType(), wordBits / size)),
                                 bit % wordBits / size);
      part->replaceAllUsesWith(value);
      part->eraseFromParent();
    }
    eraseWithCasts(statement);
  }

  /// Erases a value that only bitcasts, of which nobody takes anything, still use.
  static void eraseWithCasts(llvm::Instruction &value) {
    while (!value.use_empty())
      eraseWithCasts(*llvm::cast<llvm::Instruction>(value.user_back()));
    value.eraseFromParent();
  }

  /// Whether all uses of a value, through bitcasts, take known elements of whole words, or whole elements of a word.
  static bool findParts(llvm::Value *value, llvm::SmallVectorImpl<llvm::ExtractElementInst *> &parts) {
    for (llvm::User *user : value->users()) {
      auto *part = llvm::dyn_cast<llvm::ExtractElementInst>(user);
      if (llvm::isa<llvm::BitCastInst>(user)) {
        if (!findParts(user, parts))
          return false;
        continue;
      }
      const unsigned size = part ? bitsOf(part->getType()) : 0;
      if (!part || !llvm::isa<llvm::ConstantInt>(part->getIndexOperand()) || part->getVectorOperand() != value ||
          (size % wordBits != 0 && wordBits % size != 0))
        return false;
      parts.push_back(part);
    }
    return true;
  }

  /// A write of words that are next to each other in one vector.
  struct VectorWrite {
    llvm::CallInst *statement;
    Pinned pinned;
    Place start;
  };

  static VectorWrite vectorWrite(llvm::CallInst &statement, const Pinned &pinned) {
    const Place start = tracedWord(statement.getArgOperand(0), 0);
    for (unsigned word = 1; word < pinned.count; ++word)
      if (const Place next = tracedWord(statement.getArgOperand(0), word);
          next.value != start.value || next.offset != start.offset + word * wordBits)
        return {&statement, pinned, {}};
    return {&statement, pinned, isWord(start) ? start : Place{}};
  }

  /// Writes, one after the other, that are together a vector are a write of the vector.
  void joinWrites() {
    llvm::SmallVector<VectorWrite> run;
    unsigned words = 0;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      auto pinned = pinnedBy(&instruction);
      if (!pinned)
        continue;
      auto &statement = llvm::cast<llvm::CallInst>(instruction);
      if (!statement.getType()->isVoidTy()) { // a read of others comes between as it likes
        if (llvm::any_of(run, [&](const VectorWrite &each) { return each.pinned.overlaps(*pinned); }))
          run.clear();
        continue;
      }
      const VectorWrite write = vectorWrite(statement, *pinned);
      if (run.empty() || !follows(run.back(), write))
        run.clear(), words = 0;
      if (write.start.value && (!run.empty() || write.start.offset == 0)) {
        run.push_back(write);
        words += pinned->count;
      }
      if (run.size() > 1 && words * wordBits == bitsOf(run.front().start.value->getType()))
        join(run, words), run.clear();
    }
  }

  static bool follows(const VectorWrite &last, const VectorWrite &next) {
    return last.pinned.file == next.pinned.file && last.pinned.first + last.pinned.count == next.pinned.first &&
           last.start.value == next.start.value &&
           last.start.offset + last.pinned.count * wordBits == next.start.offset;
  }

  static void join(llvm::ArrayRef<VectorWrite> run, unsigned words) {
    llvm::IRBuilder<> b(run.back().statement);
    emitWrite(b, {run.front().pinned.file, run.front().pinned.first, words},
              b.CreateBitCast(run.front().start.value, wordsType(b, words)));
    for (const VectorWrite &each : run) {
      llvm::Value *old = each.statement->getArgOperand(0);
      each.statement->eraseFromParent();
      llvm::RecursivelyDeleteTriviallyDeadInstructions(old);
    }
  }

  static llvm::Type *wordsType(llvm::IRBuilder<> &b, unsigned count) {
    return count == 1 ? static_cast<llvm::Type *>(b.getInt32Ty()) : llvm::FixedVectorType::get(b.getInt32Ty(), count);
  }
  static std::string constraintOf(const Pinned &pinned) { return std::string(1, pinned.constraint()); }

  static void emitWrite(llvm::IRBuilder<> &b, const Pinned &pinned, llvm::Value *words) {
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {words->getType()}, false);
    b.CreateCall(llvm::InlineAsm::get(type, pinned.statement(), constraintOf(pinned), /*hasSideEffects=*/true),
                 {words});
  }
  static llvm::Value *emitRead(llvm::IRBuilder<> &b, const Pinned &pinned) {
    auto *type = llvm::FunctionType::get(wordsType(b, pinned.count), false);
    return b.CreateCall(
        llvm::InlineAsm::get(type, pinned.statement(), "=" + constraintOf(pinned), /*hasSideEffects=*/true));
  }

  llvm::BasicBlock &block;
  llvm::DenseMap<const llvm::CallInst *, unsigned> readAt;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> writtenAt; ///< by file and register
};

} // namespace

void narrowPins(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      NarrowPins(block).run();
}

} // namespace fly::codegen
