// Selecting, pointing, searching, keys.
let selected = null,
  focused = null;

const marksOf = (pane, links) =>
  pane.id === "source" ? {hit: sourceLines(links.source.hit), near: sourceLines(links.source.near)} : links[pane.id];
const sourceLines = spots =>
  new Set([...spots].filter(spot => fileOfSpot(spot) === state.file).map(spot => lineOfSpot(spot) - 1));

/** Marks what belongs to a line: the one under the pointer, else the selected one. */
function mark() {
  const under = Object.values(panes).find(pane => pane.hovered >= 0);
  const from = under ? {pane: under, line: under.hovered} : selected;
  const links = from ? linksOf(state.kernel, from.pane.id, from.line, state.file) : noLinks();
  const flowOf = selected?.pane.id === "isa" ? selected.line : panes.isa.hovered;
  for (const pane of Object.values(panes)) {
    const {hit, near} = marksOf(pane, links);
    pane.marks.hit = hit;
    pane.marks.near = near;
    pane.marks.flow = pane.id === "isa" && flowOf >= 0 ? flowMarks(state.kernel, flowOf) : new Map();
    if (!pane.element.hidden) pane.remark();
  }
  markFiles(links);
}

function hover(pane, line) {
  if (pane.hovered === line) return;
  for (const other of Object.values(panes)) other.hovered = -1;
  pane.hovered = line;
  if (!hover.pending) {
    hover.pending = true;
    requestAnimationFrame(() => {
      hover.pending = false;
      mark();
    });
  }
}

function select(pane, line, {sync = false, show = false, keepTab = false} = {}) {
  if (pane && pane.element.hidden) togglePane(pane.id, true);
  selected = pane ? {pane, line} : null;
  for (const other of Object.values(panes)) other.hovered = -1;
  if (selected) {
    focused = pane;
    if (show) pane.show(line);
    if (sync) {
      const links = linksOf(state.kernel, pane.id, line, state.file);
      if (pane.id !== "source" && links.source.hit.size) {
        // The file that is open stays, if what is selected was called from there.
        const spot = [...links.source.hit][0],
          isCalledHere = [...links.source.near].some(call => fileOfSpot(call) === state.file);
        if (fileOfSpot(spot) !== state.file && !isCalledHere) openFile(fileOfSpot(spot));
      }
      for (const other of Object.values(panes))
        if (other !== pane) {
          const {hit, near} = marksOf(other, links),
            lines = hit.size ? hit : near;
          if (lines.size && ![...lines].some(at => other.sees(at))) other.show(Math.min(...lines), true);
        }
    }
  }
  mark();
  if (openTab === "line") drawDrawer();
  else if (selected && !keepTab && !show) showTab("line");
  remember();
}
function goToSpot(spot) {
  if (fileOfSpot(spot) !== state.file) openFile(fileOfSpot(spot));
  select(panes.source, lineOfSpot(spot) - 1, {sync: true, show: true, keepTab: true});
}

// ------------------------------------------------------------------------------------------------ search

const search = {text: "", lists: new Map()};
function find(text) {
  search.text = text = text.trim().toLowerCase();
  const {kernel} = state,
    counts = [];
  const place = /^(.*):(\d+)$/.exec(text),
    address = /^(?:0x)?([0-9a-f]{3,})$/.exec(text);
  for (const pane of Object.values(panes)) {
    const found = [];
    if (text)
      for (let line = 0; line < pane.count; ++line) {
        let holds = pane.textOf(line).toLowerCase().includes(text);
        if (!holds && place) {
          const at = placeOfLine(kernel, pane.id, line);
          holds =
            pane.id === "source"
              ? index.files[state.file]?.toLowerCase().endsWith(place[1]) && line + 1 === Number(place[2])
              : at >= 0 &&
                kernel.places[at][1] === Number(place[2]) &&
                index.files[kernel.places[at][0]].toLowerCase().endsWith(place[1]);
        }
        if (!holds && address && pane.id === "isa") holds = kernel.code.address[line] === parseInt(address[1], 16);
        if (holds) found.push(line);
      }
    search.lists.set(pane, found);
    pane.marks.match = new Set(found);
    if (!pane.element.hidden) pane.remark();
    if (found.length && !pane.element.hidden)
      counts.push(
        `${grouped(found.length)} ${pane.id === "isa" ? "ISA" : pane.id === "fly" ? "Fly IR" : pane.id === "llvm" ? "LLVM IR" : "source"}`,
      );
  }
  $("found").textContent = !text ? "" : counts.length ? counts.join(" · ") : "nothing";
  $("found").classList.toggle("bad", !!text && !counts.length);
}
/** The next match, in the pane that has the focus, else in one that has any. */
function nextMatch(by) {
  const has = pane => pane && !pane.element.hidden && search.lists.get(pane)?.length;
  const pane = has(focused) ? focused : [panes.isa, panes.source, panes.fly, panes.llvm].find(has);
  if (!pane) return;
  const list = search.lists.get(pane),
    now = selected?.pane === pane ? selected.line : by > 0 ? -1 : pane.count;
  const next =
    by > 0 ? (list.find(line => line > now) ?? list[0]) : (list.findLast(line => line < now) ?? list[list.length - 1]);
  select(pane, next, {sync: true, show: true});
}

// ------------------------------------------------------------------------------------------------ keys

const keyHelp = [
  ["↑ ↓, k j", "the line before, after"],
  ["PgUp PgDn", "a page up, down"],
  ["Home End", "first, last line"],
  ["← →, h l", "the pane to the left, right, at the linked line"],
  ["1 2 3 4", "show or hide source, Fly IR, LLVM IR, ISA"],
  ["Enter", "bring the linked lines into view"],
  ["[ ]", "the linked instruction before, after"],
  ["u", "to the next use of the value"],
  ["d", "to where the first operand's value comes from"],
  ["w", "to the next wait"],
  ["m", "to the most live VGPRs"],
  ["t", "to the hot loop"],
  ["c", "another measure beside the lines: cycles, executions, LDS conflicts"],
  ["/ n N", "find; next, previous match"],
  ["L C F S I", "tabs: loops, copies, findings, selection, lines"],
  ["x", "fold the part below the panes"],
  ["Esc", "let go"],
  ["?", "this list"],
];
function step(pane, line) {
  select(pane, Math.max(0, Math.min(pane.count - 1, line)), {sync: true, show: true});
}
/** To an instruction, whose arrows the drawer lists then. */
function jumpTo(line) {
  if (line === undefined || line < 0) return;
  openTab = "line";
  select(panes.isa, line, {sync: true, show: true});
}

const keys = {
  "/": () => {
    $("search").focus();
    $("search").select();
  },
  "?": () => $("keys").showModal(),
  Escape: () => {
    if ($("search").value) {
      $("search").value = "";
      find("");
    } else select(null);
  },
  ArrowDown: () => move(1),
  j: () => move(1),
  ArrowUp: () => move(-1),
  k: () => move(-1),
  PageDown: () => move(20),
  PageUp: () => move(-20),
  Home: () => move(-Infinity),
  End: () => move(Infinity),
  ArrowRight: () => moveTo(1),
  l: () => moveTo(1),
  ArrowLeft: () => moveTo(-1),
  h: () => moveTo(-1),
  Enter: () => selected && select(selected.pane, selected.line, {sync: true, show: true}),
  "]": () => linked(1),
  "[": () => linked(-1),
  n: () => nextMatch(1),
  N: () => nextMatch(-1),
  u: () => {
    const i = current();
    if (i >= 0) {
      const flows = flowsOf(state.kernel, i).filter(f => f.kind === "use" && f.to !== i);
      jumpTo((flows.find(f => f.to > i) ?? flows[0])?.to ?? -1);
    }
  },
  d: () => {
    const i = current();
    if (i >= 0) jumpTo(flowsOf(state.kernel, i).find(f => f.kind === "def")?.from ?? -1);
  },
  w: () => {
    const {code} = state.kernel,
      wait = units.indexOf("wait"),
      i = current();
    let next = code.unit.indexOf(wait, i + 1);
    if (next < 0) next = code.unit.indexOf(wait);
    jumpTo(next);
  },
  m: () => jumpTo(state.kernel.code.address.indexOf(state.kernel.report.live.vgprs.address)),
  t: () => {
    const hot = state.kernel.report.loops.find(loop => loop.hot);
    if (hot) jumpTo(state.kernel.code.address.indexOf(hot.address));
  },
  c: () => {
    const {metrics} = state.kernel,
      now = metrics.indexOf(metricOf(state.kernel));
    if (metrics.length > 1) showMetric(metrics[(now + 1) % metrics.length].name);
  },
  L: () => showTab("loops"),
  C: () => showTab("copies"),
  F: () => showTab("findings"),
  S: () => showTab("line"),
  I: () => showTab("lines"),
  x: () => document.body.classList.toggle("folded"),
  1: () => choosePane("source"),
  2: () => choosePane("fly"),
  3: () => choosePane("llvm"),
  4: () => choosePane("isa"),
};
const current = () => (selected?.pane.id === "isa" ? selected.line : -1);
function move(by) {
  const pane = selected?.pane ?? focused ?? visiblePanes().at(-1);
  if (!pane) return;
  const from = selected?.pane === pane ? selected.line : Math.floor(pane.view.scrollTop / lineHeight) - Math.sign(by);
  step(pane, from + by);
}
function moveTo(by) {
  const list = visiblePanes(),
    pane = selected?.pane ?? focused,
    next = list[list.indexOf(pane) + by];
  if (!next) return;
  const links = selected ? linksOf(state.kernel, selected.pane.id, selected.line, state.file) : noLinks();
  const {hit, near} = marksOf(next, links),
    lines = hit.size ? hit : near;
  select(next, lines.size ? Math.min(...lines) : Math.floor(next.view.scrollTop / lineHeight) + 2, {show: true});
  next.view.focus({preventScroll: true});
}
function linked(by) {
  if (!selected) return;
  if (linked.from !== selected.pane || selected.pane.id !== "isa")
    linked.lines = [...linksOf(state.kernel, selected.pane.id, selected.line, state.file).isa.hit].sort(
      (a, b) => a - b,
    );
  const now = selected.pane.id === "isa" ? selected.line : -1;
  if (!linked.lines.includes(now) && selected.pane.id === "isa")
    linked.lines = [...linksOf(state.kernel, "isa", now, state.file).isa.hit].sort((a, b) => a - b);
  const next =
    by > 0
      ? (linked.lines.find(line => line > now) ?? linked.lines[0])
      : (linked.lines.findLast(line => line < now) ?? linked.lines.at(-1));
  if (next !== undefined) jumpTo(next);
  linked.from = panes.isa;
}

function startInput() {
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if ($("keys").open) {
      if (event.key === "Escape" || event.key === "?") {
        event.preventDefault();
        $("keys").close();
      }
      return;
    }
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing && event.key !== "Escape") {
      if (event.target.id === "search" && event.key === "Enter") {
        event.preventDefault();
        nextMatch(event.shiftKey ? -1 : 1);
      }
      return;
    }
    if (event.key === "Enter" && event.target.closest?.("button, tr")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    if (typing) event.target.blur();
    act();
  });
  $("search").addEventListener("input", event => find(event.target.value));
  $("help").addEventListener("click", () => $("keys").showModal());
  $("keys").append(
    el("h2", null, "Keys"),
    el(
      "dl",
      null,
      keyHelp.map(([key, what]) =>
        el(
          "div",
          null,
          el(
            "dt",
            null,
            key.split(" ").map(part => (/^,$/.test(part) ? part : [el("kbd", null, part.replace(/,$/, "")), " "])),
          ),
          el("dd", null, what),
        ),
      ),
    ),
    el("form", {method: "dialog"}, el("button", null, "Close")),
  );
  $("keys").addEventListener("click", event => {
    if (event.target === $("keys")) $("keys").close();
  });
}

function showTip(text, event) {
  const tip = $("tip");
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const left = event.clientX + 14,
    right = innerWidth - tip.offsetWidth - 8;
  tip.style.left = Math.max(8, Math.min(left, right)) + "px";
  tip.style.top =
    (event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 8 : event.clientY + 18) +
    "px";
}
