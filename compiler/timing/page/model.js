// ---- Model: the data as typed arrays, waves in slots, and what follows from them: busy times, loads in flight. ----

const data = JSON.parse(document.getElementById("timeline-data").textContent);
const MATRIX = 0, VALU = 1, TRANS = 2, LDS = 4, MEMORY = 5, SCALAR_MEMORY = 6;
const NO_STALL = 255;
const flies = unit => unit >= LDS && unit <= SCALAR_MEMORY;
const instructions = data.instructions.map(([text, unit, file, line, address]) => ({
  text, unit, line, address,
  file: file < 0 ? "" : data.files[file],
  place: file < 0 ? "" : data.files[file] + ":" + line,
}));
const sources = new Map(data.sources.map(([file, line, text]) => [data.files[file] + ":" + line, text]));
const first = data.from, last = Math.max(data.to, data.from + 1);

/** Intervals [from, to) that do not overlap, in order, with sums: how much of a range they cover in O(log n). */
class Cover {
  constructor(pairs) { // flat: from, to, from, to, ...; any order
    let sorted = true;
    for (let i = 2; i < pairs.length; i += 2) if (pairs[i] < pairs[i - 2]) { sorted = false; break; }
    if (!sorted) {
      const order = Array.from({length: pairs.length / 2}, (_, i) => i * 2).sort((a, b) => pairs[a] - pairs[b]);
      pairs = order.flatMap(i => [pairs[i], pairs[i + 1]]);
    }
    const merged = [];
    for (let i = 0; i < pairs.length; i += 2) {
      if (pairs[i + 1] <= pairs[i]) continue;
      const end = merged.length - 1;
      if (merged.length && pairs[i] <= merged[end]) merged[end] = Math.max(merged[end], pairs[i + 1]);
      else merged.push(pairs[i], pairs[i + 1]);
    }
    this.count = merged.length / 2;
    this.from = new Float64Array(this.count);
    this.to = new Float64Array(this.count);
    this.sum = new Float64Array(this.count + 1);
    for (let i = 0; i < this.count; ++i) {
      this.from[i] = merged[2 * i];
      this.to[i] = merged[2 * i + 1];
      this.sum[i + 1] = this.sum[i] + this.to[i] - this.from[i];
    }
  }
  upTo(cycle) {
    const i = above(this.from, cycle);
    return i === 0 ? 0 : this.sum[i - 1] + Math.min(cycle, this.to[i - 1]) - this.from[i - 1];
  }
  measure(from, to) { return this.upTo(to) - this.upTo(from); }
  pairs() {
    const out = [];
    for (let i = 0; i < this.count; ++i) out.push(this.from[i], this.to[i]);
    return out;
  }
}

/** The first index whose value is greater. */
function above(values, value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

function intersection(a, b) {
  const out = [];
  for (let i = 0, j = 0; i < a.count && j < b.count;) {
    const from = Math.max(a.from[i], b.from[j]), to = Math.min(a.to[i], b.to[j]);
    if (from < to) out.push(from, to);
    if (a.to[i] < b.to[j]) ++i; else ++j;
  }
  return new Cover(out);
}

function complement(a) {
  const out = [];
  let at = first;
  for (let i = 0; i < a.count; ++i) {
    if (a.from[i] > at) out.push(at, a.from[i]);
    at = Math.max(at, a.to[i]);
  }
  if (at < last) out.push(at, last);
  return new Cover(out);
}

/** A wave's columns of differences as arrays of cycles. Flights get the level at which they are drawn. */
function decode(wave) {
  const count = wave.i.length;
  const spans = {
    count,
    instruction: new Uint32Array(count),
    unit: new Uint8Array(count),
    stall: new Uint8Array(count).fill(NO_STALL),
    begin: new Float64Array(count),
    issue: new Float64Array(count),
    end: new Float64Array(count),
    work: new Float64Array(count),
    level: new Uint16Array(count),
    levels: 0,
    furthest: new Float64Array(Math.ceil(count / 64)), // the greatest end of each 64 spans
  };
  let instruction = 0, issue = first, stalled = 0;
  for (let n = 0; n < count; ++n) {
    instruction += wave.i[n];
    spans.instruction[n] = instruction;
    spans.unit[n] = instructions[instruction].unit;
    spans.begin[n] = issue + wave.b[n];
    spans.issue[n] = issue = spans.begin[n] + wave.w[n];
    spans.end[n] = issue + wave.e[n];
    if (wave.w[n] > 0) spans.stall[n] = wave.s[stalled++];
    spans.furthest[n >> 6] = Math.max(spans.furthest[n >> 6], spans.end[n]);
  }
  const ends = [];
  for (let n = 0; n < count; ++n) {
    const next = n + 1 < count ? spans.begin[n + 1] : spans.issue[n] + 4;
    if (!flies(spans.unit[n])) {
      spans.work[n] = Math.max(spans.end[n], spans.issue[n] + 1);
      continue;
    }
    spans.work[n] = Math.min(Math.max(next, spans.issue[n] + 1), spans.issue[n] + 16);
    let level = 0;
    while (level < ends.length && ends[level] > spans.issue[n]) ++level;
    if (level === 256) level = n % 256;
    ends[level] = spans.end[n];
    spans.level[n] = level;
  }
  spans.levels = ends.length;
  return {workgroup: wave.workgroup, wave: wave.wave, simd: wave.simd, begin: Math.max(wave.begin, first),
          end: Math.min(Math.max(wave.end, wave.begin), Math.max(last, first)), spans};
}

const waves = data.waves.map(decode);
for (const wave of data.waves) wave.i = wave.b = wave.w = wave.e = wave.s = null;
const spanTotal = waves.reduce((sum, wave) => sum + wave.spans.count, 0);

/** Visits the spans that touch [from, to]: by issue, with those before that still last. */
function visit(spans, from, to, action) {
  let n = above(spans.issue, from), block = n >> 6;
  for (let b = 0; b < block; ++b)
    if (spans.furthest[b] >= from)
      for (let i = b << 6; i < (b + 1) << 6; ++i) if (spans.end[i] >= from || spans.work[i] >= from) action(i);
  for (n = block << 6; n < spans.count && spans.begin[n] <= to; ++n)
    if (Math.max(spans.end[n], spans.work[n]) >= from) action(n);
}

/** SIMDs with their waves, each in the first free slot: a later workgroup's takes the place of an earlier one. */
const simds = [...new Set(waves.map(wave => wave.simd))].sort((a, b) => a - b).map(number => {
  const slots = [];
  for (const wave of waves.filter(wave => wave.simd === number).sort((a, b) => a.begin - b.begin)) {
    let slot = slots.find(slot => slot.end <= wave.begin);
    if (!slot) slots.push(slot = {waves: [], end: 0, levels: 0});
    slot.waves.push(wave);
    slot.end = Math.max(wave.end, wave.begin + 1);
    slot.levels = Math.max(slot.levels, wave.spans.levels);
  }
  const matrix = [], valu = [], memory = [];
  for (const slot of slots) for (const {spans} of slot.waves)
    for (let n = 0; n < spans.count; ++n) {
      const unit = spans.unit[n];
      if (unit === MATRIX) matrix.push(spans.issue[n], spans.end[n]);
      else if (unit === VALU || unit === TRANS) valu.push(spans.issue[n], spans.end[n]);
      else if (unit === MEMORY) memory.push(spans.issue[n], spans.end[n]);
    }
  const simd = {number, slots, matrix: new Cover(matrix), valu: new Cover(valu), memory: new Cover(memory)};
  // While the matrix unit is idle (or without matrix work, the VALU): what this SIMD's waves wait for.
  simd.main = simd.matrix.count ? simd.matrix : simd.valu;
  simd.hidden = intersection(simd.memory, simd.main);
  const idle = complement(simd.main), stalled = data.stalls.map(() => []);
  for (const slot of slots) for (const {spans} of slot.waves)
    for (let n = 0; n < spans.count; ++n)
      if (spans.stall[n] !== NO_STALL) stalled[spans.stall[n]].push(spans.begin[n], spans.issue[n]);
  simd.idleBy = stalled.map(pairs => intersection(idle, new Cover(pairs)));
  return simd;
});
const hasMatrix = simds.some(simd => simd.matrix.count);
const mainUnit = hasMatrix ? MATRIX : VALU, mainName = data.units[mainUnit];

/** The number of operations in flight in the compute unit, as steps: cycle and number from there on. */
function flightsOf(units) {
  const changes = [];
  for (const {spans} of waves)
    for (let n = 0; n < spans.count; ++n)
      if (units.includes(spans.unit[n]) && spans.end[n] > spans.issue[n])
        changes.push([spans.issue[n], 1], [spans.end[n], -1]);
  changes.sort((a, b) => a[0] - b[0]);
  const cycle = [], number = [];
  let now = 0, most = 0;
  for (const [at, change] of changes) {
    now += change;
    if (cycle.length && cycle[cycle.length - 1] === at) number[number.length - 1] = now;
    else cycle.push(at), number.push(now);
  }
  for (const n of number) most = Math.max(most, n);
  return {cycle: Float64Array.from(cycle), number: Float64Array.from(number), most};
}
const inFlight = [
  {label: "LDS", unit: LDS, ...flightsOf([LDS])}, {label: "memory", unit: MEMORY, ...flightsOf([MEMORY])}
].filter(flights => flights.most);

const grouped = value => Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const percent = share => !(share > 0)     ? "0 %"
                         : share < 0.0005 ? "< 0.1 %"
                                          : (share * 100).toFixed(share >= 0.9995 ? 0 : 1) + " %";

/** What the line above the picture says about a range of cycles. */
function describe(from, to) {
  const parts = [], sum = pick => simds.reduce((total, simd) => total + pick(simd), 0);
  const cycles = (to - from) * Math.max(simds.length, 1);
  if (hasMatrix) parts.push(["matrix busy", percent(sum(s => s.matrix.measure(from, to)) / cycles), "unit-" + MATRIX]);
  parts.push(["VALU busy", percent(sum(s => s.valu.measure(from, to)) / cycles), "unit-" + VALU]);
  const loads = sum(s => s.memory.measure(from, to));
  if (loads) {
    parts.push(["memory in flight", percent(loads / cycles), "unit-" + MEMORY]);
    if (hasMatrix)
      parts.push(
          ["of that behind matrix work", percent(sum(s => s.hidden.measure(from, to)) / loads), "unit-" + MATRIX]);
  }
  const idle = data.stalls.map((label, i) => [label, sum(s => s.idleBy[i].measure(from, to)) / cycles, i])
    .filter(([, share]) => share >= 0.005).sort((a, b) => b[1] - a[1]).slice(0, 3);
  idle.forEach(([label, share, i], n) => parts.push(
                   [(n ? "" : mainName + " idle, a wave waits for ") + label, percent(share), "stall-" + i]));
  return parts;
}
