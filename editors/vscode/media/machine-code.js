// @ts-check
// The list of instructions. From the extension: {code}, the answer to `fly/isa`; {cursor}, the place of the cursor.
// To it: the place of an instruction that was clicked.
(() => {
  const vscode = acquireVsCodeApi();
  const listing = document.getElementById('listing');
  const select = document.getElementById('kernel');
  const summary = document.getElementById('summary');
  let kernels = [], chosen = '', cursor = {line: -1, uri: ''};

  const nameOf = kernel => `${kernel.instance}, ${kernel.arch}`;
  const span = (name, text) => {
    const element = document.createElement('span');
    element.className = name;
    element.textContent = text;
    return element;
  };
  /** hit: the instruction is of the cursor's line; near: of a function that is called there. */
  const relation = (instruction, {line, uri}) =>
    instruction.line === line && (instruction.uri ?? '') === uri ? 'hit' :
    !uri && instruction.calls?.includes(line) ? 'near' : '';
  const shown = () => kernels.find(kernel => nameOf(kernel) === chosen);

  function draw() {
    const kernel = shown();
    select.replaceChildren(...kernels.map(each => new Option(nameOf(each), nameOf(each), false, nameOf(each) === chosen)));
    select.hidden = kernels.length === 0;
    summary.textContent = !kernel ? 'No machine code: the file is being compiled, or has errors, or no kernel.' :
      kernel.problem ? `not compiled: ${kernel.problem}` :
      kernel.summary + (kernel.isCurrent ? '' : ' (before the last change)');
    document.body.classList.toggle('stale', kernel !== undefined && !kernel.isCurrent);
    listing.replaceChildren(...(kernel?.instructions ?? []).map(instruction => {
      const [, name, rest] = /^(\S*)(.*)$/.exec(instruction.text) ?? ['', '', instruction.text];
      const text = span('text', '');
      text.append(span('name', name), rest);
      const file = instruction.uri ? instruction.uri.replace(/^.*\//, '') + ':' : '';
      const place = span('place', instruction.line === undefined ? '' : file + (instruction.line + 1));
      const row = document.createElement('li');
      row.append(span('address', instruction.address.toString(16)), text, place);
      row.addEventListener('click', event => {
        if (instruction.line === undefined)
          return;
        // The line of the document; its own place if that is in another file, where the place was clicked.
        if (instruction.uri && (event.target === place || !instruction.calls))
          vscode.postMessage({uri: instruction.uri, line: instruction.line});
        else
          vscode.postMessage({line: instruction.calls?.[0] ?? instruction.line});
      });
      return row;
    }));
  }

  /** Marks the instructions of the cursor, in the kernel that the cursor is in. */
  function mark() {
    if (!cursor.uri) {
      const inside = kernels.filter(({range}) => range && range.start.line <= cursor.line && cursor.line <= range.end.line);
      if (inside.length > 0 && !inside.some(kernel => nameOf(kernel) === chosen)) {
        chosen = nameOf(inside[0]);
        draw();
      }
    }
    const rows = [...listing.children];
    const found = (shown()?.instructions ?? []).map(instruction => relation(instruction, cursor));
    rows.forEach((row, index) => row.className = found[index]);
    const wanted = rows.filter(row => row.className);
    const inView = row => {
      const {top, bottom} = row.getBoundingClientRect();
      return top >= 40 && bottom <= innerHeight;
    };
    if (wanted.length > 0 && !wanted.some(inView))
      (wanted.find(row => row.className === 'hit') ?? wanted[0]).scrollIntoView({block: 'center'});
  }

  select.addEventListener('change', () => {
    chosen = select.value;
    draw();
    mark();
  });
  addEventListener('message', ({data}) => {
    if (data.code) {
      kernels = data.code.kernels;
      if (!shown())
        chosen = kernels.length > 0 ? nameOf(kernels[0]) : '';
      draw();
    }
    if (data.cursor)
      cursor = data.cursor;
    mark();
  });
  draw();
})();
