// ---- Drawing. Rows from top to bottom: overview, ruler, loads in flight of the compute unit, then each SIMD with its
// strips and its lanes. A lane has three tracks: work (solid), waits (faint, hatched), flights (thin lines). Where a
// lane has more spans than pixels, a track becomes an area whose height is the share of each pixel's time. ----

const canvas = document.getElementById("canvas"), stage = document.getElementById("stage");
const ink = canvas.getContext("2d");
let areaInk = ink; // what columns are drawn to
const whole = document.body.classList.contains("whole");
const OVERVIEW = 30, RULER = 22, TOP = OVERVIEW + RULER;
const view = {from: first, to: last, scroll: 0};
const marks = {cursor: null, pinned: null, hover: null, found: null, range: null}; // found: Uint8Array by instruction
let width = 800, height = 300, gutter = 132, colours = {}, overviewImage = null, scheduled = false;

const scaleUp = waves.length <= 2 ? 1.9 : waves.length <= 4 ? 1.3 : 1;
const rows = [];
let contentHeight = 0;
(function layOut() {
  let y = 8;
  const add = (kind, high, more) => { rows.push({kind, y, height: high, ...more}); y += high; };
  for (const flights of inFlight) { add("flights", 24, {flights}); y += 5; }
  for (const simd of simds) {
    y += 9;
    if (simd.matrix.count) { add("busy", 18, {simd, cover: simd.matrix, unit: MATRIX, idle: true}); y += 3; }
    if (simd.valu.count || !simd.matrix.count) {
      add("busy", simd.matrix.count ? 9 : 18, {simd, cover: simd.valu, unit: VALU, idle: !simd.matrix.count});
      y += 4;
    }
    for (const slot of simd.slots) {
      const work = Math.round(14 * scaleUp), wait = Math.round(8 * scaleUp),
            flight = slot.levels ? Math.round(Math.min(16, 4 + slot.levels * 2) * scaleUp) : 0;
      y += 3;
      add("lane", work + wait + flight + (flight ? 3 : 0), {simd, slot, work, wait, flight});
      y += 4;
    }
  }
  contentHeight = y + 6;
})();
const lanes = rows.filter(row => row.kind === "lane");

function takeColours() {
  const style = getComputedStyle(root), get = name => style.getPropertyValue("--" + name).trim();
  colours = {};
  for (const name of ["paper", "panel", "lane", "grid", "ink", "soft", "mark", "view"]) colours[name] = get(name);
  colours.units = data.units.map((_, i) => get("unit-" + i));
  colours.stalls = data.stalls.map((_, i) => get("stall-" + i));
  colours.hatches = colours.stalls.map(colour => {
    const tile = document.createElement("canvas"), size = 6 * devicePixelRatio;
    tile.width = tile.height = size;
    const pen = tile.getContext("2d");
    pen.globalAlpha = 0.24;
    pen.fillStyle = pen.strokeStyle = colour;
    pen.fillRect(0, 0, size, size);
    pen.globalAlpha = 0.62;
    pen.lineWidth = 1.3 * devicePixelRatio;
    pen.beginPath();
    for (const shift of [-size, 0, size]) { pen.moveTo(shift, size); pen.lineTo(shift + size, 0); }
    pen.stroke();
    const pattern = ink.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().scale(1 / devicePixelRatio));
    return pattern;
  });
  overviewImage = null;
}

const plot = () => width - gutter;
const xOf = cycle => gutter + (cycle - view.from) / (view.to - view.from) * plot();
const cycleAt = x => view.from + (x - gutter) / plot() * (view.to - view.from);

/** Shares of pixel columns, for one colour. */
class Columns {
  constructor() { this.clear(); }
  clear() {
    const n = Math.ceil(plot()) + 2;
    if (!this.part || this.part.length !== n) { this.part = new Float32Array(n); this.step = new Float32Array(n); }
    else { this.part.fill(0); this.step.fill(0); }
    this.used = false;
  }
  add(from, to, weight = 1) { // x from the plot's left edge
    const end = this.part.length - 2;
    if (from < 0) from = 0;
    if (to > end) to = end;
    if (!(to > from)) return;
    this.used = true;
    const a = from | 0, b = to | 0;
    if (a === b) { this.part[a] += (to - from) * weight; return; }
    this.part[a] += (a + 1 - from) * weight;
    this.part[b] += (to - b) * weight;
    this.step[a + 1] += weight;
    this.step[b] -= weight;
  }
  finish() {
    let running = 0;
    for (let i = 0; i < this.part.length; ++i) this.part[i] += running += this.step[i];
    return this.part;
  }
}
const pool = [];
let poolUsed = 0;
function columns() {
  if (poolUsed === pool.length) pool.push(new Columns());
  else pool[poolUsed].clear();
  return pool[poolUsed++];
}

/** Fills columns, `under` columns of others below them. Columns that look the same are one rectangle. */
function fillColumns(part, x, base, high, colour, alpha = 1, under = null) {
  areaInk.globalAlpha = alpha;
  areaInk.fillStyle = colour;
  const n = part.length - 2, near = 0.3 / high, nothing = 0.004;
  for (let i = 0; i < n;) {
    const value = part[i], below = under ? under[i] : 0;
    let j = i + 1;
    while (j < n && Math.abs(part[j] - value) < near && (part[j] > nothing) === (value > nothing) &&
           (!under || Math.abs(under[j] - below) < near)) ++j;
    if (value > nothing) areaInk.fillRect(x + i, base - (below + value) * high, j - i, value * high);
    i = j;
  }
  areaInk.globalAlpha = 1;
}

/** Stacks lists of columns (by colour); where they sum to more than one they share the height. */
function stack(lists, palette, x, y, high, alpha) {
  const used = lists.map((list, i) => [list, i]).filter(([list]) => list && list.used);
  if (!used.length) return;
  for (const [list] of used) list.finish();
  const n = used[0][0].part.length, under = new Float32Array(n);
  if (used.length > 1)
    for (let c = 0; c < n; ++c) {
      let sum = 0;
      for (const [list] of used) sum += list.part[c];
      if (sum > 1) for (const [list] of used) list.part[c] /= sum;
    }
  else for (let c = 0; c < n; ++c) used[0][0].part[c] = Math.min(1, used[0][0].part[c]);
  for (const [list, i] of used) {
    fillColumns(list.part, x, y + high, high, palette[i], alpha, under);
    for (let c = 0; c < n; ++c) under[c] += list.part[c];
  }
}

function coverColumns(cover, from, to, pixels, target = columns()) {
  const scale = pixels / (to - from);
  for (let i = Math.max(0, above(cover.from, from) - 1); i < cover.count && cover.from[i] < to; ++i)
    target.add((cover.from[i] - from) * scale, (cover.to[i] - from) * scale);
  return target;
}

function drawLane(row, y) {
  const perPixel = (view.to - view.from) / plot();
  for (const wave of row.slot.waves) {
    if (wave.end < view.from || wave.begin > view.to) continue;
    const left = Math.max(gutter, xOf(wave.begin)), right = Math.min(width, xOf(wave.end));
    ink.fillStyle = colours.lane;
    ink.fillRect(left, y, Math.max(1, right - left), row.work + row.wait);
    const {spans} = wave;
    const visible = above(spans.issue, view.to) - above(spans.issue, view.from);
    if (visible * 1.6 < right - left + 40) drawSpans(row, y, spans); else drawAreas(row, y, spans, perPixel);
    if (row.slot.waves.length > 1 && right - left > 70 && xOf(wave.begin) >= gutter) {
      ink.strokeStyle = colours.ink;
      ink.globalAlpha = 0.5;
      ink.beginPath(); ink.moveTo(left + 0.5, y - 2); ink.lineTo(left + 0.5, y + row.height + 1); ink.stroke();
      ink.globalAlpha = 1;
    }
  }
}

/** Each span by itself. */
function drawSpans(row, y, spans) {
  const found = marks.found, matches = [], works = data.units.map(() => []), waits = data.stalls.map(() => []),
        flights = [];
  visit(spans, view.from, view.to, n => {
    works[spans.unit[n]].push(n);
    if (spans.stall[n] !== NO_STALL) waits[spans.stall[n]].push(n);
    if (flies(spans.unit[n])) flights.push(n);
    if (found && found[spans.instruction[n]]) matches.push(n);
  });
  const dim = n => found && !found[spans.instruction[n]];
  const box = (from, to, top, high, gap) => {
    const a = Math.max(xOf(from), gutter - 2), b = Math.min(xOf(to), width + 2);
    if (b <= gutter) return;
    const wide = Math.max(0.7, b - a);
    ink.fillRect(a, top, wide > 4 ? wide - gap : wide, high);
  };
  waits.forEach((list, stall) => {
    ink.fillStyle = colours.hatches[stall];
    for (const n of list) {
      ink.globalAlpha = dim(n) ? 0.3 : 1;
      box(spans.begin[n], spans.issue[n], y + row.work + 1, row.wait - 1, 0);
    }
  });
  works.forEach((list, unit) => {
    const high = unit === MATRIX ? row.work : row.work * 0.58;
    ink.fillStyle = colours.units[unit];
    for (const n of list) {
      ink.globalAlpha = dim(n) ? 0.18 : 1;
      box(spans.issue[n], spans.work[n], y + row.work - high, high, 1);
    }
  });
  const pitch = Math.min(3 * scaleUp, row.flight / Math.max(1, row.slot.levels)), base = y + row.work + row.wait + 3;
  for (const n of flights) {
    ink.fillStyle = colours.units[spans.unit[n]];
    ink.globalAlpha = dim(n) ? 0.15 : 0.9;
    box(spans.issue[n], spans.end[n], base + spans.level[n] * pitch, Math.max(0.6, pitch * 0.62), 0);
  }
  ink.globalAlpha = 1;
  ink.font = "10px " + mono;
  ink.textBaseline = "middle";
  const front = works.slice(1).flat().map(n => spans.issue[n]).sort((a, b) => a - b);
  for (const n of works[MATRIX]) { // names, where there is room before the next that is in front
    const next = front[above(front, spans.issue[n] - 0.5)] ?? Infinity;
    const a = Math.max(xOf(spans.issue[n]), gutter), b = Math.min(xOf(Math.min(spans.work[n], next)), width);
    if (b - a < 44 || dim(n)) continue;
    const text = instructions[spans.instruction[n]].text, fits = Math.floor((b - a - 8) / 6.05);
    ink.fillStyle = colours.paper;
    ink.fillText(text.length > fits ? text.slice(0, fits - 1) + "…" : text, a + 4, y + row.work / 2 + 0.5);
  }
  if (matches.length) {
    ink.strokeStyle = colours.mark;
    ink.lineWidth = 1.5;
    for (const n of matches) {
      const a = Math.max(xOf(spans.issue[n]), gutter), b = Math.min(xOf(spans.work[n]), width);
      if (b >= gutter) ink.strokeRect(a - 0.5, y - 0.5, Math.max(1, b - a), row.work + 1);
    }
    ink.lineWidth = 1;
  }
}

/** Too many to see: shares of each pixel's time. */
function drawAreas(row, y, spans, perPixel) {
  poolUsed = 0;
  const works = [], waits = [], flights = [], matches = marks.found && columns(), scale = 1 / perPixel,
        from = view.from;
  visit(spans, view.from, view.to, n => {
    const unit = spans.unit[n], begin = (spans.begin[n] - from) * scale, issue = (spans.issue[n] - from) * scale;
    (works[unit] ??= columns()).add(issue, (spans.work[n] - from) * scale);
    const stall = spans.stall[n];
    if (stall !== NO_STALL) (waits[stall] ??= columns()).add(begin, issue);
    if (unit >= LDS && unit <= SCALAR_MEMORY) (flights[unit] ??= columns()).add(issue, (spans.end[n] - from) * scale);
    if (matches && marks.found[spans.instruction[n]]) matches.add(issue - 0.5, issue + 0.8);
  });
  stack(Array.from(works), colours.units, gutter, y, row.work, matches ? 0.3 : 1);
  stack(Array.from(waits), colours.stalls, gutter, y + row.work + 1, row.wait - 1, matches ? 0.15 : 0.5);
  const under = new Float32Array(Math.ceil(plot()) + 2), most = Math.max(1, row.slot.levels);
  flights.forEach((list, unit) => {
    const part = list.finish();
    for (let c = 0; c < part.length; ++c) part[c] /= most;
    fillColumns(part, gutter, y + row.height, row.flight, colours.units[unit], matches ? 0.2 : 0.75, under);
    for (let c = 0; c < part.length; ++c) under[c] += part[c];
  });
  if (matches && matches.used) {
    const part = matches.finish();
    for (let c = 0; c < part.length; ++c) part[c] = part[c] > 0 ? 1 : 0;
    fillColumns(part, gutter, y + row.work, row.work, colours.mark, 0.9);
  }
}

function drawFlights(row, y) {
  const {flights} = row, part = columns(), scale = 1 / (view.to - view.from) * plot();
  for (let i = Math.max(0, above(flights.cycle, view.from) - 1); i < flights.cycle.length && flights.cycle[i] < view.to;
       ++i)
    if (flights.number[i])
      part.add((flights.cycle[i] - view.from) * scale,
               ((i + 1 < flights.cycle.length ? flights.cycle[i + 1] : last) - view.from) * scale,
               flights.number[i] / flights.most);
  ink.fillStyle = colours.panel;
  ink.fillRect(gutter, y, plot(), row.height);
  fillColumns(part.finish(), gutter, y + row.height, row.height, colours.units[flights.unit], 0.85);
}

function drawBusy(row, y) {
  ink.fillStyle = colours.panel;
  ink.fillRect(gutter, y, plot(), row.height);
  if (row.idle) // beside the busy time: what is waited for while the unit is idle
    stack(row.simd.idleBy.map(cover => cover.count ? coverColumns(cover, view.from, view.to, plot()) : null),
          colours.stalls, gutter, y, row.height, 0.34);
  fillColumns(coverColumns(row.cover, view.from, view.to, plot()).finish(), gutter, y + row.height, row.height,
              colours.units[row.unit]);
}

/** The whole time at a glance: the main unit's share, averaged over SIMDs, above what the waves wait for. */
function drawOverview() {
  if (!overviewImage) {
    overviewImage = document.createElement("canvas");
    overviewImage.width = Math.max(1, plot() * devicePixelRatio);
    overviewImage.height = OVERVIEW * devicePixelRatio;
    const high = OVERVIEW - 8, main = columns(), idle = data.stalls.map(() => columns());
    for (const simd of simds) {
      coverColumns(simd.main, first, last, plot(), main);
      simd.idleBy.forEach((cover, i) => coverColumns(cover, first, last, plot(), idle[i]));
    }
    const part = main.finish();
    for (let c = 0; c < part.length; ++c) part[c] /= Math.max(1, simds.length);
    for (const list of idle)
      for (const values of [list.part, list.step])
        for (let c = 0; c < values.length; ++c)
          values[c] /= Math.max(1, simds.length);
    areaInk = overviewImage.getContext("2d");
    areaInk.scale(devicePixelRatio, devicePixelRatio);
    stack(idle, colours.stalls, 0, 0, high, 0.3);
    fillColumns(part, 0, high, high, colours.units[mainUnit]);
    areaInk = ink;
  }
  ink.fillStyle = colours.panel;
  ink.fillRect(gutter, 4, plot(), OVERVIEW - 8);
  ink.drawImage(overviewImage, gutter, 4, plot(), OVERVIEW);
  const scale = plot() / (last - first), a = gutter + (view.from - first) * scale,
        b = gutter + (view.to - first) * scale;
  ink.fillStyle = colours.paper;
  ink.globalAlpha = 0.62;
  ink.fillRect(gutter, 4, Math.max(0, a - gutter), OVERVIEW - 8);
  ink.fillRect(b, 4, Math.max(0, width - b), OVERVIEW - 8);
  ink.globalAlpha = 1;
  ink.strokeStyle = colours.view;
  ink.lineWidth = 1.5;
  ink.strokeRect(Math.max(gutter + 0.75, a), 3.75, Math.max(3, Math.min(b, width - 0.75) - Math.max(gutter + 0.75, a)),
                 OVERVIEW - 7.5);
  ink.lineWidth = 1;
}

function tickStep() {
  const least = (view.to - view.from) / plot() * 92, power = 10 ** Math.floor(Math.log10(least));
  return Math.max(1, [1, 2, 5, 10].map(f => f * power).find(step => step >= least));
}

function drawRuler(bottom) {
  const step = tickStep();
  ink.font = "11px " + sans;
  ink.textBaseline = "middle";
  for (let cycle = Math.ceil(view.from / step) * step; cycle <= view.to; cycle += step) {
    const x = Math.round(xOf(cycle)) + 0.5;
    ink.fillStyle = colours.grid;
    ink.fillRect(x - 0.5, TOP - 6, 1, bottom - TOP + 6);
    ink.fillStyle = colours.soft;
    if (x + 60 < width) ink.fillText(grouped(cycle), x + 4, OVERVIEW + RULER / 2);
  }
}

const sans = "system-ui, sans-serif", mono = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

function drawLabels(row, y) {
  const right = gutter - 10;
  const put = (text, dy, colour, font, align = "right") => {
    ink.font = font; ink.fillStyle = colour; ink.textAlign = align;
    ink.fillText(text, align === "right" ? right : 4, y + dy, right - 4);
  };
  ink.textBaseline = "middle";
  if (row.kind === "flights") {
    put(row.flights.label + (gutter > 100 ? " in flight" : ""), row.height / 2 - 5, colours.ink, "11px " + sans);
    put("at most " + row.flights.most, row.height / 2 + 7, colours.soft, "10px " + sans);
  } else if (row.kind === "busy") {
    if (row.idle)
      put((gutter > 100 ? "SIMD " : "S") + row.simd.number, row.height / 2, colours.ink, "600 11px " + sans, "left");
    if (row.height > 12 || gutter > 100)
      put((row.unit === MATRIX || gutter < 100 ? "" : "VALU ") +
              percent(row.cover.measure(view.from, view.to) / (view.to - view.from)),
          row.height / 2, row.height > 12 ? colours.ink : colours.soft,
          (row.height > 12 ? "600 11px " : "10px ") + sans);
  } else {
    const shown = row.slot.waves.find(wave => wave.end >= view.from && wave.begin <= view.to) || row.slot.waves[0];
    put(gutter > 100 ? "workgroup " + shown.workgroup : "wg " + shown.workgroup, row.work / 2 + 1, colours.ink,
        "11px " + sans);
    if (row.height >= 24) put("wave " + shown.wave, row.work / 2 + 14, colours.soft, "10px " + sans);
  }
  ink.textAlign = "left";
}

/** Where a span is on the canvas. */
function placeOf(row, wave, n) {
  const y = TOP + row.y - view.scroll, {spans} = wave;
  return {x: xOf(spans.begin[n]), issue: xOf(spans.issue[n]), end: xOf(Math.max(spans.end[n], spans.work[n])), y};
}

function drawMark({row, wave, n}, colour, weight) {
  const {x, issue, end, y} = placeOf(row, wave, n), {spans} = wave;
  ink.strokeStyle = colour;
  ink.lineWidth = weight;
  const box = (from, to, top, high) => {
    const a = Math.max(from, gutter - 4), b = Math.min(to, width + 4);
    if (b > gutter && a < width) ink.strokeRect(a - 0.5, top, Math.max(2, b - a), high);
  };
  box(issue, flies(spans.unit[n]) ? xOf(spans.work[n]) : end, y - 1, row.work + 1.5);
  if (spans.stall[n] !== NO_STALL) box(x, issue, y + row.work + 0.5, row.wait);
  if (flies(spans.unit[n])) {
    const pitch = Math.min(3 * scaleUp, row.flight / Math.max(1, row.slot.levels));
    box(issue, end, y + row.work + row.wait + 2 + spans.level[n] * pitch, pitch + 1);
  }
  ink.lineWidth = 1;
}

function draw() {
  scheduled = false;
  poolUsed = 0;
  ink.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  ink.fillStyle = colours.paper;
  ink.fillRect(0, 0, width, height);
  drawRuler(Math.min(height, TOP + contentHeight - view.scroll));
  ink.save();
  ink.beginPath();
  ink.rect(0, TOP, width, height - TOP);
  ink.clip();
  for (const row of rows) {
    const y = TOP + row.y - view.scroll;
    if (y > height || y + row.height < TOP) continue;
    ink.save();
    ink.beginPath();
    ink.rect(gutter, y - 3, plot(), row.height + 8);
    ink.clip();
    poolUsed = 0;
    if (row.kind === "lane") drawLane(row, y);
    else if (row.kind === "busy") drawBusy(row, y);
    else drawFlights(row, y);
    ink.restore();
    drawLabels(row, y);
  }
  ink.save();
  ink.beginPath();
  ink.rect(gutter, TOP, plot(), height - TOP);
  ink.clip();
  if (marks.hover) drawMark(marks.hover, colours.ink, 1.2);
  if (marks.pinned) drawMark(marks.pinned, colours.mark, 2);
  ink.restore();
  ink.restore();
  poolUsed = 0;
  drawOverview();
  if (marks.range) {
    const a = xOf(Math.min(...marks.range)), b = xOf(Math.max(...marks.range));
    ink.globalAlpha = 0.16;
    ink.fillStyle = colours.view;
    ink.fillRect(a, OVERVIEW, b - a, height);
    ink.globalAlpha = 1;
    label(grouped(Math.abs(marks.range[1] - marks.range[0])) + " cycles", (a + b) / 2);
  } else if (marks.cursor !== null) {
    const x = Math.round(xOf(marks.cursor)) + 0.5;
    ink.fillStyle = colours.ink;
    ink.globalAlpha = 0.35;
    ink.fillRect(x - 0.5, TOP, 1, height - TOP);
    ink.globalAlpha = 1;
    label(grouped(marks.cursor), x);
  }
  if (contentHeight > height - TOP) { // where the rows are scrolled to
    const room = height - TOP, high = room * room / contentHeight;
    ink.fillStyle = colours.soft;
    ink.globalAlpha = 0.5;
    ink.fillRect(width - 5, TOP + view.scroll / contentHeight * room, 4, high);
    ink.globalAlpha = 1;
  }
  showView();
}

function label(text, x) {
  ink.font = "600 11px " + sans;
  const wide = ink.measureText(text).width + 12, left = Math.min(Math.max(x - wide / 2, gutter), width - wide);
  ink.fillStyle = colours.ink;
  ink.fillRect(left, OVERVIEW + 2, wide, RULER - 4);
  ink.fillStyle = colours.paper;
  ink.textBaseline = "middle";
  ink.fillText(text, left + 6, OVERVIEW + RULER / 2 + 0.5);
}

function redraw() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(draw);
}

function resize() {
  const box = stage.getBoundingClientRect();
  width = Math.max(240, Math.floor(box.width));
  const below = document.getElementById("timeline").getBoundingClientRect().bottom - box.bottom + 12;
  const most =
      whole ? Math.max(220, innerHeight - box.top - scrollY - below) : Math.max(360, Math.min(900, innerHeight * 0.86));
  height = Math.floor(Math.min(TOP + contentHeight, most));
  gutter = width < 620 ? 76 : 132;
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  overviewImage = null;
  setView(view.from, view.to, view.scroll);
  showTip();
}

function setView(from, to, scroll = view.scroll) {
  const margin = (last - first) * 0.02, most = last - first + 2 * margin;
  let span = Math.min(Math.max(to - from, Math.min(24, most)), most);
  const middle = (from + to) / 2;
  from = Math.min(Math.max(middle - span / 2, first - margin), last + margin - span);
  view.from = from;
  view.to = from + span;
  view.scroll = Math.min(Math.max(scroll, 0), Math.max(0, contentHeight - (height - TOP)));
  redraw();
}
function zoom(factor, cycle = (view.from + view.to) / 2) {
  setView(cycle - (cycle - view.from) * factor, cycle + (view.to - cycle) * factor);
}
