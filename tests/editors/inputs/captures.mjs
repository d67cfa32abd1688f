// Prints what a query of tree-sitter captures of a file, one word a line; where several patterns capture it, the last.
//     node captures.mjs EXTENSION_FOLDER QUERY FILE
// The parser is Python's, as in Helix. The query is taken without what it inherits.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';

const [extension, queryFile, file] = process.argv.slice(2);
const require = createRequire(resolve(extension, 'package.json'));
const {Language, Parser, Query} = require('web-tree-sitter');
await Parser.init();
const python = await Language.load(require.resolve('tree-sitter-python/tree-sitter-python.wasm'));
const parser = new Parser();
parser.setLanguage(python);
const tree = parser.parse(readFileSync(file, 'utf8'));
const found = new Map();
for (const {name, node} of new Query(python, readFileSync(queryFile, 'utf8')).captures(tree.rootNode))
  found.set(node.startIndex, `${node.startPosition.row + 1}:${node.startPosition.column + 1}: ${node.text} ${name}`);
for (const line of [...found].sort(([a], [b]) => a - b).map(([, line]) => line))
  if (!line.includes('\n'))
    console.log(line);
