// `flyc layout`: draws the value of an expression. compiler/picture does the drawing. This file handles the command
// line, and decides what counts as a thread/value layout:
//
//   make_layout_tv(threads, values)    its value, the pair (tile, layout)
//   ((8, 32), L)                       such a pair, written out
//   (threads, values)                  a pair of two layouts: make_layout_tv of them
//   tiled_copy(atom, threads, values)  its threads and values
//   an MMA atom, tiled_mma(...)        three tables: A on (M, K), B on (N, K), C on (M, N)
//   --tv 8,32                          a layout, with the tile as an option
//
// A copy atom is drawn as the piece that its threads move together. If the lanes exchange what they read, there are two
// tables, which thread reads each element and which receives it; likewise for a tiled copy of such an atom. A swizzle
// is a table of offsets.
#include "compiler/compilation/ArchCompilation.h"
#include "compiler/compilation/CommandErrors.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Evaluate.h"
#include "compiler/commands/Rewrite.h"

#include "compiler/picture/Picture.h"
#include "compiler/sema/atom/TiledCopy.h"
#include "compiler/sema/atom/TiledMma.h"
#include "compiler/target/LdsBanks.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Process.h"

namespace fly::driver {

namespace {

class LayoutCommand final : public Command {
public:
  LayoutCommand()
      : Command("layout", "Draw a layout or a swizzle, or show which thread holds which element of a tile or copy") {}
  void declare(OptionTable &table) override {
    table
        .add(
            "expression", expression,
            "A layout, swizzle, copy atom or tiled copy, as for `flyc eval`; or a pair: (tile, thread/value layout) or "
            "(threads, values)")
        .required();
    table.add("--svg", svg, "Write an SVG picture instead of text").more("without style sheet or script");
    table.add("--html", html, "Write an HTML page that shows details of the cell under the pointer")
        .excludes("--svg")
        .more(
            "the page is self-contained; the details are coordinate, index, thread, value, tile and LDS bank, and cells that share one are outlined");
    table.add("-o,--output", output, "File to write; `-` is standard output")
        .type("FILE")
        .showDefault()
        .more("it is written completely or not at all");
    table.add("--tv", tile, "Treat the expression as a thread/value layout on a tile of this shape").type("M,N");
    table.add("--over", over, "The memory layout of the tile's elements, for a thread/value layout")
        .type("LAYOUT")
        .more("its indices and banks are shown");
    table.add("--tile", tiler, "Draw lines around the tiles of a tiler")
        .type("M,N")
        .more("colours are by tile; any tiler that `zipped_divide` takes");
    table.add("--fill", fill, "What colours show: auto, none, index, thread, value, tile, bank")
        .choices({"auto", "none", "index", "thread", "value", "tile", "bank"})
        .type("WHAT")
        .showDefault()
        .more("`auto` is as described above");
    table.add("--element-bits", elementBits, "Bits per element; shows LDS banks")
        .range(1, 1024)
        .type("BITS")
        .more("an element of more than 32 bits spans several banks");
    table.add("--banks", banks, "Number of 4-byte LDS banks (default: the architecture's)")
        .range(1, 1024)
        .type("N")
        .more(
            "gfx950 has 64 for reads of 64 and 128 bits, and 32 for reads of 96 bits and for writes ([emulator.md](emulator.md))");
    table.add("--limit", limit, "Draw at most this many rows and columns (default: 64,64)")
        .separatedBy(',')
        .range(1, 1 << 18)
        .type("ROWS,COLUMNS")
        .more("the picture says what it leaves out; it has at most 262,144 cells and 8 sheets");
    archOption(table, arch, "The architecture whose copy atoms and LDS banks are used, and that `target` stands for");
    messageOptions(table, options);
  }
  int run() override;

  std::string expression, arch;
  bool svg = false, html = false; ///< neither: text
  std::string output = "-";       ///< `-`: standard output
  std::string tile, over, tiler;  ///< expressions: --tv, --over, --tile
  std::string fill = "auto";
  int64_t elementBits = 0, banks = 0; ///< 0: unknown; the architecture's
  std::vector<int64_t> limit;         ///< rows, columns; one number is both
};

using picture::Fill;

/// An expression of the command line with the place that diagnostics about its value point at.
struct Given {
  sema::Value value;
  SourceRange range;
};

class LayoutDrawing {
public:
  LayoutDrawing(Session &session, sema::Elaborator &elaborator, const LayoutCommand &command)
      : session(session), e(elaborator), command(command) {}

  /// None after diagnostics.
  std::optional<picture::Picture> draw() {
    auto given = evaluate("<layout>", command.expression);
    if (!given)
      return std::nullopt;
    places[size_t(picture::Subject::Layout)] = places[size_t(picture::Subject::Tile)] =
        given->range; // a pair has its tile
    try {
      std::vector<Part> parts = readParts(*given);
      if (!command.tile.empty())
        parts.front().request.tile = readTileShape();
      std::optional<layout::AnyLayout> over;
      if (!command.over.empty())
        over = readOver();
      std::optional<layout::Tile> tiler;
      if (!command.tiler.empty())
        tiler = readTiler();
      std::optional<picture::Picture> result;
      std::vector<std::vector<std::string>> remarks; // of each part
      for (Part &part : parts) {
        if (over)
          part.request.over = over;
        part.request.tiler = tiler;
        picture::Picture drawn = draw(part.request);
        if (part.label.empty())
          return drawn;
        remarks.push_back(drawn.remarks);
        if (!result) {
          result.emplace();
          result->title = sema::toText(given->value);
        }
        picture::appendSheets(*result, std::move(drawn), part.label);
      }
      if (llvm::all_equal(remarks))
        result->remarks = remarks.front();
      else
        for (size_t i = 0; i < parts.size(); ++i)
          for (const std::string &remark : remarks[i])
            result->remarks.push_back(parts[i].label.substr(0, parts[i].label.find(':')) + ": " + remark);
      return result;
    } catch (sema::Failed &) {
      return std::nullopt;
    }
  }

private:
  /// The content of one table of the picture; with a label if there are several.
  struct Part {
    std::string label;
    picture::Request request;
  };

  /// With the options that say how.
  picture::Picture draw(picture::Request request) {
    if (Fill fill = fillOf(command.fill); fill != Fill::Automatic)
      request.fill = fill;
    if (command.elementBits)
      request.elementBits = command.elementBits;
    request.banks = command.banks;
    if (!command.limit.empty()) {
      request.maxRows = command.limit.front();
      request.maxColumns = command.limit.back();
    }
    picture::Subject subject{};
    auto result = picture::draw(request, subject);
    if (!result)
      e.fail(diag::bad_layout, places[size_t(subject)], {result.text()});
    return std::move(*result);
  }

  std::optional<Given> evaluate(const char *name, const std::string &text) {
    const FileId file = session.sources.add(name, text); // the place of the whole value, for diagnostics
    auto value = evaluateText(session, e, name, text);
    if (!value)
      return std::nullopt;
    const llvm::StringRef trimmed = llvm::StringRef(text).trim();
    const auto begin = uint32_t(trimmed.data() - text.data());
    return Given{std::move(*value), SourceRange{file, begin, begin + uint32_t(trimmed.size())}};
  }

  Given require(picture::Subject subject, const char *name, const std::string &text) {
    auto given = evaluate(name, text);
    if (!given)
      throw sema::Failed();
    places[size_t(subject)] = given->range;
    return std::move(*given);
  }

  static std::optional<layout::AnyLayout> layoutOf(const sema::Value &value) {
    auto *object = value.as<sema::LayoutValue>();
    return object ? object->object->layout() : std::nullopt;
  }

  std::vector<Part> readParts(const Given &given) {
    if (auto *copy = sema::objectAs<sema::TiledCopy>(given.value)) {
      refuseTile(given, "the tiled copy");
      return partsOf(*copy, given);
    }
    if (auto *atom = sema::objectAs<sema::CopyAtom>(given.value)) {
      refuseTile(given, "the copy atom");
      return partsOf(*atom, given);
    }
    if (auto *mma = sema::objectAs<sema::TiledMma>(given.value)) {
      refuseTile(given, "the tiled MMA");
      return partsOf(*mma, given);
    }
    if (auto *atom = sema::objectAs<sema::MmaAtom>(given.value)) {
      refuseTile(given, "the MMA atom");
      return partsOf(*atom);
    }
    auto *object = given.value.as<sema::LayoutValue>();
    if (auto *swizzle = object ? object->object->as<layout::Swizzle>() : nullptr) {
      if (!command.tile.empty())
        e.fail(diag::bad_layout, given.range, {"a swizzle has no threads; leave out `--tv`"});
      return {{"", picture::requestOf(*swizzle, command.elementBits, command.banks)}};
    }
    return {{"", readLayout(given)}};
  }

  void refuseTile(const Given &given, const std::string &what) {
    if (!command.tile.empty())
      e.fail(diag::bad_layout, given.range, {what + " already determines the tile; leave out `--tv`"});
  }

  static constexpr const char *readsLabel = "source: the thread that reads each element",
                              *getsLabel = "destination: who receives it";

  std::vector<Part> partsOf(const sema::TiledCopy &copy, const Given &given) {
    auto part = [&](const char *label, const layout::Layout &threadValue) {
      picture::Request request{layout::AnyLayout(threadValue)};
      request.tile = copy.tile;
      return Part{label, std::move(request)};
    };
    const atom::CopyLayouts own = copy.atom->layouts();
    if (own.source == own.destination)
      return {part("", copy.tv)};
    auto take = [&](layout::Result<layout::Layout> made) {
      if (!made)
        e.fail(diag::no_layout, given.range, {"tiled_copy", made.text()});
      return *made;
    };
    return {part(readsLabel, take(copy.partitionLayout(true))), part(getsLabel, take(copy.partitionLayout(false)))};
  }

  std::vector<Part> partsOf(const sema::CopyAtom &atom, const Given &given) {
    const atom::CopyLayouts own = atom.layouts();
    auto part = [&](const char *label, const layout::Layout &threadValue, int64_t width) {
      auto request = picture::tableOf(threadValue, width);
      if (!request)
        e.fail(diag::no_layout, given.range, {atom.text(), request.text()});
      if (!*label)
        request->title = atom.text();
      return Part{label, std::move(*request)};
    };
    if (own.source == own.destination)
      return {part("", own.source, atom.values())};
    // Rows as long as there are lanes that get neighbours.
    layout::Leaf width = own.destination.shape().mode(0).leaves().front();
    return {part(readsLabel, own.source, width.value), part(getsLabel, own.destination, width.value)};
  }

  static constexpr std::array<sema::MmaOperand, 3> mmaOperands = {sema::MmaOperand::A, sema::MmaOperand::B,
                                                                  sema::MmaOperand::C};
  static constexpr const char *mmaLabels[] = {"A: M rows, K columns", "B: N rows, K columns", "C: M rows, N columns"};

  /// An operand of a product on its part of a tile (m, n, k), with a mode for the blocks if there are several.
  static Part mmaPart(sema::MmaOperand operand, layout::Layout threadValue, std::array<int64_t, 3> tile, int64_t blocks,
                      std::string title) {
    const auto [m, n, k] = tile;
    picture::Request request{layout::AnyLayout(std::move(threadValue))};
    std::vector<layout::IntTuple> shape = {operand == sema::MmaOperand::B ? n : m,
                                           operand == sema::MmaOperand::C ? n : k};
    if (blocks > 1)
      shape.emplace_back(blocks);
    request.tile = layout::IntTuple(std::move(shape));
    request.title = std::move(title);
    return Part{mmaLabels[size_t(operand)], std::move(request)};
  }

  std::vector<Part> partsOf(const sema::MmaAtom &atom) {
    std::vector<Part> parts;
    for (sema::MmaOperand operand : mmaOperands)
      parts.push_back(
          mmaPart(operand, atom.layoutOf(operand), {atom.row.m, atom.row.n, atom.row.k}, atom.row.blocks, atom.text()));
    return parts;
  }

  std::vector<Part> partsOf(const sema::TiledMma &mma, const Given &given) {
    std::vector<Part> parts;
    for (sema::MmaOperand operand : mmaOperands) {
      auto made = mma.layoutTV(operand);
      if (!made)
        e.fail(diag::no_layout, given.range, {"tiled_mma", made.text()});
      parts.push_back(mmaPart(operand, *made, mma.tile(), mma.atom->row.blocks, mma.text()));
    }
    return parts;
  }

  picture::Request readLayout(const Given &given) {
    if (auto found = layoutOf(given.value))
      return picture::Request(*found);
    if (auto *pair = given.value.sequence(); pair && pair->size() == 2)
      if (auto second = layoutOf((*pair)[1])) {
        if (!command.tile.empty())
          e.fail(diag::bad_layout, given.range, {"the pair already determines the tile; leave out `--tv`"});
        if (auto first = layoutOf((*pair)[0])) {
          auto *threads = std::get_if<layout::Layout>(&*first), *values = std::get_if<layout::Layout>(&*second);
          if (!threads || !values)
            e.fail(diag::bad_layout, given.range, {"layouts of threads and of values are not composed"});
          layout::InferringArithmetic arithmetic;
          auto made = layout::layoutTV(*threads, *values, arithmetic);
          if (!made)
            e.fail(diag::no_layout, given.range, {"make_layout_tv", made.text()});
          picture::Request request(made->layout);
          request.tile = made->tile;
          return request;
        }
        picture::Request request(*second);
        request.tile = sema::toTuple(e, (*pair)[0], given.range, "a tile");
        return request;
      }
    e.fail(diag::wrong_value, given.range,
           {"what is drawn",
            "a layout, a swizzle, a copy atom, a tiled copy, an MMA atom, a tiled MMA, or a pair of a tile and a "
            "thread/value layout",
            describe(given.value)});
  }

  layout::IntTuple readTileShape() {
    Given given = require(picture::Subject::Tile, "<--tv>", command.tile);
    return sema::toTuple(e, given.value, given.range, "a tile");
  }

  layout::AnyLayout readOver() {
    Given given = require(picture::Subject::Over, "<--over>", command.over);
    if (auto found = layoutOf(given.value))
      return *found;
    e.fail(given.range,
           diag::layout_expected{.what = "what the tile lies over", .also = "", .found = describe(given.value)});
  }

  layout::Tile readTiler() {
    Given given = require(picture::Subject::Tiler, "<--tile>", command.tiler);
    layout::Tile tile = sema::readTile(e, given.value, given.range);
    // A number is a tiler of mode 0, as `(n,)`: lines around n rows.
    return tile.isTuple() ? tile : layout::Tile(std::vector<layout::Tile>{tile});
  }

  static Fill fillOf(llvm::StringRef word) {
    return llvm::StringSwitch<Fill>(word)
        .Case("none", Fill::None)
        .Case("index", Fill::Index)
        .Case("thread", Fill::Thread)
        .Case("value", Fill::Value)
        .Case("tile", Fill::Tile)
        .Case("bank", Fill::Bank)
        .Default(Fill::Automatic);
  }

  Session &session;
  sema::Elaborator &e;
  const LayoutCommand &command;
  SourceRange places[4]; ///< by Subject
};

/// Colours if standard output is a terminal, unless the command line or a non-empty NO_COLOR says otherwise.
bool colouredOutput(const Options &options) {
  if (options.color != "auto")
    return options.color == "always";
  auto noColor = llvm::sys::Process::GetEnv("NO_COLOR");
  return !(noColor && !noColor->empty()) && llvm::sys::Process::StandardOutHasColors();
}

} // namespace

int LayoutCommand::run() {
  const LayoutCommand &given = *this;
  Session session(options);
  LayoutCommand command = given;
  auto *target = target::find(command.arch);
  if (!target) {
    session.diags.report(diag::unknown_arch, {}).arg(command.arch).arg("").help("targets: " + target::names());
    session.finish();
    return 2;
  }
  if (command.limit.size() > 2)
    return badCommandLine(options,
                          "--limit takes rows and columns, " + std::to_string(command.limit.size()) + " numbers given",
                          "for example `--limit 128,64`");
  if (command.banks == 0)
    command.banks = target::ldsRule(target->name, target->waveSize, 4, /*write=*/false).banks;
  ArchCompilation compilation(session, *target);
  if (auto drawn = LayoutDrawing(session, compilation.elaborator, command).draw()) {
    const bool toFile = command.output != "-";
    const std::string text = command.svg    ? picture::toSvg(*drawn)
                             : command.html ? picture::toHtml(*drawn)
                                            : picture::toText(*drawn, !toFile && colouredOutput(options));
    if (toFile)
      rewriteFile(session, command.output, text);
    else
      llvm::outs() << text;
    llvm::outs().flush();
  }
  return session.finish() ? 0 : 1;
}

std::unique_ptr<Command> layoutCommand() { return std::make_unique<LayoutCommand>(); }

} // namespace fly::driver
