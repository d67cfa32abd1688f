// The data of the page. Each kernel and each file is JSON of its own, read when it is needed.
const $ = id => document.getElementById(id);
const read = (cache => id => {
  if (!cache.has(id)) cache.set(id, JSON.parse($(id).textContent));
  return cache.get(id);
})(new Map());
const index = read("index");
const units = index.palette.units;
const stallKeys = index.palette.stalls.map(([name]) => name.toLowerCase().replaceAll(" ", "_"));

/** An element: el("div.card#id", {title: "..."}, child or text, ...). Null children are left out. */
function el(what, facts, ...children) {
  const [, tag, rest] = /^([a-z0-9]+)(.*)$/i.exec(what);
  const made = document.createElement(tag);
  for (const [, sign, name] of rest.matchAll(/([.#])([\w-]+)/g))
    if (sign === "#") made.id = name;
    else made.classList.add(name);
  for (const [key, value] of Object.entries(facts || {}))
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(made.style, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return made;
}
function svg(tag, facts, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(facts || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const grouped = value => Math.round(value).toLocaleString("en-US");
const plural = (count, one, many = one + "s") => `${grouped(count)} ${count === 1 ? one : many}`;
const hex = value => "0x" + value.toString(16);
function brief(value) {
  for (const [limit, name] of [
    [1e9, " G"],
    [1e6, " M"],
    [1e4, " k"],
  ])
    if (value >= limit) return (value / (limit === 1e4 ? 1e3 : limit)).toPrecision(3).replace(/\.?0+$/, "") + name;
  return grouped(value);
}
const percent = share => (100 * share).toFixed(share < 0.1 ? 1 : 0).replace(/\.0$/, "") + " %";
function bytes(count) {
  return count >= 1024 && count % 1024 === 0 ? `${grouped(count / 1024)} KiB` : `${grouped(count)} B`;
}

/** Registers by the report's numbering: VGPRs, then AGPRs, then SGPRs. */
function registerName(unit, count) {
  const [letter, first] = unit < 1024 ? ["v", unit] : unit < 1280 ? ["a", unit - 1024] : ["s", unit - 1280];
  return count === 1 ? letter + first : `${letter}[${first}:${first + count - 1}]`;
}

/** Rows of four numbers, by one of the first two: rows.of(0, i) gives those whose number 0 is i. */
class Rows {
  constructor(flat, count) {
    this.flat = flat;
    this.by = [0, 1].map(key => {
      const starts = new Uint32Array(count + 1),
        rows = new Uint32Array(flat.length / 4);
      for (let i = key; i < flat.length; i += 4) ++starts[flat[i] + 1];
      for (let i = 0; i < count; ++i) starts[i + 1] += starts[i];
      const next = starts.slice();
      for (let i = 0; i < flat.length; i += 4) rows[next[flat[i + key]]++] = i;
      return {starts, rows};
    });
  }
  of(key, number) {
    const {starts, rows} = this.by[key];
    return Array.from(rows.subarray(starts[number], starts[number + 1]), at => this.flat.slice(at, at + 4));
  }
}

/** What is computed once for a kernel. */
function prepare(number) {
  const kernel = read("kernel-" + number);
  if (kernel.prepared) return kernel;
  kernel.prepared = true;
  const code = kernel.code,
    count = code.text.length;
  code.count = count;
  code.values = new Rows(code.uses, count);
  code.waits = new Rows(code.covers, count);
  code.widest = code.text.reduce((most, text) => Math.max(most, text.length), 0);
  kernel.most = {};
  for (const file of ["vgprs", "agprs", "sgprs"]) kernel.most[file] = code[file].reduce((a, b) => Math.max(a, b), 0);
  for (const name of ["fly", "llvm"]) if (kernel[name]) kernel[name].lines = kernel[name].text.split("\n");
  if (kernel.times) {
    const stalled = new Float64Array(count),
      reasons = kernel.times.reasons,
      flat = kernel.times.stalls;
    const of = new Map();
    for (let i = 0; i < flat.length; i += 3) {
      stalled[flat[i]] += flat[i + 2];
      if (!of.has(flat[i])) of.set(flat[i], []);
      of.get(flat[i]).push([reasons[flat[i + 1]], flat[i + 2]]);
    }
    kernel.stalled = stalled;
    kernel.stallsOf = i => of.get(i) || [];
  }
  kernel.metrics = metricsOf(kernel);
  linkPlaces(kernel);
  return kernel;
}

/** What was measured and can stand beside lines, best first: {name, what, of: a value by instruction}. */
function metricsOf({times, counts, stalled}) {
  const out = [];
  if (times)
    out.push({
      name: "cycles",
      what: "cycles in which waves waited here or issued",
      of: Array.from(stalled, (cycles, i) => cycles + times.issue_cycles[i]),
    });
  if (counts) out.push({name: "executed", what: "executions by waves", of: counts.executions});
  if (counts?.lds_conflict_cycles.some(cycles => cycles))
    out.push({name: "LDS conflicts", what: "cycles of LDS beyond one per phase", of: counts.lds_conflict_cycles});
  return out;
}
let chosenMetric = ""; // by name; a kernel without it shows its best
const metricOf = kernel => kernel.metrics.find(({name}) => name === chosenMetric) ?? kernel.metrics[0] ?? null;

/** Loops by the name that the source gives them, else by number. */
const loopName = (kernel, number) => kernel.loop_names[number] || "loop " + number;
