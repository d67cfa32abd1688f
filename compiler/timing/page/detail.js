// ---- Details: the instruction under the pointer or pinned, and the line about what is in view. ----

const tip = document.getElementById("tip"), spoken = document.getElementById("spoken"),
      viewLine = document.getElementById("view");

/** The span at a place of the canvas. */
function hit(x, y) {
  if (x < gutter || y < TOP) return null;
  const row =
      lanes.find(lane => y >= TOP + lane.y - view.scroll - 1 && y <= TOP + lane.y + lane.height - view.scroll + 1);
  if (!row) return null;
  const cycle = cycleAt(x), near = (view.to - view.from) / plot() * 1.5, dy = y - (TOP + row.y - view.scroll);
  const wave = row.slot.waves.find(wave => cycle >= wave.begin - near && cycle <= wave.end + near);
  if (!wave) return null;
  const {spans} = wave;
  let best = -1, score = Infinity;
  const offer = (n, value) => { if (value < score) { best = n; score = value; } };
  const outside = (from, to) => cycle < from ? from - cycle : cycle > to ? cycle - to : 0;
  const pitch = Math.min(3 * scaleUp, row.flight / Math.max(1, row.slot.levels));
  const level = (dy - row.work - row.wait - 3) / pitch;
  visit(spans, cycle - near, cycle + near, n => {
    if (dy <= row.work) { // what is in front wins, and the last issued
      const matrix = spans.unit[n] === MATRIX, tall = dy < row.work * 0.42 && !matrix ? near * 4 : 0;
      const gap = outside(spans.issue[n], spans.work[n]);
      if (gap <= near)
        offer(n, gap + tall + (matrix ? near / 2 : 0) -
                     (spans.issue[n] <= cycle ? (spans.issue[n] - view.from) * 1e-9 : 0));
    } else if (dy <= row.work + row.wait + 1) {
      if (spans.stall[n] === NO_STALL) return;
      const gap = outside(spans.begin[n], spans.issue[n]);
      if (gap <= near) offer(n, gap);
    } else if (flies(spans.unit[n])) {
      const gap = outside(spans.issue[n], spans.end[n]);
      if (gap <= near) offer(n, gap / near + Math.abs(spans.level[n] + 0.4 - level));
    }
  });
  if (best < 0) // between spans: the one that is waited for, or that works
    visit(spans, cycle - near, cycle + near, n => {
      const gap = outside(spans.begin[n], spans.work[n]);
      if (gap <= near) offer(n, gap);
    });
  return best < 0 ? null : {row, wave, n: best};
}

const same = (a, b) => a && b && a.wave === b.wave && a.n === b.n;

function element(name, text, rule) {
  const out = document.createElement(name);
  if (text !== undefined) out.textContent = text;
  if (rule) out.className = rule;
  return out;
}
function swatch(name) {
  const out = element("i");
  out.style.background = `var(--${name})`;
  return out;
}
const count = (n, what) => grouped(n) + " " + what + (n === 1 ? "" : "s");

function factsOf({wave, n}) {
  const {spans} = wave, instruction = instructions[spans.instruction[n]], facts = [];
  const waited = spans.issue[n] - spans.begin[n], worked = spans.end[n] - spans.issue[n];
  if (waited > 0)
    facts.push(["waited", count(waited, "cycle") + " for " + data.stalls[spans.stall[n]], "stall-" + spans.stall[n]]);
  facts.push(["issued", "cycle " + grouped(spans.issue[n]), ""]);
  if (worked > 0)
    facts.push([
      flies(instruction.unit) ? "in flight" : "in its unit",
      count(worked, "cycle") + ", to cycle " + grouped(spans.end[n]), "unit-" + instruction.unit
   ]);
  if (instruction.unit === MEMORY && worked > 0 && hasMatrix) {
    const simd = simds.find(simd => simd.number === wave.simd);
    facts.push([
      "meanwhile",
      percent(simd.matrix.measure(spans.issue[n], spans.end[n]) / worked) + " matrix work on SIMD " + wave.simd,
      "unit-" + MATRIX
   ]);
  }
  facts.push(["wave", `${wave.wave} of workgroup ${wave.workgroup}, SIMD ${wave.simd}`, ""]);
  return {instruction, facts};
}

function fill(at, pinned) {
  const {instruction, facts} = factsOf(at);
  tip.replaceChildren();
  const head = element("div", undefined, "head");
  head.append(swatch("unit-" + instruction.unit), element("code", instruction.text));
  tip.append(head);
  if (instruction.place) {
    const place = element("div", undefined, "place");
    place.append(element("b", instruction.place));
    const source = sources.get(instruction.place);
    if (source) place.append(element("code", source.trim()));
    tip.append(place);
  }
  const list = element("dl");
  for (const [name, value, colour] of facts) {
    const text = element("dd");
    if (colour) text.append(swatch(colour));
    text.append(value);
    list.append(element("dt", name), text);
  }
  tip.append(list);
  if (pinned) tip.append(element("p", "pinned; , and . step, Esc lets go", "hint"));
  tip.classList.toggle("pinned", pinned);
  tip.hidden = false;
}

/** Beside the pointer, inside the stage. */
function moveTip(x, y) {
  const box = tip.getBoundingClientRect();
  let left = x + 16, top = y + 18;
  if (left + box.width > width - 4) left = Math.max(4, x - box.width - 14);
  if (top + box.height > Math.max(height, 200) + 40) top = Math.max(4, y - box.height - 14);
  tip.style.left = left + "px";
  tip.style.top = top + "px";
}

function showTip(x, y) {
  const at = marks.pinned || marks.hover;
  if (!at) { tip.hidden = true; return; }
  fill(at, !!marks.pinned);
  if (marks.pinned) {
    const place = placeOf(at.row, at.wave, at.n);
    moveTip(Math.min(Math.max(place.issue, gutter), width), Math.min(place.y + at.row.height - 6, height));
  } else moveTip(x, y);
}

function pin(at) {
  marks.pinned = at;
  showTip();
  if (at) {
    const {instruction, facts} = factsOf(at);
    spoken.textContent = [
      instruction.text, instruction.place, ...facts.map(([name, value]) => name + " " + value)
   ].filter(Boolean).join("; ");
  } else spoken.textContent = "";
  redraw();
}

/** Pins a span and moves the view so that it is seen. */
function pinInView(at) {
  const {spans} = at.wave, from = spans.begin[at.n], to = Math.max(spans.work[at.n], spans.issue[at.n] + 1),
        span = view.to - view.from;
  if (to - from > span) setView(from - (to - from) * 0.1, to + (to - from) * 0.1);
  else if (from < view.from || to > view.to) setView((from + to - span) / 2, (from + to + span) / 2);
  const y = at.row.y - view.scroll;
  if (y < 0 || y + at.row.height > height - TOP) setView(view.from, view.to, at.row.y - (height - TOP) / 2);
  pin(at);
}

let viewTimer = 0;
function showView() {
  clearTimeout(viewTimer);
  viewTimer = setTimeout(() => {
    const from = Math.max(view.from, first), to = Math.min(view.to, last);
    viewLine.replaceChildren(element("b", `cycles ${grouped(from)} to ${grouped(to)}`),
                             element("span", count(Math.round(to - from), "cycle")));
    for (const [name, value, colour] of describe(from, to)) {
      const part = element("span");
      part.append(swatch(colour), name + " ", element("b", value));
      viewLine.append(part);
    }
    if (data.cut) viewLine.append(element("em", "the timeline is cut off at cycle " + grouped(last)));
  }, 40);
}
