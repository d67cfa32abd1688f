// actions_parser.mjs FOLDER FILE...: reads an action.yml and workflows with GitHub's parser, which FOLDER/node_modules has.
import {readFileSync} from "node:fs";
import {register} from "node:module";
import {basename} from "node:path";
import {pathToFileURL} from "node:url";

// The parser imports JSON without the attribute that Node wants for it.
register("data:text/javascript," + encodeURIComponent(`
  import {readFile} from "node:fs/promises";
  export async function load(url, context, next) {
    if (!url.endsWith(".json")) return next(url, context);
    return {format: "module", shortCircuit: true, source: "export default " + await readFile(new URL(url), "utf8")};
  }`));

const [folder, ...files] = process.argv.slice(2);
const place = pathToFileURL(folder + "/node_modules/@actions/workflow-parser/dist/");
const {parseAction} = await import(new URL("actions/action-parser.js", place));
const {parseWorkflow} = await import(new URL("workflows/workflow-parser.js", place));
const trace = {info() {}, verbose() {}, error(message) { console.log(message); }};
let wrong = 0;
for (const name of files) {
  const parse = basename(name) === "action.yml" ? parseAction : parseWorkflow;
  const {context} = parse({name, content: readFileSync(name, "utf8")}, trace);
  for (const error of context.errors.getErrors()) {
    console.log(`${name}: ${error.message}`);
    wrong = 1;
  }
}
if (!wrong) console.log("no errors");
process.exit(wrong);
