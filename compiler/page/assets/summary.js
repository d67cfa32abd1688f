// The bar and the figures above the panes.
function drawTitle() {
  const many = index.kernels.length > 1;
  document.title = index.title;
  const kernel = state.kernel,
    {report} = kernel;
  const name = report.demangled || report.name;
  let title;
  if (many) {
    title = el("select#kernel", {"aria-label": "kernel", onchange: event => openKernel(Number(event.target.value))});
    const groups = new Map();
    index.kernels.forEach((entry, number) => {
      const key = `${entry.object}  ·  ${entry.architecture}${entry.kind === "function" ? "  ·  functions" : ""}`;
      if (!groups.has(key)) groups.set(key, el("optgroup", {label: key}));
      groups
        .get(key)
        .append(el("option", {value: number, selected: number === state.number}, entry.demangled || entry.name));
    });
    title.append(...groups.values());
    title.value = state.number;
  } else title = el("h1", {title: name}, name);
  const launch =
    kernel.kind === "function"
      ? "device function"
      : `workgroups of at most ${report.resources.max_workgroup_size}, waves of ${report.resources.wave_size}`;
  $("title").replaceChildren(
    title,
    el(
      "p",
      null,
      el("b", null, kernel.architecture),
      el("span", {title: kernel.object}, shortPath(kernel.object)),
      el("span", null, launch),
      many ? el("span", null, `${state.number + 1} of ${index.kernels.length}`) : null,
    ),
  );
}
function shortPath(path) {
  const parts = path.split("/");
  return parts.length > 3 ? "…/" + parts.slice(-2).join("/") : path;
}

function card(name, value, ...more) {
  return el("div.card", null, el("h3", null, name), value && el("p.value", null, value), ...more);
}
function gauge(label, value, limit, kind, live, note) {
  const track = el("span.track");
  const used = el("i." + kind),
    mark = el("u." + kind);
  used.style.width = 100 * Math.min(1, value / Math.max(1, limit)) + "%";
  mark.style.width = 100 * Math.min(1, live / Math.max(1, limit)) + "%";
  track.append(used, mark);
  return el("div.gauge", {title: note}, el("span", null, label), track, el("b", null, `${live} / ${value}`));
}

function drawCards() {
  const {kernel} = state,
    {report, code} = kernel,
    cards = [];
  if (report.occupancy) {
    const o = report.occupancy,
      slots = Math.max(o.wave_slots, o.waves);
    const pips = el("span.pips", {"aria-hidden": "true"});
    for (let i = 0; i < slots; ++i) pips.append(el(i < o.waves ? "i.on" : o.next && i < o.next.waves ? "i.next" : "i"));
    cards.push(
      card(
        "Occupancy",
        [`${o.waves} of ${slots}`, el("small", null, " waves per SIMD")],
        pips,
        el("p", null, limitText(o)),
        o.next ? el("p.hint", null, nextText(o.next)) : null,
      ),
    );
  }
  if (report.use) {
    const {use, live} = report,
      rows = [];
    for (const [file, name] of registerFiles)
      if (file === "vgprs" || use[file].used || live[file].most)
        rows.push(
          gauge(
            name,
            use[file].used,
            Math.max(use[file].allocated, use[file].used),
            file,
            live[file].most,
            `${name}: at most ${live[file].most} live, ${use[file].used} used, ${use[file].allocated} allocated`,
          ),
        );
    cards.push(card("Registers", null, rows, el("p.quiet", null, "most live / used; bars: of those allocated")));
  } else {
    cards.push(
      card(
        "Registers",
        null,
        el(
          "p",
          null,
          registerFiles.map(([file, name]) => `${report.live[file].most} ${name}`).join(", ") + " live at most",
        ),
      ),
    );
  }
  if (report.resources) {
    const r = report.resources,
      spills = r.vgpr_spills + r.sgpr_spills;
    cards.push(
      card(
        "Memory",
        [bytes(r.lds_bytes), el("small", null, " LDS")],
        el(
          "p" + (r.scratch_bytes || r.dynamic_stack ? ".bad" : ""),
          null,
          r.scratch_bytes || r.dynamic_stack
            ? `${r.dynamic_stack ? "at least " : ""}${bytes(r.scratch_bytes)} of scratch per lane`
            : "no scratch",
        ),
        el(
          "p" + (spills ? ".bad" : ""),
          null,
          spills
            ? [r.vgpr_spills && plural(r.vgpr_spills, "VGPR"), r.sgpr_spills && plural(r.sgpr_spills, "SGPR")]
                .filter(Boolean)
                .join(" and ") + " spilled"
            : "no spills",
        ),
      ),
    );
  }
  cards.push(mixCard(code, report));
  if (kernel.times) {
    const t = kernel.times;
    cards.push(
      card(
        "Time model",
        [grouped(t.cycles), el("small", null, " cycles")],
        el("p", null, `${t.machine}; bound by ${t.bound}`),
        el("p.quiet", null, t.uncertainty === null ? "not validated for this machine" : `± ${percent(t.uncertainty)}`),
      ),
    );
  }
  if (kernel.counts) {
    const c = kernel.counts,
      total = c.executions.reduce((a, b) => a + b, 0);
    const lanes = c.lds_cycles.reduce((a, b) => a + b, 0),
      conflicts = c.lds_conflict_cycles.reduce((a, b) => a + b, 0);
    cards.push(
      card(
        "Executed",
        [brief(total), el("small", null, " instructions")],
        el("p", null, `${plural(c.waves, "wave")}, ${plural(c.workgroups, "workgroup")}`),
        el(
          "p" + (conflicts ? ".bad" : ".quiet"),
          null,
          conflicts
            ? `${percent(conflicts / lanes)} of LDS cycles are conflicts`
            : lanes
              ? "no LDS conflicts"
              : "no LDS access",
        ),
      ),
    );
  }
  const findings = report.missing_waits + (report.hazards || 0);
  if (findings)
    cards.push(
      el(
        "button.card.alarm",
        {type: "button", onclick: () => showTab("findings")},
        el("h3", null, "Findings"),
        el("p.value", null, grouped(findings)),
        el(
          "p",
          null,
          [
            report.missing_waits ? plural(report.missing_waits, "missing wait") : "",
            report.hazards ? plural(report.hazards, "hazard") : "",
          ]
            .filter(Boolean)
            .join(", "),
        ),
      ),
    );
  $("cards").replaceChildren(...cards);
}

const limitNames = {
  vector_registers: "vector registers",
  sgprs: "SGPRs",
  lds_bytes: "LDS",
  workgroup_size: "the workgroup's size",
  wave_slots: "the SIMD's wave slots",
};
function limitText(occupancy) {
  if (occupancy.waves === 0) return "it cannot be launched";
  return occupancy.limited_by.includes("wave_slots")
    ? "full: all wave slots"
    : "limited by " + occupancy.limited_by.map(name => limitNames[name] || name).join(" and ");
}
function nextText(next) {
  const needs = next.needs.map(({resource, free}) =>
    resource === "lds_bytes"
      ? `${grouped(free)} B of LDS`
      : `${grouped(free)} ${resource === "sgprs" ? "SGPR" : "vector register"}${free === 1 ? "" : "s"}`,
  );
  return `${needs.join(" and ")} fewer ${next.needs.length === 1 && next.needs[0].free === 1 ? "gives" : "give"} ${plural(next.waves, "wave")}`;
}

/** The instructions by unit, as one bar; with the few most frequent in words. */
function mixCard(code, report) {
  const counts = new Array(units.length).fill(0);
  for (const unit of code.unit) ++counts[unit];
  const bar = el("span.mix"),
    order = counts.map((count, unit) => [count, unit]).filter(([count]) => count);
  for (const [count, unit] of order) {
    const part = el("i.u" + unit, {title: `${grouped(count)} ${units[unit]}`});
    part.style.flexGrow = count;
    bar.append(part);
  }
  const loops = report.loops.length ? `${plural(report.loops.length, "loop")}` : "no loops";
  const most = [...order].sort((a, b) => b[0] - a[0]).slice(0, 5);
  return card(
    "Instructions",
    [grouped(code.count), el("small", null, ` ${loops}`)],
    bar,
    el(
      "p.legend",
      null,
      most.map(([count, unit]) => el("span", null, el("i.u" + unit), `${units[unit]} ${grouped(count)}`)),
    ),
  );
}
