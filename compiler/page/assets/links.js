// Which lines belong together. A spot is a line of a file. A line of machine code or IR has one place: a spot, a column,
// and the places of the calls around it.
//
//   hit     the same spot, or, if some line there has the same column, that column
//   near    the same spot in another column; or, from a source line, what is in functions that it calls
const spotNumber = (file, line) => file * 4194304 + line;
const fileOfSpot = spot => Math.floor(spot / 4194304);
const lineOfSpot = spot => spot % 4194304;
const placeText = place => {
  const [file, line] = place;
  return `${index.files[file]}:${line}`;
};

function linkPlaces(kernel) {
  const {places} = kernel;
  kernel.spotOf = place => (place < 0 ? -1 : spotNumber(places[place][0], places[place][1]));
  kernel.callersOf = place => {
    const out = [];
    for (let at = place < 0 ? -1 : places[place][3]; at >= 0; at = places[at][3])
      out.push(spotNumber(places[at][0], places[at][1]));
    return out;
  };
  // Machine code does not say who called; IR of the same place does.
  const calls = new Map(),
    keyOf = place => places[place].slice(0, 3).join();
  for (const name of ["llvm", "fly"])
    for (const place of new Set(kernel[name] ? kernel[name].place : []))
      if (place >= 0) {
        const key = keyOf(place);
        if (!calls.has(key)) calls.set(key, new Set());
        for (const spot of kernel.callersOf(place)) calls.get(key).add(spot);
      }
  kernel.around = (pane, place) => {
    if (place < 0) return [];
    return pane === "isa" ? [...(calls.get(keyOf(place)) || [])] : kernel.callersOf(place);
  };
  // spot -> lines, for each pane that has places
  ((kernel.exact = {}), (kernel.within = {}));
  for (const [pane, list] of [
    ["isa", kernel.code.place],
    ["fly", kernel.fly?.place],
    ["llvm", kernel.llvm?.place],
  ]) {
    const exact = (kernel.exact[pane] = new Map()),
      within = (kernel.within[pane] = new Map());
    const add = (map, spot, line) => (map.has(spot) ? map.get(spot).push(line) : map.set(spot, [line]));
    (list || []).forEach((place, line) => {
      if (place < 0) return;
      const spot = kernel.spotOf(place);
      add(exact, spot, line);
      for (const call of new Set(kernel.around(pane, place))) if (call !== spot) add(within, call, line);
    });
  }
  kernel.filesSeen = [...new Set(places.map(place => place[0]))].sort((a, b) => a - b);
}

const noLinks = () => ({
  source: {hit: new Set(), near: new Set()},
  fly: {hit: new Set(), near: new Set()},
  llvm: {hit: new Set(), near: new Set()},
  isa: {hit: new Set(), near: new Set()},
});

/** The lines that belong to a line of a pane; those of the source as spots. */
function linksOf(kernel, pane, line, sourceFile) {
  const out = noLinks();
  const place = pane === "source" ? -1 : placeOfLine(kernel, pane, line);
  const spot = pane === "source" ? spotNumber(sourceFile, line + 1) : kernel.spotOf(place);
  if (spot < 0) return out;
  out.source.hit.add(spot);
  if (pane !== "source") for (const call of kernel.around(pane, place)) out.source.near.add(call);
  const column = pane === "source" ? 0 : kernel.places[place][2];
  for (const other of ["fly", "llvm", "isa"]) {
    const lines = kernel.exact[other].get(spot) || [];
    const same = column ? lines.filter(at => kernel.places[placeOfLine(kernel, other, at)][2] === column) : [];
    const hits = new Set(same.length ? same : lines);
    out[other].hit = hits;
    for (const at of lines) if (!hits.has(at)) out[other].near.add(at);
    if (pane === "source")
      for (const at of kernel.within[other].get(spot) || []) if (!hits.has(at)) out[other].near.add(at);
  }
  return out;
}
function placeOfLine(kernel, pane, line) {
  const list = pane === "isa" ? kernel.code.place : kernel[pane]?.place;
  return list?.[line] ?? -1;
}
