// Makes dist/extension.js, one file with its packages in it, and copies what all editors share.
import {build} from 'esbuild';
import {copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';

mkdirSync('syntaxes', {recursive: true});
copyFileSync('../fly.tmLanguage.json', 'syntaxes/fly.tmLanguage.json');
copyFileSync('../../LICENSE', 'LICENSE');
const {metafile} = await build({
  entryPoints: ['src/extension.ts'],
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node18', // VS Code 1.82
  external: ['vscode'],
  minify: true,
  outfile: 'dist/extension.js',
  logLevel: 'warning',
  metafile: true,
});

// The licences of the packages that are in it.
const folders = new Set(Object.keys(metafile.inputs).flatMap(
  file => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
const notices = [...folders].sort().map(folder => {
  const {name, version, license} = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each));
  if (!file || !existsSync(`${folder}/${file}`))
    throw new Error(`${name} has no licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
});
writeFileSync('dist/licenses.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));
