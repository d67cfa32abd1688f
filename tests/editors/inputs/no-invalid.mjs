// Says where the grammar marks something of the files as invalid, or ends a file inside a bracket or a string.
//     node no-invalid.mjs EXTENSION_FOLDER GRAMMAR FILE...
// It uses the tokenizer of VS Code, which the tests of the extension have among their packages.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';

const [extension, grammarFile, ...files] = process.argv.slice(2);
const require = createRequire(resolve(extension, 'package.json'));
const textmate = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');

const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
    createOnigString: text => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(grammarFile, 'utf8'), grammarFile),
});
const grammar = await registry.loadGrammar('source.fly');
let found = 0, lines = 0;
const say = text => { found++; console.log(text); };
for (const file of files) {
  let state = textmate.INITIAL;
  readFileSync(file, 'utf8').split('\n').forEach((line, index) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    lines++;
    for (const token of result.tokens)
      if (token.scopes.some(scope => scope.startsWith('invalid')))
        say(`${file}:${index + 1}:${token.startIndex + 1}: ${line.slice(token.startIndex, token.endIndex)}`);
  });
  if (state.depth !== 1)
    say(`${file}: ends inside something, depth ${state.depth}`);
}
console.log(`${files.length} files, ${lines} lines, ${found} wrong`);
process.exit(found ? 1 : 0);
