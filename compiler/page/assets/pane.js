// A pane: a title and lines, of which only those exist as elements that can be seen. All lines have one height, so the
// place of each is known without measuring.
const lineHeight = 18,
  spare = 10;

class Pane {
  constructor(id, title) {
    this.id = id;
    this.count = 0;
    this.rows = new Map(); // line -> element
    this.marks = {hit: new Set(), near: new Set(), match: new Set(), flow: new Map()};
    this.hovered = -1;
    this.body = el("div.lines", {role: "list"});
    this.view = el("div.view", {tabindex: 0, role: "group", "aria-label": title}, this.body);
    this.head = el("h2", null, el("span", null, title));
    this.note = el("span.note");
    this.tools = el("span.tools");
    this.head.append(this.note, this.tools);
    this.element = el("section.pane#pane-" + id, null, this.head, this.view);
    this.view.addEventListener("scroll", () => this.draw(), {passive: true});
    new ResizeObserver(() => this.draw()).observe(this.view);
    this.view.addEventListener("pointermove", event => this.point(event));
    this.view.addEventListener("pointerleave", () => hover(this, -1));
    this.view.addEventListener("click", event => {
      if (getSelection().toString()) return;
      const line = this.lineAt(event);
      if (line >= 0) select(this, line, {sync: true});
    });
    this.view.addEventListener("focus", () => {
      focused = this;
    });
  }

  /** New lines. `widest`: characters of the longest. */
  fill(count, widest) {
    this.count = count;
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.body.style.height = count * lineHeight + "px";
    this.body.style.minWidth = `calc(${Math.min(widest, 400)}ch + ${this.extraWidth || 70}px)`;
    this.view.scrollTop = 0;
    this.draw();
  }

  lineAt(event) {
    const line = Math.floor((event.clientY - this.view.getBoundingClientRect().top + this.view.scrollTop) / lineHeight);
    return line >= 0 && line < this.count ? line : -1;
  }
  point(event) {
    const line = this.lineAt(event);
    if (line !== this.hovered) hover(this, line);
  }

  draw() {
    if (!this.element.isConnected || this.element.hidden) return;
    const top = this.view.scrollTop,
      height = this.view.clientHeight;
    const first = Math.max(0, Math.floor(top / lineHeight) - spare);
    const last = Math.min(this.count, Math.ceil((top + height) / lineHeight) + spare);
    for (const [line, row] of this.rows)
      if (line < first || line >= last) {
        row.remove();
        this.rows.delete(line);
      }
    const fresh = document.createDocumentFragment();
    for (let line = first; line < last; ++line)
      if (!this.rows.has(line)) {
        const row = this.row(line);
        row.style.top = line * lineHeight + "px";
        row.dataset.line = line;
        this.mark(row, line);
        this.rows.set(line, row);
        fresh.append(row);
      }
    this.body.append(fresh);
    this.drawn?.();
  }
  /** Draws the visible lines anew. */
  redraw() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.draw();
  }

  mark(row, line) {
    const {marks} = this,
      classes = row.classList;
    classes.toggle("hit", marks.hit.has(line));
    classes.toggle("near", marks.near.has(line));
    classes.toggle("match", marks.match.has(line));
    classes.toggle("under", this.hovered === line);
    classes.toggle("selected", selected?.pane === this && selected.line === line);
    const flow = marks.flow.get(line);
    for (const kind of ["use", "def", "wait"]) classes.toggle("flow-" + kind, flow === kind);
  }
  remark() {
    for (const [line, row] of this.rows) this.mark(row, line);
    this.drawn?.();
  }

  sees(line) {
    const top = line * lineHeight - this.view.scrollTop;
    return top >= lineHeight && top <= this.view.clientHeight - 2 * lineHeight;
  }
  /** A line that something below begins to cover moves just above it. */
  uncover(line) {
    const hidden = (line + 2) * lineHeight - this.view.scrollTop - this.view.clientHeight;
    if (hidden <= 0) return;
    this.view.scrollTop += hidden;
    this.draw();
  }
  /** Brings a line into view, if it is not there, a third from the top. */
  show(line, always = false) {
    if (line < 0 || (!always && this.sees(line))) return;
    this.view.scrollTop = Math.max(0, line * lineHeight - this.view.clientHeight / 3);
    this.view.scrollLeft = 0;
    this.draw();
  }
}

/** A pane of a text: line numbers and words. */
class TextPane extends Pane {
  constructor(id, title, rule) {
    super(id, title);
    this.rule = rule;
    this.lines = [];
    this.weights = null;
  }
  setLines(lines, rule = this.rule) {
    this.lines = lines;
    this.rule = rule;
    this.quoted = rule === wordRules.fly ? quotedLines(lines) : new Set();
    this.element.classList.toggle("empty", !lines.length);
    this.fill(
      lines.length,
      lines.reduce((most, text) => Math.max(most, text.length), 0),
    );
  }
  textOf(line) {
    return this.lines[line];
  }
  row(line) {
    const row = el("div.line", {role: "listitem"}, el("span.number", null, String(line + 1)));
    if (this.weights) row.append(this.weightOf(line));
    row.append(
      el(
        "span.code",
        null,
        this.quoted.has(line) ? el("span.w-text", null, this.lines[line]) : coloured(this.lines[line], this.rule),
      ),
    );
    return row;
  }
}
