// The strip beside the machine code: all of the kernel, as live registers, with loops, marks, and the part in view.
class Pressure {
  constructor(pane) {
    this.pane = pane;
    this.ground = el("canvas");
    this.marks = el("canvas");
    this.element = el(
      "div.pressure",
      {title: "live registers over the whole kernel; click or drag to go there"},
      this.ground,
      this.marks,
    );
    new ResizeObserver(() => this.draw()).observe(this.element);
    const go = event => {
      const box = this.element.getBoundingClientRect(),
        {view} = pane;
      const line = ((event.clientY - box.top) / box.height) * pane.count;
      view.scrollTop = line * lineHeight - view.clientHeight / 2;
    };
    this.element.addEventListener("pointerdown", event => {
      this.element.setPointerCapture(event.pointerId);
      go(event);
    });
    this.element.addEventListener("pointermove", event => {
      if (event.buttons) go(event);
    });
    themeListeners.push(() => this.draw());
  }
  setKernel(kernel) {
    this.kernel = kernel;
    this.draw();
  }

  canvas(which) {
    const scale = devicePixelRatio || 1,
      {clientWidth: width, clientHeight: height} = this.element;
    if (which.width !== Math.round(width * scale) || which.height !== Math.round(height * scale)) {
      which.width = Math.round(width * scale);
      which.height = Math.round(height * scale);
    }
    const context = which.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return {context, width, height};
  }

  draw() {
    if (!this.kernel || !this.element.clientHeight) return;
    const {context, width, height} = this.canvas(this.ground),
      {pane, kernel} = this,
      {code} = kernel;
    const style = getComputedStyle(document.documentElement),
      colour = name => style.getPropertyValue(name).trim();
    const left = 9,
      room = width - left - 3,
      rows = Math.max(1, Math.floor(height));
    // Loops: a bar each, inner ones to the right.
    kernel.report.loops.forEach((loop, number) => {
      let first = -1,
        last = -1;
      for (const [from, to] of this.spans(number)) {
        if (first < 0) first = from;
        last = to;
      }
      if (first < 0) return;
      context.fillStyle = colour(loop.hot ? "--unit-0" : "--soft");
      context.globalAlpha = loop.hot ? 1 : 0.55;
      context.fillRect(
        1 + Math.min(loop.depth - 1, 3) * 2,
        (first / code.count) * height,
        1.5,
        Math.max(2, ((last - first) / code.count) * height),
      );
      context.globalAlpha = 1;
    });
    for (const [file] of [...pane.files].reverse()) {
      context.fillStyle = colour("--" + file);
      context.globalAlpha = file === "vgprs" ? 0.75 : 0.5;
      for (let y = 0; y < rows; ++y) {
        const from = Math.floor((y / rows) * code.count),
          to = Math.max(from + 1, Math.floor(((y + 1) / rows) * code.count));
        let most = 0;
        for (let i = from; i < to && i < code.count; ++i) most = Math.max(most, code[file][i]);
        const length = (most / pane.limits[file]) * room;
        if (file === "sgprs") context.fillRect(left + length - 1, y, 1.5, 1);
        else context.fillRect(left, y, length, 1);
      }
    }
    context.globalAlpha = 1;
    this.drawMarks();
  }

  /** First and last instruction of a loop, with inner ones. */
  spans(number) {
    const {code, report} = this.kernel;
    if (!this.kernel.loopSpans) {
      const spans = (this.kernel.loopSpans = report.loops.map(() => [Infinity, -1]));
      code.loop.forEach((loop, i) => {
        for (let at = loop; at >= 0; at = report.loops[at].parent ?? -1)
          spans[at] = [Math.min(spans[at][0], i), Math.max(spans[at][1], i + 1)];
      });
    }
    const span = this.kernel.loopSpans[number];
    return span[1] < 0 ? [] : [span];
  }

  drawMarks() {
    if (!this.kernel || !this.element.clientHeight) return;
    const {context, width, height} = this.canvas(this.marks),
      {pane} = this;
    const style = getComputedStyle(document.documentElement),
      colour = name => style.getPropertyValue(name).trim();
    const y = line => (line / pane.count) * height;
    const each = (lines, name, from, to, thickest = Infinity) => {
      context.fillStyle = colour(name);
      const room = height / pane.count,
        thick = Math.min(thickest, Math.max(1.5, room));
      let drawn = -1; // several lines of a pixel are one mark
      for (const line of lines) {
        const pixel = Math.floor(y(line));
        if (pixel !== drawn || height > pane.count)
          context.fillRect(from, y(line) + Math.max(0, room - thick) / 2, to - from, thick);
        drawn = pixel;
      }
    };
    each(pane.marks.near, "--near-mark", width - 7, width);
    each(pane.marks.hit, "--hit-mark", width - 10, width);
    each(pane.marks.match, "--mark", width - 14, width);
    each(pane.marks.flow.keys(), "--flow", width - 10, width);
    if (selected?.pane === pane) each([selected.line], "--ink", 0, width, 2); // the bars stay visible
    const {view} = pane,
      whole = pane.count * lineHeight;
    if (whole > view.clientHeight) {
      const from = (view.scrollTop / whole) * height,
        size = Math.max(6, (view.clientHeight / whole) * height);
      context.fillStyle = colour("--view");
      context.globalAlpha = 0.09;
      context.fillRect(0, from, width, size);
      context.globalAlpha = 0.5;
      context.strokeStyle = colour("--view");
      context.strokeRect(0.5, from + 0.5, width - 1, size - 1);
      context.globalAlpha = 1;
    }
  }
}
