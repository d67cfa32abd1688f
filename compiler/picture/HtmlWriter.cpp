// A picture as one HTML page. See Picture.h.
//
// The SVG, the facts of its cells as JSON, and a script of a few lines: under the pointer, a cell's facts, and outlines
// around the cells that share what is chosen with it (thread, value, bank, index, tile). Nothing is loaded.
#include "compiler/picture/Picture.h"
#include "compiler/text/Markup.h"

namespace fly::picture {

namespace {

/// A JSON string that is safe inside a script: no `<`.
std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '<')
      out += "\\u003c";
    else if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  return out + "\"";
}

std::string factsOf(const Cell &cell) {
  std::string out = "{\"coordinate\":" + quoted(cell.coordinate);
  if (!cell.index.empty())
    out += ",\"index\":" + quoted(cell.index);
  if (!cell.holders.empty()) {
    for (const char *key : {"thread", "value"}) {
      out += std::string(",\"") + key + "\":[";
      for (std::size_t i = 0; i < cell.holders.size(); ++i)
        out += (i ? "," : "") + std::to_string(key[0] == 't' ? cell.holders[i].thread : cell.holders[i].value);
      out += "]";
    }
  }
  if (cell.tile >= 0)
    out += ",\"tile\":" + std::to_string(cell.tile);
  if (!cell.bank.empty())
    out += ",\"bank\":" + quoted(cell.bank);
  return out + "}";
}

constexpr const char *head = R"(<style>
body { margin: 0; font: 14px/1.4 system-ui, sans-serif; background: #fff; color: #111; }
#facts { position: sticky; top: 0; left: 0; min-height: 1.5em; padding: 8px 12px; background: #f6f6f6; border-bottom: 1px solid #ccc; }
#facts b { font-weight: 600; margin-right: 0.35em; color: #555; }
#facts code { margin-right: 1.4em; font: 13px ui-monospace, Menlo, Consolas, monospace; }
#share { float: right; }
rect.same, rect.here { fill: none; pointer-events: none; stroke: #c00028; stroke-width: 2; }
rect.here { stroke: #000; stroke-width: 2.5; }
@media print { #facts { display: none; } }
</style>
)";

constexpr const char *script = R"(<script>
const cells = JSON.parse(document.getElementById("cells").textContent);
const facts = document.getElementById("facts-text"), choice = document.getElementById("share-key");
const keys = ["coordinate", "index", "thread", "value", "tile", "bank"];
const shareable = ["thread", "bank", "tile", "value", "index"].filter(key => cells.some(cell => cell && key in cell));
for (const key of shareable) choice.add(new Option("same " + key, key));
choice.add(new Option("this cell only", ""));
const byKey = new Map();
const boxes = document.querySelectorAll("rect[data-cell]");
const listed = value => Array.isArray(value) ? value : [value];
for (const key of shareable) byKey.set(key, new Map());
for (const box of boxes) {
  const cell = cells[box.dataset.cell];
  for (const key of shareable)
    if (key in cell) for (const value of new Set(listed(cell[key]))) {
      if (!byKey.get(key).has(value)) byKey.get(key).set(value, []);
      byKey.get(key).get(value).push(box);
    }
}
let outlines = [];
function outline(box, name) { // on top of the neighbours
  const copy = box.cloneNode();
  copy.removeAttribute("data-cell");
  copy.setAttribute("class", name);
  box.parentNode.append(copy);
  outlines.push(copy);
}
function show(box) {
  for (const copy of outlines) copy.remove();
  outlines = [];
  const cell = cells[box.dataset.cell], key = choice.value;
  facts.replaceChildren();
  for (const name of keys) if (name in cell) {
    const label = document.createElement("b"), value = document.createElement("code");
    label.textContent = name; value.textContent = listed(cell[name]).join(" ");
    facts.append(label, value);
  }
  if (key && key in cell) for (const value of listed(cell[key]))
    for (const other of byKey.get(key).get(value)) outline(other, "same");
  outline(box, "here");
}
for (const box of boxes) box.addEventListener("pointerenter", () => show(box));
</script>
)";

} // namespace

std::string toHtml(const Picture &picture) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
                    escapeMarkup(picture.title) + "</title>\n" + head +
                    "</head>\n<body>\n<div id=\"facts\"><span id=\"share\"><label>outline <select "
                    "id=\"share-key\"></select></label></span>"
                    "<span id=\"facts-text\">Point at a cell.</span></div>\n";
  out += toSvg(picture, true);
  out += "<script type=\"application/json\" id=\"cells\">[";
  bool first = true;
  for (const Sheet &sheet : picture.sheets)
    for (const Cell &cell : sheet.cells) {
      out += (first ? "\n" : ",\n") + (cell.outside ? std::string("null") : factsOf(cell));
      first = false;
    }
  return out + "\n]</script>\n" + script + "</body>\n</html>\n";
}

} // namespace fly::picture
