// What is below the panes: the selected line, loops, lines, findings; copies.js has the copies.
const tabs = [
  {id: "line", name: "Selection", draw: drawLine},
  {id: "loops", name: "Loops", draw: drawLoops, count: kernel => kernel.report.loops.length},
  {id: "copies", name: "Copies and LDS", draw: drawCopies, count: copyCount},
  {id: "lines", name: "Lines", draw: drawHotLines},
  {id: "findings", name: "Findings", draw: drawFindings, count: kernel => kernel.report.findings?.length || 0},
];
let openTab = "loops";

function showTab(id) {
  openTab = id;
  document.body.classList.remove("folded");
  $("drawer").style.minHeight = "";
  drawDrawer();
}
/** The drawer is as high as what is in it, up to a limit, and does not shrink while a tab is open, or it would flicker
 *  from line to line. A selected line that it would cover stays in view. */
function drawDrawer() {
  const {view} = selected?.pane ?? {},
    y = selected && selected.line * lineHeight - view.scrollTop;
  const wasInView = selected && y >= 0 && y < view.clientHeight;
  fillDrawer();
  if (!document.body.classList.contains("folded")) $("drawer").style.minHeight = $("drawer").offsetHeight + "px";
  if (wasInView) selected.pane.uncover(selected.line);
}
function fillDrawer() {
  const {kernel} = state;
  $("tabs").replaceChildren(
    ...tabs.map(tab => {
      const count = tab.count?.(kernel);
      return el(
        "button",
        {
          type: "button",
          role: "tab",
          id: "tab-" + tab.id,
          "aria-selected": String(tab.id === openTab),
          onclick: () => showTab(tab.id),
        },
        tab.name,
        count ? el("small", null, String(count)) : null,
      );
    }),
  );
  $("sheet").replaceChildren(...[tabs.find(tab => tab.id === openTab).draw(kernel)].flat());
  $("sheet").scrollTop = 0;
}
const empty = (title, why) => el("p.none", null, el("b", null, title), why ? el("span", null, why) : null);

/** A link to an instruction, or to a line of the source. */
function toInstruction(line, text) {
  return el(
    "button.link",
    {type: "button", onclick: () => select(panes.isa, line, {sync: true, show: true})},
    text ?? hex(state.kernel.code.address[line]),
  );
}
function toSpot(place) {
  const {kernel} = state;
  if (place < 0) return el("span.quiet", null, "no source line");
  return el(
    "button.link",
    {type: "button", onclick: () => goToSpot(kernel.spotOf(place))},
    placeText(kernel.places[place]),
  );
}
function code(text, unit) {
  return el("code", null, unit === undefined ? text : colouredCode(text, unit));
}

// ------------------------------------------------------------------------------------------------ the selected line

function drawLine(kernel) {
  if (!selected)
    return empty("Nothing is selected.", "Click a line, or press ↓; what belongs to it is marked in the other panes.");
  const {pane, line} = selected;
  if (pane.id === "isa") return instructionFacts(kernel, line);
  const links = linksOf(kernel, pane.id, line, state.file);
  const hits = [...links.isa.hit].sort((a, b) => a - b),
    near = [...links.isa.near].sort((a, b) => a - b);
  const text = pane.textOf(line).trim();
  const out = [el("div.subject", null, code(text || " "))];
  const all = hits.length ? hits : near;
  if (!all.length) return [...out, el("p.none", null, "This line has no instructions.")];
  return [...out, lineFacts(kernel, hits, near), unitTable(kernel, all)];
}

function lineFacts(kernel, hits, near) {
  const facts = [],
    {code: isa} = kernel,
    all = [...hits, ...near];
  facts.push([
    "instructions",
    [
      hits.length ? grouped(hits.length) : null,
      hits.length && near.length ? " and " : null,
      near.length ? `${grouped(near.length)} of functions it calls, or beside it on its line` : null,
    ],
  ]);
  facts.push([
    "live at most",
    registerFiles
      .map(([file, name]) => `${all.reduce((most, i) => Math.max(most, isa[file][i]), 0)} ${name}`)
      .join(", "),
  ]);
  addMeasured(facts, kernel, all);
  facts.push(["first", (hits.length ? hits : near).slice(0, 8).map(i => [toInstruction(i), " "])]);
  return factList(facts);
}
function addMeasured(facts, kernel, lines) {
  const sum = list => lines.reduce((total, i) => total + list[i], 0);
  if (kernel.counts) {
    const {counts} = kernel,
      conflicts = sum(counts.lds_conflict_cycles),
      lanes = sum(counts.active_lanes),
      runs = sum(counts.executions);
    facts.push([
      "executed",
      [
        grouped(runs) + (lines.length > 1 ? " instructions" : " times"),
        lanes && runs ? `, ${(lanes / runs).toFixed(1).replace(".0", "")} lanes active` : "",
      ],
    ]);
    if (sum(counts.lds_cycles))
      facts.push(["LDS", `${grouped(sum(counts.lds_cycles))} cycles, ${grouped(conflicts)} of them conflicts`]);
  }
  if (kernel.times) {
    const stalls = new Map();
    for (const i of lines)
      for (const [reason, cycles] of kernel.stallsOf(i)) stalls.set(reason, (stalls.get(reason) || 0) + cycles);
    facts.push(["issued", `${grouped(sum(kernel.times.issue_cycles))} cycles`]);
    if (stalls.size) facts.push(["waited", stallBar([...stalls].sort((a, b) => b[1] - a[1]))]);
  }
}
function stallBar(stalls) {
  const bar = el("span.mix"),
    legend = el("span.legend");
  for (const [reason, cycles] of stalls) {
    const number = stallKeys.indexOf(reason),
      [name, sentence] = index.palette.stalls[number] || [reason, ""];
    const part = el("i.s" + number, {title: sentence});
    part.style.flexGrow = cycles;
    bar.append(part);
    legend.append(el("span", {title: sentence}, el("i.s" + number), `${name} ${grouped(cycles)}`));
  }
  return el("div.stalls", null, bar, legend);
}
function factList(facts) {
  return el(
    "dl.facts",
    null,
    facts.map(([name, value]) =>
      el(
        "div",
        null,
        el("dt", null, name),
        el("dd", null, Array.isArray(value) ? value.flat(2).filter(v => v !== null) : value),
      ),
    ),
  );
}
function unitTable(kernel, lines) {
  const counts = new Map();
  for (const i of lines) {
    const name = kernel.code.text[i].split(" ")[0],
      key = name + kernel.code.unit[i];
    if (!counts.has(key)) counts.set(key, {name, unit: kernel.code.unit[i], count: 0});
    ++counts.get(key).count;
  }
  const rows = [...counts.values()].sort((a, b) => b.count - a.count);
  return el(
    "div.words",
    null,
    rows
      .slice(0, 40)
      .map(({name, unit, count}) => el("span", null, el("b", null, grouped(count)), el("code.t" + unit, null, name))),
    rows.length > 40 ? el("span.quiet", null, `and ${rows.length - 40} more`) : null,
  );
}

function instructionFacts(kernel, i) {
  const {code: isa} = kernel,
    place = isa.place[i],
    facts = [];
  facts.push(["at", [hex(isa.address[i]), " · ", toSpot(place)]]);
  facts.push(["unit", units[isa.unit[i]]]);
  facts.push(["live before", registerFiles.map(([file, name]) => `${isa[file][i]} ${name}`).join(", ")]);
  const callers = kernel.around("isa", place);
  if (callers.length)
    facts.push([
      "called at",
      callers
        .slice(0, 4)
        .map(spot => [
          el(
            "button.link",
            {type: "button", onclick: () => goToSpot(spot)},
            `${index.files[fileOfSpot(spot)]}:${lineOfSpot(spot)}`,
          ),
          " ",
        ]),
    ]);
  addMeasured(facts, kernel, [i]);
  const flows = flowsOf(kernel, i),
    list = (kind, from) => flows.filter(flow => flow.kind === kind && (from ? flow.from === i : flow.to === i));
  const out = [el("div.subject", null, code(isa.text[i], isa.unit[i])), factList(facts)];
  const groups = el("div.flows");
  const passes = flow =>
    flow.passes
      ? el("small", null, flow.passes === 1 ? " of the pass before" : ` of ${flow.passes} passes before`)
      : null;
  const add = (title, kind, entries, end) => {
    if (!entries.length) return;
    groups.append(
      el(
        "section",
        null,
        el("h4", null, el("i.dot." + kind), title, el("small", null, String(entries.length))),
        el(
          "ul",
          null,
          entries
            .slice(0, 60)
            .map(flow =>
              el(
                "li",
                null,
                flow.what && el("b", null, flow.what),
                toInstruction(end(flow)),
                code(isa.text[end(flow)], isa.unit[end(flow)]),
                passes(flow),
              ),
            ),
        ),
        entries.length > 60 ? el("p.quiet", null, `and ${entries.length - 60} more`) : null,
      ),
    );
  };
  add("Its values come from", "def", list("def", false), flow => flow.from);
  add("Its result is used by", "use", list("use", true), flow => flow.to);
  add("It waits for", "wait", list("wait", true), flow => flow.to);
  add("Waited for by", "wait", list("wait", false), flow => flow.from);
  add("Jumps to", "jump", list("jump", true), flow => flow.to);
  if (isa.uses_are_cut)
    groups.append(el("p.quiet", null, "Not all arrows are known for registers that are written in very many places."));
  return [...out, groups];
}

// ------------------------------------------------------------------------------------------------ tables

/** Columns: [title, value, options]; a column without any value is left out. */
function table(columns, rows, onrow) {
  const shown = columns.filter(([, value, options]) => options?.always || rows.some(row => value(row)));
  const cell = (row, [, value, options]) => {
    const content = value(row);
    return el(
      options?.text ? "td.text" : "td",
      null,
      content === 0 ? el("span.zero", null, "0") : typeof content === "number" ? grouped(content) : (content ?? ""),
    );
  };
  return el(
    "table",
    null,
    el(
      "thead",
      null,
      el(
        "tr",
        null,
        shown.map(([title, , options]) => el(options?.text ? "th.text" : "th", {title: options?.title}, title)),
      ),
    ),
    el(
      "tbody",
      null,
      rows.map(row => {
        const made = el(
          "tr",
          {tabindex: 0},
          shown.map(column => cell(row, column)),
        );
        made.addEventListener("click", event => {
          if (!event.target.closest("button")) onrow(row, made);
        });
        made.addEventListener("keydown", event => {
          if (event.key === "Enter") {
            event.stopPropagation();
            onrow(row, made);
          }
        });
        return made;
      }),
    ),
  );
}

function drawLoops(kernel) {
  const {loops} = kernel.report;
  if (!loops.length)
    return empty(
      "No loops.",
      kernel.report.indirect_jumps
        ? "Jumps to computed addresses are not followed."
        : "The kernel runs from its first to its last instruction.",
    );
  const timed = loop => kernel.times?.loops.find(one => one.first === loop.address);
  const classes = name => loop => loop.counts.classes[name] || 0;
  const sum =
    (...names) =>
    loop =>
      names.reduce((total, name) => total + classes(name)(loop), 0);
  const memory = (unit, way) => loop => loop.counts.work[unit + "_bytes"]?.[way] || 0;
  const columns = [
    [
      "loop",
      loop => {
        const number = loops.indexOf(loop);
        const name = el(
          "span.loop",
          null,
          loopName(kernel, number),
          kernel.loop_names[number] ? el("small", null, ` loop ${number}`) : null,
          loop.hot ? el("em", {title: "the one in which the kernel most likely spends its time"}, "hot") : null,
          loop.kind === "irreducible" ? el("em", null, "irreducible") : null,
        );
        name.style.paddingLeft = (loop.depth - 1) * 14 + "px";
        return name;
      },
      {text: true, always: true},
    ],
    [
      "source",
      loop =>
        loop.source
          ? el(
              "button.link",
              {type: "button", onclick: () => goToSpot(spotOfSource(loop.source))},
              `${loop.source.file}:${loop.source.line}`,
            )
          : "",
      {text: true},
    ],
    ["instructions", classes("instructions"), {title: "with inner loops"}],
    ["own", loop => loop.own_instructions, {title: "outside of inner loops"}],
    ["matrix", sum("mfma", "wmma")],
    ["VALU", classes("valu")],
    ["SALU", classes("salu")],
    ["LDS", classes("ds")],
    ["VMEM", classes("vmem")],
    ["SMEM", classes("smem")],
    ["waits", classes("waits")],
    ["barriers", classes("barriers")],
    [
      "flop",
      loop => (loop.counts.work.matrix_flop ? brief(loop.counts.work.matrix_flop) : ""),
      {title: "of matrix instructions, one pass of a wave"},
    ],
    ["matrix per VALU", loop => loop.counts.work.matrix_per_valu?.toFixed(2) ?? ""],
    [
      "VMEM B",
      loop => memory("vmem", "read")(loop) + memory("vmem", "written")(loop),
      {title: "bytes read and written in one pass of a wave"},
    ],
    [
      "LDS B",
      loop => memory("lds", "read")(loop) + memory("lds", "written")(loop),
      {title: "bytes read and written in one pass of a wave"},
    ],
    ["live VGPR", loop => loop.live.vgprs],
    ["AGPR", loop => loop.live.agprs],
    ["SGPR", loop => loop.live.sgprs],
    ["passes", loop => timed(loop)?.iterations ?? "", {title: "of all waves, by the time model"}],
    ["cycles per pass", loop => (timed(loop) ? Math.round(timed(loop).cycles) : ""), {title: "by the time model"}],
    [
      "matrix busy",
      loop => (timed(loop) ? percent(timed(loop).matrix_share) : ""),
      {title: "share of a pass in which the matrix unit works"},
    ],
  ];
  return table(columns, loops, loop => {
    const first = kernel.code.address.indexOf(loop.address);
    if (first >= 0) select(panes.isa, first, {sync: true, show: true, keepTab: true});
  });
}
function spotOfSource(source) {
  return spotNumber(index.files.indexOf(source.file), source.line);
}

/** Source lines, those that cost most first. */
function drawHotLines(kernel) {
  const metric = metricOf(kernel),
    {code: isa} = kernel;
  const rows = [];
  for (const [spot, lines] of kernel.exact.isa)
    rows.push({spot, lines, cost: metric ? lines.reduce((sum, i) => sum + metric.of[i], 0) : lines.length});
  if (!rows.length)
    return empty("No source lines.", "The object has no line table; compile with -gline-tables-only to have one.");
  rows.sort((a, b) => b.cost - a.cost);
  const total = rows.reduce((sum, row) => sum + row.cost, 0) || 1;
  const unit = number => row => row.lines.reduce((sum, i) => sum + (isa.unit[i] === number), 0);
  const textOf = spot => (read("file-" + fileOfSpot(spot)).text ?? "").split("\n")[lineOfSpot(spot) - 1]?.trim() ?? "";
  return table(
    [
      [
        metric ? metric.name : "instructions",
        row => (metric ? brief(row.cost) : row.cost),
        {always: true, title: metric?.what},
      ],
      [
        "share",
        row => {
          const bar = el("span.share", null, el("i"), el("b", null, percent(row.cost / total)));
          bar.firstChild.style.width = (100 * row.cost) / rows[0].cost + "%";
          return bar;
        },
        {text: true},
      ],
      [
        "line",
        row =>
          el(
            "button.link",
            {type: "button", onclick: () => goToSpot(row.spot)},
            `${index.files[fileOfSpot(row.spot)]}:${lineOfSpot(row.spot)}`,
          ),
        {text: true},
      ],
      ["text", row => el("code.clip", null, textOf(row.spot)), {text: true}],
      ...kernel.metrics
        .filter(other => other !== metric)
        .map(({name, what, of}) => [name, row => row.lines.reduce((sum, i) => sum + of[i], 0), {title: what}]),
      ...(metric ? [["instructions", row => row.lines.length]] : []),
      ...units.slice(0, 7).map((name, number) => [name, unit(number)]),
      ["live VGPR", row => row.lines.reduce((most, i) => Math.max(most, isa.vgprs[i]), 0)],
    ],
    rows.slice(0, 200),
    row => goToSpot(row.spot),
  );
}

function drawFindings(kernel) {
  const {findings = [], missing_waits: missing, hazards} = kernel.report;
  if (!findings.length) return empty("No findings.", "No wait is missing, and no instruction is too close to another.");
  const line = address => kernel.code.address.indexOf(address);
  const sentence = one =>
    one.kind === "missing_wait"
      ? [
          one.effect,
          " ",
          el("b", null, one.registers),
          " while ",
          code(one.operation.text),
          " at ",
          toInstruction(line(one.operation.address)),
          ` may be in flight; ${one.counter}(${one.at_most}) is missing`,
        ]
      : [one.message, one.rule ? el("small", null, ` ${one.rule}`) : null];
  return [
    el(
      "ul.findings",
      null,
      findings.map(one =>
        el("li", null, toInstruction(line(one.address)), code(one.text), el("p", null, sentence(one))),
      ),
    ),
    missing + (hazards || 0) > findings.length
      ? el("p.quiet", null, `The first ${findings.length} of ${grouped(missing + hazards)}.`)
      : null,
  ].filter(Boolean);
}
