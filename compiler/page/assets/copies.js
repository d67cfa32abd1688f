// The tab of copies: a list of those that flyc knows, each with its pictures (pictures.js); else the instructions that
// access LDS.

/** The instructions that read or write LDS; those that only exchange lanes do not. */
function ldsLines(kernel) {
  const {text, unit} = kernel.code,
    lds = units.indexOf("LDS");
  const accesses = i =>
    unit[i] === lds ? !/^ds_(b?permute|swizzle|nop|gws)/.test(text[i]) : /^\w+_lds(_|\b)|\slds\b/.test(text[i]);
  return (kernel.ldsLines ??= text.map((_, i) => i).filter(accesses));
}

function copyCount(kernel) {
  return kernel.accesses?.length || ldsLines(kernel).length;
}

/** Without pictures: why, and the instructions themselves, with what was counted. */
function drawLdsLines(kernel) {
  const {code: isa, counts} = kernel,
    lines = ldsLines(kernel),
    count = plural(lines.length, "instruction accesses", "instructions access");
  const why = kernel.accesses
    ? "Pictures show tiled copies, and accesses whose bytes are known when the kernel is compiled."
    : "Copies are known for kernels that flyc compiles itself: flyc report X.fly --html FILE.";
  if (!lines.length) return empty("No LDS access.", why);
  const perAccess = i => (counts.lds_accesses[i] ? (counts.lds_cycles[i] / counts.lds_accesses[i]).toFixed(1) : "");
  return [
    empty(`${count} LDS.`, counts ? why : why + " Cycles and conflicts are counted by flyc run --profile=json."),
    table(
      [
        ["at", i => toInstruction(i), {text: true}],
        ["instruction", i => code(isa.text[i], isa.unit[i]), {text: true}],
        ["source", i => (isa.place[i] < 0 ? "" : toSpot(isa.place[i])), {text: true}],
        ...(counts
          ? [
              ["accesses", i => counts.lds_accesses[i], {title: "of waves"}],
              ["cycles", i => counts.lds_cycles[i], {title: "of LDS, with conflicts"}],
              ["conflicts", i => counts.lds_conflict_cycles[i], {title: "cycles beyond one per phase", always: true}],
              ["cycles per access", perAccess],
            ]
          : []),
      ],
      lines.slice(0, 200),
      i => select(panes.isa, i, {sync: true, show: true, keepTab: true}),
    ),
    lines.length > 200 ? el("p.quiet", null, `and ${grouped(lines.length - 200)} more`) : null,
  ].filter(Boolean);
}

let chosenCopy = -1; // -1: the one with the most conflicts, else the first of LDS
function drawCopies(kernel) {
  const {accesses} = kernel;
  if (!accesses?.length) return drawLdsLines(kernel);
  if (chosenCopy < 0) {
    const worth = access => (access.lds ? 1 + access.lds.cycles - access.lds.ideal : 0);
    chosenCopy = accesses.reduce((best, access, number) => (worth(access) > worth(accesses[best]) ? number : best), 0);
  }
  const list = el("div.copies", {role: "listbox", tabindex: 0, "aria-label": "copies"});
  const stage = el("div.stage");
  const choose = number => {
    chosenCopy = number;
    [...list.children].forEach((child, i) => child.setAttribute("aria-selected", String(i === number)));
    stage.replaceChildren(...copyPictures(kernel, accesses[number]));
  };
  accesses.forEach((access, number) => {
    const conflicts = access.lds ? access.lds.cycles - access.lds.ideal : 0;
    const [file, line] = kernel.places[access.place] ?? [];
    list.append(
      el(
        "div.copy",
        {role: "option", onclick: () => choose(number)},
        el("span.place", null, file === undefined ? "" : `${index.files[file].split("/").pop()}:${line}`),
        el("code", null, access.tensor.replaceAll("`", "")),
        el("span.quiet", null, `${access.direction} ${access.bits} b, ${access.memory === "lds" ? "LDS" : "global"}`),
        access.lds
          ? el(
              "em" + (conflicts ? ".bad" : ".good"),
              null,
              conflicts ? `${access.lds.cycles} cycles for ${access.lds.ideal}` : "no conflicts",
            )
          : null,
      ),
    );
  });
  list.addEventListener("keydown", event => {
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    choose(Math.max(0, Math.min(accesses.length - 1, chosenCopy + by)));
  });
  choose(chosenCopy);
  return el("div.two", null, list, stage);
}

function copyPictures(kernel, access) {
  const pictures = [],
    all = [];
  const onpoint = thread => {
    for (const picture of all) picture.mark(thread ?? -1);
  };
  const head = el(
    "p.subject",
    null,
    code(access.tensor.replaceAll("`", "")),
    el(
      "span",
      null,
      `${access.direction === "read" ? "reads" : "writes"} ${access.bits} bits per lane${access.element ? " of " + access.element : ""}`,
    ),
    access.atom ? code(access.atom) : null,
    toSpot(access.place),
  );
  if (access.lds) {
    const {lds} = access,
      conflicts = lds.cycles - lds.ideal,
      picture = bankPicture(access, onpoint);
    all.push(picture);
    pictures.push(
      el(
        "figure",
        null,
        el(
          "figcaption",
          null,
          el("b", null, "LDS banks"),
          el(
            "span",
            null,
            `one access of a wave: ${plural(lds.cycles, "cycle")}` +
              (conflicts ? `, ${lds.ideal} without conflicts` : ", no conflicts") +
              `; ${plural(lds.phases.length, "phase")} on ${lds.banks} banks` +
              (lds.measured ? "" : ", by the general rule"),
          ),
          el("span.quiet", null, "columns are banks, numbers are lanes; underlined: a bank serves a second dword"),
        ),
        picture.canvas,
      ),
    );
  }
  if (access.tile) {
    const picture = tilePicture(access, onpoint);
    all.push(picture);
    pictures.push(
      el(
        "figure",
        null,
        el(
          "figcaption",
          null,
          el("b", null, "Tile by threads"),
          el("span", null, code(access.tv)),
          el("span.quiet", null, [`numbers are threads, of the ${access.side}`, ...access.tile.remarks].join("; ")),
        ),
        picture.canvas,
      ),
    );
  }
  currentPictures = all;
  return [head, el("div.figures", null, pictures)];
}
let currentPictures = [];
themeListeners.push(() => currentPictures.forEach(picture => picture.draw()));
