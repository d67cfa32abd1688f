// Arrows beside the instructions: from a value to its uses, from a wait to what it covers, from a jump to its target.
// They belong to one instruction, the selected one or, if none is, the one under the pointer. Ends out of view share one
// arrow to the edge, with their number.
const mostArrows = 60;

/** [{from, to, kind, what}]: kind is use (a value and where it is used), def (where a value comes from), wait, jump. */
function flowsOf(kernel, line) {
  const {code} = kernel,
    flows = [];
  for (const [definition, use, unit, count] of code.values.of(0, line))
    flows.push({from: definition, to: use, kind: "use", what: registerName(unit, count)});
  for (const [definition, use, unit, count] of code.values.of(1, line))
    if (definition !== line) flows.push({from: definition, to: use, kind: "def", what: registerName(unit, count)});
  for (const key of [0, 1])
    for (const [wait, operation, counter, passes] of code.waits.of(key, line))
      flows.push({from: wait, to: operation, kind: "wait", what: code.counters[counter], passes});
  if (code.target[line] >= 0) flows.push({from: line, to: code.target[line], kind: "jump", what: ""});
  return flows;
}
const otherEnd = (flow, line) => (flow.from === line ? flow.to : flow.from);

function drawArrows(pane) {
  const {arrows, view, kernel} = pane;
  if (!kernel) return;
  const line = selected?.pane === pane ? selected.line : pane.hovered;
  const top = view.scrollTop,
    height = view.clientHeight;
  arrows.style.top = top + "px";
  arrows.setAttribute("height", height);
  arrows.replaceChildren();
  const lane = pane.body.querySelector(".lane");
  if (line < 0 || line >= pane.count || !lane) return;
  const width = lane.offsetWidth;
  arrows.style.left = lane.offsetLeft + "px";
  arrows.setAttribute("width", width);
  const middle = at => at * lineHeight - top + lineHeight / 2,
    home = middle(line);
  const inView = y => y > -lineHeight && y < height + lineHeight;
  const ends = new Map(); // one arrow to each end that can be seen, one to all others above, and below
  for (const flow of flowsOf(kernel, line)) {
    const end = middle(otherEnd(flow, line)),
      key = flow.kind + (flow.to === line ? "<" : ">") + (inView(end) ? end : end < home ? "above" : "below");
    if (!ends.has(key))
      ends.set(key, {flow, y: inView(end) ? end : end < home ? -1 : height + 1, count: 0, isFar: !inView(end)});
    ++ends.get(key).count;
  }
  const near = [...ends.values()].sort((a, b) => Math.abs(a.y - home) - Math.abs(b.y - home)).slice(0, mostArrows);
  const lanes = Math.max(4, Math.min(near.length, 9)),
    right = width - 3;
  near.forEach(({flow, y, count, isFar}, number) => {
    const x = right - 6 - (((number % lanes) + 0.6) * (right - 8)) / lanes;
    const isBack = flow.to === line && flow.from !== line; // the arrow points at the instruction itself
    const bend = Math.min(6, Math.abs(y - home) / 2) * Math.sign(y - home || 1);
    let path,
      tip = isBack ? home : y;
    if (flow.from === flow.to) {
      path = `M${right} ${home - 3}C${x} ${home - 12} ${x} ${home + 12} ${right} ${home + 3}`;
      tip = home + 3;
    } else
      path = `M${right} ${home}H${x + 6}Q${x} ${home} ${x} ${home + bend}V${isFar ? y : y - bend + `Q${x} ${y} ${x + 6} ${y}H${right - 3}`}`;
    arrows.append(svg("path", {class: "arrow " + flow.kind, d: path}));
    if (isFar) {
      const edge = y < home ? 12 : height - 4;
      if (count > 1) arrows.append(svg("text", {class: "far", x: x - 3, y: edge, "text-anchor": "end"}, String(count)));
    }
    if (!isFar || isBack) arrows.append(svg("path", {class: "head " + flow.kind, d: `M${right} ${tip}l-5 -3.2v6.4z`}));
    else
      arrows.append(
        svg("path", {class: "head " + flow.kind, d: y < home ? `M${x} 0l-3.2 5h6.4z` : `M${x} ${height}l-3.2 -5h6.4z`}),
      );
  });
}

/** The instructions at the other ends, for their tint. */
function flowMarks(kernel, line) {
  const out = new Map();
  for (const flow of flowsOf(kernel, line)) {
    const end = otherEnd(flow, line);
    if (end !== line && flow.kind !== "jump" && !out.has(end)) out.set(end, flow.kind);
  }
  return out;
}
