// Pictures of an access: who holds what of a copy's tile, and which bank of LDS serves which lane in which cycle. Both are
// canvases; pointing at a lane in one shows it in the other.
const cellFont = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/** A colour for a thread: hues that differ from neighbour to neighbour, pale enough for text. */
function threadColour(thread, isDark) {
  const hue = (thread * 47 + Math.floor(thread / 16) * 20) % 360;
  return isDark ? `hsl(${hue} 32% 27%)` : `hsl(${hue} 62% 86%)`;
}

class GridPicture {
  /** `cells`: rows of {text, thread, bad, title}; null where nothing is. */
  constructor({rows, rowLabels = [], columnLabels = [], cellWidth, cellHeight = 17, gaps = new Set(), onpoint}) {
    Object.assign(this, {rows, rowLabels, columnLabels, cellWidth, cellHeight, gaps, onpoint});
    this.left = Math.max(0, ...rowLabels.map(label => label.length)) * 6.1 + (rowLabels.length ? 8 : 0);
    this.top = columnLabels.length ? 16 : 0;
    this.tops = [];
    let y = this.top;
    rows.forEach((_, row) => {
      if (gaps.has(row)) y += 5;
      this.tops.push(y);
      y += cellHeight;
    });
    this.width = Math.ceil(this.left + Math.max(0, ...rows.map(row => row.length)) * cellWidth + 1);
    this.height = y + 1;
    this.canvas = el("canvas.grid");
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = this.height + "px";
    this.canvas.addEventListener("pointermove", event => this.point(event));
    this.canvas.addEventListener("pointerleave", () => {
      onpoint(null);
      showTip();
    });
    this.marked = -1;
    this.draw();
  }
  at(event) {
    const box = this.canvas.getBoundingClientRect(),
      x = event.clientX - box.left,
      y = event.clientY - box.top;
    const row = this.tops.findIndex(top => y >= top && y < top + this.cellHeight),
      column = Math.floor((x - this.left) / this.cellWidth);
    return row < 0 ? null : this.rows[row][column] || null;
  }
  point(event) {
    const cell = this.at(event);
    this.onpoint(cell ? cell.thread : null);
    showTip(cell?.title, event);
  }
  mark(thread) {
    if (thread === this.marked) return;
    this.marked = thread;
    this.draw();
  }
  draw() {
    const scale = devicePixelRatio || 1,
      context = this.canvas.getContext("2d"),
      dark = isDark();
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const style = getComputedStyle(document.documentElement),
      colour = name => style.getPropertyValue(name).trim();
    context.font = (this.cellWidth < 22 ? "9px " : "10px ") + cellFont;
    context.textBaseline = "middle";
    context.fillStyle = colour("--soft");
    context.textAlign = "right";
    this.rowLabels.forEach((label, row) =>
      context.fillText(label, this.left - 6, this.tops[row] + this.cellHeight / 2),
    );
    context.textAlign = "center";
    const every = Math.ceil(22 / this.cellWidth);
    this.columnLabels.forEach((label, column) => {
      if (column % every === 0) context.fillText(label, this.left + (column + 0.5) * this.cellWidth, 7);
    });
    const ink = colour("--ink"),
      line = colour("--paper"),
      empty = colour("--panel"),
      bad = colour("--bad");
    this.rows.forEach((row, r) =>
      row.forEach((cell, c) => {
        const x = this.left + c * this.cellWidth,
          y = this.tops[r];
        context.fillStyle = cell ? threadColour(cell.thread, dark) : empty;
        context.fillRect(x, y, this.cellWidth - 1, this.cellHeight - 1);
        if (cell?.bad) {
          context.fillStyle = bad;
          context.fillRect(x, y + this.cellHeight - 3, this.cellWidth - 1, 2);
        }
        if (cell && cell.text) {
          context.fillStyle = ink;
          context.fillText(cell.text, x + (this.cellWidth - 1) / 2, y + this.cellHeight / 2 + 0.5);
        }
      }),
    );
    if (this.marked < 0) return;
    context.strokeStyle = colour("--mark");
    context.lineWidth = 2;
    this.rows.forEach((row, r) =>
      row.forEach((cell, c) => {
        if (cell && cell.thread === this.marked)
          context.strokeRect(this.left + c * this.cellWidth, this.tops[r], this.cellWidth - 1, this.cellHeight - 1);
      }),
    );
  }
}

/** Which dwords each bank serves, cycle by cycle, in each phase: rows of the picture. */
function bankRows(access) {
  const {banks, phases} = access.lds,
    size = Math.max(1, access.bits / 8);
  const rows = [],
    labels = [],
    gaps = new Set();
  phases.forEach((lanes, phase) => {
    const served = Array.from({length: banks}, () => new Map()); // bank -> dword -> lanes
    for (const lane of lanes) {
      const address = access.lanes[lane];
      if (address === null || address === undefined) continue;
      for (let dword = Math.floor(address / 4); dword <= Math.floor((address + size - 1) / 4); ++dword) {
        const of = served[((dword % banks) + banks) % banks];
        if (!of.has(dword)) of.set(dword, []);
        of.get(dword).push(lane);
      }
    }
    const cycles = Math.max(0, ...served.map(of => of.size));
    if (!cycles) return;
    if (rows.length) gaps.add(rows.length);
    const shown = Math.min(cycles, 16);
    for (let cycle = 0; cycle < shown; ++cycle) {
      labels.push(cycle ? (cycle === 15 && cycles > 16 ? `+${cycles - 15}` : "") : "phase " + phase);
      rows.push(
        served.map((of, bank) => {
          const entry = [...of][cycle];
          if (!entry) return null;
          const [dword, by] = entry;
          return {
            text: String(by[0]) + (by.length > 1 ? "+" : ""),
            thread: by[0],
            bad: cycle > 0,
            title: `bank ${bank}, byte ${dword * 4}: ${by.length > 1 ? "lanes" : "lane"} ${by.join(", ")}${cycle ? `; cycle ${cycle + 1} of this phase` : ""}`,
          };
        }),
      );
    }
  });
  return {rows, labels, gaps};
}

function bankPicture(access, onpoint) {
  const {rows, labels, gaps} = bankRows(access);
  const columns = Array.from({length: access.lds.banks}, (_, bank) => String(bank));
  return new GridPicture({
    rows,
    rowLabels: labels,
    columnLabels: columns,
    cellWidth: access.lds.banks > 32 ? 18 : 24,
    gaps,
    onpoint,
  });
}
function tilePicture(access, onpoint) {
  const {tile} = access,
    columns = tile.columns.length;
  const rows = tile.rows.map((_, row) =>
    tile.columns.map((_, column) => {
      const holders = tile.cells[row * columns + column];
      if (!holders || !holders.length) return null;
      const all = [];
      for (let i = 0; i < holders.length; i += 2) all.push(`thread ${holders[i]}, value ${holders[i + 1]}`);
      return {
        text: String(holders[0]) + (all.length > 1 ? "+" : ""),
        thread: holders[0],
        title: `(${tile.rows[row]}, ${tile.columns[column]}): ${all.slice(0, 8).join("; ")}`,
      };
    }),
  );
  return new GridPicture({rows, rowLabels: tile.rows, columnLabels: tile.columns, cellWidth: 26, onpoint});
}
