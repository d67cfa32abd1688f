// ---- Input: wheel, pointer, keys, search. ----

const search = document.getElementById("search"), foundText = document.getElementById("found");
const spot = event => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

// On a page that scrolls, the wheel belongs to the page until the timeline is chosen.
canvas.addEventListener("wheel", event => {
  if (!(whole || document.activeElement === canvas || event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 33 : event.deltaMode === 2 ? 400 : 1, [x] = spot(event);
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const by = (event.deltaX || event.deltaY) * unit / plot() * (view.to - view.from);
    setView(view.from + by, view.to + by);
  } else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.0022))), cycleAt(Math.max(x, gutter)));
  if (marks.pinned) showTip();
}, {passive: false});

let drag = null;
const pointers = new Map(); // two fingers zoom
canvas.addEventListener("pointerdown", event => {
  if (event.button) return;
  canvas.focus({preventScroll: true});
  canvas.setPointerCapture(event.pointerId);
  const [x, y] = spot(event);
  pointers.set(event.pointerId, x);
  if (y < OVERVIEW) { drag = {kind: "overview"}; moveOverview(x); }
  else if (event.shiftKey) drag = {kind: "range", x};
  else drag = {kind: "pan", x, y, from: view.from, to: view.to, scroll: view.scroll, moved: false};
});
function moveOverview(x) {
  const middle = first + (x - gutter) / plot() * (last - first), span = view.to - view.from;
  setView(middle - span / 2, middle + span / 2);
}
canvas.addEventListener("pointermove", event => {
  const [x, y] = spot(event);
  if (pointers.size === 2 && pointers.has(event.pointerId)) {
    const before = [...pointers.values()], wide = Math.max(8, Math.abs(before[0] - before[1]));
    pointers.set(event.pointerId, x);
    const now = [...pointers.values()];
    zoom(wide / Math.max(8, Math.abs(now[0] - now[1])), cycleAt((now[0] + now[1]) / 2));
    return;
  }
  if (drag?.kind === "overview") return moveOverview(x);
  if (drag?.kind === "range") { marks.range = [cycleAt(drag.x), cycleAt(x)]; return redraw(); }
  if (drag) {
    if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 4) drag.moved = true;
    if (drag.moved) {
      const by = (drag.x - x) / plot() * (drag.to - drag.from);
      marks.hover = null;
      setView(drag.from + by, drag.to + by, drag.scroll + drag.y - y);
      canvas.classList.add("dragged");
      showTip(x, y);
      return;
    }
  }
  marks.cursor = x >= gutter ? cycleAt(x) : null;
  marks.hover = hit(x, y);
  canvas.classList.toggle("over", !!marks.hover);
  showTip(x, y);
  redraw();
});
function release(event) {
  pointers.delete(event.pointerId);
  canvas.classList.remove("dragged");
  const [x, y] = spot(event);
  if (drag?.kind === "range" && marks.range) {
    const [a, b] = marks.range;
    marks.range = null;
    if (Math.abs(xOf(a) - xOf(b)) > 4) setView(Math.min(a, b), Math.max(a, b));
  } else if (drag?.kind === "pan" && !drag.moved && event.type === "pointerup") {
    const at = hit(x, y);
    pin(same(at, marks.pinned) ? null : at);
    if (!marks.pinned) showTip(x, y);
  }
  drag = null;
  redraw();
}
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => {
  marks.hover = marks.cursor = null;
  showTip();
  redraw();
});
canvas.addEventListener("dblclick", event => { const [x] = spot(event); zoom(0.35, cycleAt(x)); });

/** The span of a wave that is nearest to a cycle. */
function nearest(row, cycle) {
  let best = null, gap = Infinity;
  for (const wave of row.slot.waves) {
    const n = above(wave.spans.issue, cycle);
    for (const i of [n - 1, n]) if (i >= 0 && i < wave.spans.count && Math.abs(wave.spans.issue[i] - cycle) < gap) {
      gap = Math.abs(wave.spans.issue[i] - cycle);
      best = {row, wave, n: i};
    }
  }
  return best;
}
function step(by) {
  if (!marks.pinned) return;
  const {row, wave, n} = marks.pinned;
  if (n + by >= 0 && n + by < wave.spans.count) pinInView({row, wave, n: n + by});
}
function stepLane(by) {
  if (!marks.pinned) return setView(view.from, view.to, view.scroll + by * 60);
  const row = lanes[lanes.indexOf(marks.pinned.row) + by];
  const at = row && nearest(row, marks.pinned.wave.spans.issue[marks.pinned.n]);
  if (at) pinInView(at);
}

/** The next, or previous, match after the pinned span, or after the left edge: in time, then from top to bottom. */
function nextMatch(by) {
  if (!marks.found) return;
  const pinned = marks.pinned, now = pinned ? pinned.wave.spans.issue[pinned.n] : by > 0 ? view.from : view.to;
  const order = pinned ? lanes.indexOf(pinned.row) : by > 0 ? -1 : lanes.length;
  let best = null, bestKey = null;
  lanes.forEach((row, lane) => {
    for (const wave of row.slot.waves) {
      const {spans} = wave;
      for (let n = by > 0 ? Math.max(0, above(spans.issue, now - 1e-9) - 1)
                          : Math.min(spans.count, above(spans.issue, now)) - 1;
           n >= 0 && n < spans.count; n += by) {
        if (!marks.found[spans.instruction[n]]) continue;
        const ahead = (spans.issue[n] - now) * by;
        if (ahead < 0 || ahead === 0 && (lane - order) * by <= 0) continue;
        const key = [ahead, lane * by];
        if (!best || key[0] < bestKey[0] || key[0] === bestKey[0] && key[1] < bestKey[1]) {
          best = {row, wave, n};
          bestKey = key;
        }
        break;
      }
    }
  });
  if (best) pinInView(best);
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  marks.found = null;
  foundText.textContent = "";
  if (wanted) {
    marks.found = Uint8Array.from(
        instructions, ({text, place}) => text.toLowerCase().includes(wanted) || place.toLowerCase() === wanted ||
                                         place.toLowerCase().endsWith("/" + wanted) ||
                                         wanted.includes(":") && place.toLowerCase().endsWith(wanted));
    let times = 0, kinds = 0;
    for (const value of marks.found) kinds += value;
    for (const {spans} of waves) for (let n = 0; n < spans.count; ++n) times += marks.found[spans.instruction[n]];
    foundText.textContent = kinds ? count(kinds, "instruction") + ", issued " + count(times, "time") : "not found";
    if (!kinds) marks.found = null;
  }
  redraw();
}
search.addEventListener("input", () => find(search.value));
search.addEventListener("keydown", event => {
  if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1);
  else if (event.key === "Escape") { search.value = ""; find(""); canvas.focus(); }
  else return;
  event.preventDefault();
});

const pan = by => setView(view.from + by * (view.to - view.from), view.to + by * (view.to - view.from));
const fit = () => setView(first, last, 0);
const keys = {
  "+": () => zoom(0.6),
  "=": () => zoom(0.6),
  "-": () => zoom(1 / 0.6),
  "_": () => zoom(1 / 0.6),
  ArrowLeft: () => pan(-0.12),
  ArrowRight: () => pan(0.12),
  ArrowUp: () => stepLane(-1),
  ArrowDown: () => stepLane(1),
  PageUp: () => pan(-0.9),
  PageDown: () => pan(0.9),
  Home: () => setView(first, first + view.to - view.from),
  End: () => setView(last - view.to + view.from, last),
  "0": fit,
  ",": () => step(-1),
  ".": () => step(1),
  n: () => nextMatch(1),
  N: () => nextMatch(-1),
  "?": () => toggleHelp(),
  Enter: () => {
    const row = lanes.find(row => row.y >= view.scroll) || lanes[0],
          at = row && nearest(row, (view.from + view.to) / 2);
    if (at)
      pinInView(at);
  },
  Escape: () => {
    if (marks.pinned)
      pin(null);
    else {
      search.value = "";
      find("");
    }
  },
};
canvas.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const action = keys[event.key];
  if (!action) return;
  action();
  if (marks.pinned) showTip();
  event.preventDefault();
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== search) {
    search.focus();
    search.select();
    event.preventDefault();
  }
});
const helpButton = document.getElementById("help"), help = document.getElementById("keys");
function toggleHelp() {
  help.hidden = !help.hidden;
  helpButton.setAttribute("aria-expanded", String(!help.hidden));
  resize();
}
helpButton.addEventListener("click", toggleHelp);
document.getElementById("zoom-in").addEventListener("click", () => zoom(0.6));
document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 0.6));
document.getElementById("fit").addEventListener("click", fit);

// A line of the table of stalls that is opened is found in the timeline.
for (const line of document.querySelectorAll("details[data-place]"))
  line.addEventListener("toggle", () => {
    const open = line.open ? line : document.querySelector("details[data-place][open]");
    search.value = open ? open.dataset.place : "";
    find(search.value);
  });

themeListeners.push(() => { takeColours(); redraw(); });
addEventListener("resize", resize);
takeColours();
resize();
if (whole) canvas.focus({preventScroll: true, focusVisible: false});
