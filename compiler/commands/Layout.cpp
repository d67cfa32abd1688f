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
#include "compiler/compilation/ValuePicture.h"
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
      std::vector<PicturePart> parts = readParts(*given);
      if (!command.tile.empty())
        parts.front().request.tile = readTileShape();
      std::optional<layout::AnyLayout> over;
      if (!command.over.empty())
        over = readOver();
      std::optional<layout::Tile> tiler;
      if (!command.tiler.empty())
        tiler = readTiler();
      std::vector<picture::Picture> drawn;
      for (PicturePart &part : parts) {
        if (over)
          part.request.over = over;
        part.request.tiler = tiler;
        drawn.push_back(draw(part.request));
      }
      return joinPictures(parts, std::move(drawn), sema::toText(given->value));
    } catch (sema::Failed &) {
      return std::nullopt;
    }
  }

private:
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

  std::vector<PicturePart> readParts(const Given &given) {
    if (!command.tile.empty())
      refuseTile(given);
    PictureParts made = picturePartsOf(given.value, command.elementBits, command.banks);
    if (made.hasFailed())
      e.fail(diag::no_layout, given.range, {made.what, made.failure});
    if (!made.parts.empty())
      return std::move(made.parts);
    return {{"", readLayout(given)}};
  }

  /// `--tv` is for what has no tile of its own.
  void refuseTile(const Given &given) {
    const sema::Value &value = given.value;
    if (auto *object = value.as<sema::LayoutValue>(); object && object->object->as<layout::Swizzle>())
      e.fail(diag::bad_layout, given.range, {"a swizzle has no threads; leave out `--tv`"});
    const char *what = sema::objectAs<sema::TiledCopy>(value)  ? "the tiled copy"
                       : sema::objectAs<sema::CopyAtom>(value) ? "the copy atom"
                       : sema::objectAs<sema::TiledMma>(value) ? "the tiled MMA"
                       : sema::objectAs<sema::MmaAtom>(value)  ? "the MMA atom"
                                                               : nullptr;
    if (what)
      e.fail(diag::bad_layout, given.range, {std::string(what) + " already determines the tile; leave out `--tv`"});
  }

  picture::Request readLayout(const Given &given) {
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
