// The pane of the machine code: address, live registers, what was measured, loops, instruction.
const registerFiles = [
  ["vgprs", "VGPR"],
  ["agprs", "AGPR"],
  ["sgprs", "SGPR"],
];
const deepest = 6; // loops that are drawn beside each other

class IsaPane extends Pane {
  constructor() {
    super("isa", "ISA");
    this.extraWidth = 250;
    this.arrows = svg("svg", {class: "arrows", "aria-hidden": "true"});
    this.body.append(this.arrows);
    this.pressure = new Pressure(this);
    this.element.append(this.pressure.element);
  }

  setKernel(kernel) {
    this.kernel = kernel;
    const {report, code, most} = kernel;
    this.setMetric();
    const used = report.use;
    this.limits = {};
    this.files = registerFiles.filter(([file]) => file !== "agprs" || most.agprs);
    for (const [file] of this.files) this.limits[file] = Math.max(1, most[file], used ? used[file].allocated : 0);
    const depth = Math.min(
      deepest,
      report.loops.reduce((most, loop) => Math.max(most, loop.depth), 0),
    );
    this.guideWidth = 7 + 4.5 * depth;
    this.note.textContent = `${plural(code.count, "instruction")} · ${grouped(report.code_bytes)} B`;
    this.note.title = "beside each instruction: registers that are live before it";
    this.labels = new Set(code.target.filter(target => target >= 0));
    this.fill(code.count, code.widest);
    this.pressure.setKernel(kernel);
  }
  /** What is measured, or another measure of it. */
  setMetric() {
    this.metric = metricOf(this.kernel);
    this.metricMost = this.metric ? this.metric.of.reduce((a, b) => Math.max(a, b), 1) : 1;
    this.tools.replaceChildren(...metricChoice(this.kernel));
  }
  textOf(line) {
    return this.kernel.code.text[line];
  }

  row(line) {
    const {code} = this.kernel;
    const bars = el("span.live", {
      title: this.files.map(([file, name]) => `${code[file][line]} ${name}`).join(", ") + " live",
    });
    for (const [file] of this.files) {
      const bar = el("i." + file);
      bar.style.width = (100 * code[file][line]) / this.limits[file] + "%";
      bars.append(bar);
    }
    const row = el(
      "div.line.code-line",
      {role: "listitem"},
      el("span.address" + (this.labels.has(line) ? ".label" : ""), null, code.address[line].toString(16)),
      el("span.live-count", null, String(code.vgprs[line])),
      bars,
    );
    if (this.metric) row.append(metricCell(this.metric.of[line], this.metricMost, measuredText(this.kernel, [line])));
    row.append(
      el("span.lane"),
      this.guides(line),
      el("span.code", null, colouredCode(code.text[line], code.unit[line])),
    );
    const target = code.target[line];
    if (target >= 0)
      row.append(el("span.jump", null, (target <= line ? "↑ " : "↓ ") + code.address[target].toString(16)));
    return row;
  }

  /** A line beside the instructions of each loop. */
  guides(line) {
    const loop = this.kernel.code.loop[line],
      guides = el("span.guides");
    const chain = [];
    for (let at = loop; at >= 0; at = this.kernel.report.loops[at].parent ?? -1) chain.unshift(at);
    guides.style.width = this.guideWidth + "px";
    for (const at of chain.slice(-deepest)) guides.append(el("i" + (this.kernel.report.loops[at].hot ? ".hot" : "")));
    return guides;
  }

  drawn() {
    drawArrows(this);
    this.pressure?.drawMarks();
  }
}

/** What stands beside lines: buttons, if there is a choice. */
function metricChoice(kernel) {
  const now = metricOf(kernel);
  if (!now) return [];
  if (kernel.metrics.length === 1) return [el("span.quiet", {title: now.what}, now.name)];
  return [
    el(
      "span.choice",
      {role: "group", "aria-label": "beside the lines"},
      kernel.metrics.map(({name, what}) =>
        el(
          "button",
          {
            type: "button",
            "aria-pressed": String(name === now.name),
            title: what + " (c)",
            onclick: () => showMetric(name),
          },
          name,
        ),
      ),
    ),
  ];
}
function showMetric(name) {
  const {kernel, file} = state;
  chosenMetric = name;
  panes.isa.setMetric();
  weigh(kernel, file);
  for (const pane of [panes.isa, panes.source]) pane.redraw();
  if (openTab === "lines") drawDrawer();
}
/** All that was measured of some instructions, in words. */
const measuredText = ({metrics}, lines) =>
  metrics.map(({name, of}) => `${grouped(lines.reduce((sum, i) => sum + of[i], 0))} ${name}`).join(", ");

/** A number and its bar, on a scale that shows small ones, too. */
function metricCell(value, most, title) {
  const cell = el("span.metric", {title});
  if (value > 0) {
    const bar = el("i");
    bar.style.width = Math.max(2, 100 * Math.sqrt(value / most)) + "%";
    cell.append(bar, el("b", null, brief(value)));
  }
  return cell;
}
