// Colours of words. A line is split when it becomes visible, so the rules are simple and see one line only.
const wordRules = {
  fly: /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(def|return|for|in|if|elif|else|while|with|as|import|from|and|or|not|pass|break|continue|assert|lambda|is|None|True|False|class)\b|(@\w+)|\b(\d[\w.]*)\b/g,
  c: /(\/\/.*$|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|extern|float|for|if|inline|int|long|namespace|return|short|signed|sizeof|static|struct|switch|template|typedef|typename|union|unsigned|using|void|volatile|while|__global__|__device__|__shared__|half|_Float16)\b|(#\s*\w+|__\w+)|\b(\d[\w.]*)\b/g,
  ir: /(;.*$|\/\/.*$)|("(?:[^"\\]|\\.)*")|((?<=^\s*(?:%[\w.$:, %-]+ = )?(?:tail |musttail )?)[a-z][\w.]*)|([@%!#^][\w.$-]+)|(?<![\w.])(-?\d[\w.+]*)\b/g,
};
const wordClasses = ["w-note", "w-text", "w-key", "w-name", "w-number"];

function coloured(text, rule) {
  const out = document.createDocumentFragment();
  let last = 0;
  for (const match of text.matchAll(rule)) {
    if (match[0] === "") continue;
    const kind = match.slice(1).findIndex(group => group !== undefined);
    if (match.index > last) out.append(text.slice(last, match.index));
    out.append(el("span." + wordClasses[kind], null, match[0]));
    last = match.index + match[0].length;
  }
  out.append(text.slice(last));
  return out;
}
/** Lines of texts in three quotes, which go over several. */
function quotedLines(lines) {
  const out = new Set();
  let isInside = false;
  lines.forEach((line, number) => {
    const marks = line.split('"""').length - 1;
    if (isInside || marks === 1 || /^\s*"""/.test(line)) out.add(number);
    if (marks % 2) isInside = !isInside;
  });
  return out;
}
const ruleOfFile = name => (/\.(fly|py|pyi)$/.test(name) ? wordRules.fly : wordRules.c);

/** An instruction: its name in the colour of its unit, registers by file. */
function colouredCode(text, unit) {
  const out = document.createDocumentFragment(),
    space = text.indexOf(" ");
  const name = space < 0 ? text : text.slice(0, space);
  out.append(el("span.op.t" + unit, null, name));
  if (space < 0) return out;
  let last = space;
  for (const match of text.matchAll(/\b([vas])(\d+|\[\d+:\d+\])(?![\w])/g)) {
    if (match.index < space) continue;
    out.append(text.slice(last, match.index), el("span.r" + match[1], null, match[0]));
    last = match.index + match[0].length;
  }
  out.append(text.slice(last));
  return out;
}
