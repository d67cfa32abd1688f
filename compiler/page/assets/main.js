// Puts the page together, and opens a kernel.
const state = {kernel: null, number: 0, file: -1, hidden: new Set()};

/** Panes that the reader has shown or hidden, {fly: true}; other pages open so, too, in a browser that keeps it. */
const paneChoices = {
  key: "flyc-report-panes",
  read() {
    try {
      return Object(JSON.parse(localStorage.getItem(this.key)));
    } catch {
      return {};
    }
  },
  add(id, on) {
    try {
      localStorage.setItem(this.key, JSON.stringify({...this.read(), [id]: on}));
    } catch {} // it is only a convenience
  },
};
const panes = {
  source: new TextPane("source", "Source", wordRules.fly),
  fly: new TextPane("fly", "Fly IR", wordRules.ir),
  llvm: new TextPane("llvm", "LLVM IR", wordRules.ir),
  isa: new IsaPane(),
};
const paneNames = {source: "Source", fly: "Fly IR", llvm: "LLVM IR", isa: "ISA"};
const exists = id => id === "isa" || (id === "source" ? state.kernel.filesSeen.length > 0 : !!state.kernel[id]);
const visiblePanes = () => Object.values(panes).filter(pane => !pane.element.hidden);

// ------------------------------------------------------------------------------------------------ panes side by side

const shares = {source: 1, fly: 0.85, llvm: 0.85, isa: 1.5};
function arrange() {
  if (Object.keys(panes).every(id => !exists(id) || state.hidden.has(id))) state.hidden.delete("isa");
  const shown = Object.keys(panes).filter(id => exists(id) && !state.hidden.has(id));
  const scrolled = Object.values(panes).map(({view}) => [view, view.scrollTop, view.scrollLeft]); // lost where an element moves
  $("panes").replaceChildren(
    ...shown.flatMap((id, number) => {
      panes[id].element.style.flexGrow = shares[id];
      return number ? [splitter(shown[number - 1], id), panes[id].element] : [panes[id].element];
    }),
  );
  for (const id of Object.keys(panes)) panes[id].element.hidden = !shown.includes(id);
  for (const [view, top, left] of scrolled) {
    view.scrollTop = top;
    view.scrollLeft = left;
  }
  $("toggles").replaceChildren(
    ...Object.keys(panes).map((id, number) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": String(shown.includes(id)),
          disabled: exists(id) ? null : "",
          title: exists(id) ? `show or hide (${number + 1})` : absence(id),
          onclick: () => choosePane(id),
        },
        paneNames[id],
      ),
    ),
  );
  for (const id of shown) {
    panes[id].draw();
    panes[id].remark();
  }
}
const absence = id =>
  id === "source"
    ? "the object has no line table"
    : "known for kernels that flyc compiles from a .fly file, except those in ISA mode";
function togglePane(id, on = state.hidden.has(id)) {
  if (!exists(id)) return;
  if (on) state.hidden.delete(id);
  else if (visiblePanes().length > 1) state.hidden.add(id);
  arrange();
}
function choosePane(id) {
  togglePane(id);
  if (exists(id)) paneChoices.add(id, !state.hidden.has(id));
}
function splitter(left, right) {
  const bar = el("div.splitter", {role: "separator", "aria-orientation": "vertical"});
  bar.addEventListener("pointerdown", event => {
    bar.setPointerCapture(event.pointerId);
    const a = panes[left].element,
      b = panes[right].element,
      from = event.clientX;
    const widths = [a.offsetWidth, b.offsetWidth],
      both = shares[left] + shares[right];
    const drag = move => {
      const wide = Math.max(140, Math.min(widths[0] + widths[1] - 140, widths[0] + move.clientX - from));
      shares[left] = (both * wide) / (widths[0] + widths[1]);
      shares[right] = both - shares[left];
      a.style.flexGrow = shares[left];
      b.style.flexGrow = shares[right];
    };
    bar.addEventListener("pointermove", drag);
    bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", drag), {once: true});
  });
  return bar;
}

// ------------------------------------------------------------------------------------------------ files of the source

function openFile(number) {
  state.file = number;
  const {kernel} = state,
    file = number < 0 ? null : read("file-" + number);
  const pane = panes.source;
  if (!file) pane.setLines([]);
  else {
    const lines = file.text === null ? unknownLines(kernel, number) : file.text.replace(/\n$/, "").split("\n");
    weigh(kernel, number);
    pane.setLines(lines, ruleOfFile(file.name));
  }
  pane.note.textContent = file && file.text === null ? "the file was not found; line numbers only" : "";
  pane.tools.replaceChildren(fileChoice(kernel));
  if (search.text) find(search.text);
}
/** Where the text is not known: as many lines as the code mentions. */
function unknownLines(kernel, number) {
  const most = kernel.places.reduce((last, [file, line]) => (file === number ? Math.max(last, line) : last), 1);
  return new Array(most).fill("");
}
function fileChoice(kernel) {
  if (kernel.filesSeen.length < 2) return el("span.file", null, state.file < 0 ? "" : index.files[state.file]);
  return el(
    "select#file",
    {
      "aria-label": "file",
      onchange: event => {
        openFile(Number(event.target.value));
        mark();
      },
    },
    kernel.filesSeen.map(number => el("option", {value: number, selected: number === state.file}, index.files[number])),
  );
}
/** Points at a linked line in a file that is not open. */
function markFiles(links) {
  const others = new Set([...links.source.hit].map(fileOfSpot).filter(number => number !== state.file));
  panes.source.head.classList.toggle("elsewhere", others.size > 0);
  panes.source.head.title = others.size ? "linked: " + [...others].map(number => index.files[number]).join(", ") : "";
}

/** Beside each line of the source: what was measured there, or how many instructions it became. */
function weigh(kernel, number) {
  const metric = metricOf(kernel),
    sums = new Map();
  for (const [spot, lines] of kernel.exact.isa)
    if (fileOfSpot(spot) === number) {
      const live = lines.reduce((most, i) => Math.max(most, kernel.code.vgprs[i]), 0);
      sums.set(lineOfSpot(spot) - 1, {
        count: lines.length,
        live,
        measured: measuredText(kernel, lines),
        cost: metric ? lines.reduce((sum, i) => sum + metric.of[i], 0) : lines.length,
      });
    }
  const most = Math.max(1, ...[...sums.values()].map(sum => sum.cost));
  panes.source.weights = sums;
  panes.source.weightOf = line => {
    const sum = sums.get(line);
    if (!sum) return el("span.metric");
    const words = [sum.measured, plural(sum.count, "instruction"), `at most ${sum.live} VGPR live`];
    return metricCell(sum.cost, most, words.filter(Boolean).join(", "));
  };
}

// ------------------------------------------------------------------------------------------------ a kernel

/** The file that a reader wants first: one with text, not of a library, with the most instructions. */
function firstFile(kernel) {
  const counts = new Map();
  for (const place of kernel.code.place)
    if (place >= 0) counts.set(kernel.places[place][0], (counts.get(kernel.places[place][0]) || 0) + 1);
  const worth = number =>
    (index.files[number].startsWith("<") ? 0 : 1e9) +
    (read("file-" + number).text === null ? 0 : 1e8) +
    (counts.get(number) || 0);
  return [...kernel.filesSeen].sort((a, b) => worth(b) - worth(a))[0] ?? -1;
}

function openKernel(number) {
  state.number = number;
  state.kernel = prepare(number);
  selected = null;
  chosenCopy = -1;
  const {kernel} = state;
  $("drawer").style.minHeight = "";
  drawTitle();
  drawCards();
  for (const id of ["fly", "llvm"]) panes[id].setLines(kernel[id]?.lines || []);
  panes.fly.note.textContent = kernel.fly ? plural(kernel.fly.lines.length, "line") : "";
  panes.llvm.note.textContent = kernel.llvm ? "as the code generator gets it" : "";
  arrange();
  openFile(firstFile(kernel));
  panes.isa.setKernel(kernel);
  arrange();
  const lines = [...kernel.exact.isa.keys()].filter(spot => fileOfSpot(spot) === state.file).map(lineOfSpot);
  if (lines.length) panes.source.show(Math.max(0, Math.min(...lines) - 4), true);
  openTab = kernel.report.findings?.length ? "findings" : kernel.report.loops.length ? "loops" : "line";
  find(search.text);
  mark();
  drawDrawer();
  remember();
}

/** The address of the page says what is shown: #kernel=1&isa=120. */
function remember() {
  if (!state.ready) return;
  const parts = index.kernels.length > 1 ? ["kernel=" + state.number] : [];
  if (selected) parts.push(`${selected.pane.id}=${selected.line}`);
  history.replaceState(null, "", "#" + parts.join("&"));
}
function recall() {
  const asked = new URLSearchParams(location.hash.slice(1)),
    number = Number(asked.get("kernel") || 0);
  openKernel(index.kernels[number] ? number : 0);
  for (const id of Object.keys(panes)) {
    const line = Number(asked.get(id));
    if (asked.has(id) && line >= 0 && line < panes[id].count)
      select(panes[id], line, {sync: true, show: true, keepTab: true});
  }
  if (tabs.some(tab => tab.id === asked.get("tab"))) showTab(asked.get("tab"));
}

function startGrip() {
  const grip = $("grip");
  grip.addEventListener("pointerdown", event => {
    grip.setPointerCapture(event.pointerId);
    const from = event.clientY,
      height = $("drawer").offsetHeight;
    const drag = move => {
      document.body.classList.remove("folded");
      const wanted = Math.max(80, Math.min(innerHeight - 260, height - move.clientY + from)) + "px";
      Object.assign($("drawer").style, {height: wanted, maxHeight: wanted, minHeight: ""});
    };
    grip.addEventListener("pointermove", drag);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", drag), {once: true});
  });
  grip.addEventListener("dblclick", () => document.body.classList.toggle("folded"));
}

const chosenPanes = paneChoices.read(),
  roomFor = {source: 0, fly: 1900, llvm: 1300, isa: 0};
for (const id of Object.keys(panes)) if (!(chosenPanes[id] ?? innerWidth >= roomFor[id])) state.hidden.add(id);
startInput();
startGrip();
if (index.kernels.length) recall();
else $("title").append(el("h1", null, "No kernels"));
state.ready = true;
document.documentElement.dataset.ready = "yes";
