// Uses the extension as a person does, in VS Code (code-server) in a browser, and says what is not seen in time.
//     node drive.mjs --packages FOLDER --flyc FILE --vsix FILE --chromium FILE [--failures FOLDER] [--pictures FOLDER]
// scripts/vscode_end_to_end.sh calls it.
import {spawn} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const {values: {packages, flyc, vsix, chromium: executablePath, failures, pictures}} = parseArgs({
  options: Object.fromEntries(['packages', 'flyc', 'vsix', 'chromium', 'failures', 'pictures'].map(
    name => [name, {type: 'string'}])),
});
const {chromium} = createRequire(join(packages, 'package.json'))('playwright-core');
const patience = 45000; // milliseconds for one thing, on a machine that does others, too
const end = Date.now() + 220000; // for all

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fly-vscode-'));
const settings = join(folder, 'user', 'User', 'settings.json');
const workspace = join(folder, 'workspace');
mkdirSync(join(folder, 'user', 'User'), {recursive: true});
cpSync(join(here, 'workspace'), workspace, {recursive: true});
cpSync(join(here, '../../../kernels/elementwise/vec_add.fly'), join(workspace, 'vec_add.fly'));
const set = values => writeFileSync(settings, JSON.stringify({
  'flyc.arch': 'gfx950', 'workbench.startupEditor': 'none', 'workbench.colorTheme': 'Default Dark Modern',
  'editor.minimap.enabled': false, 'window.menuBarVisibility': 'hidden', 'chat.commandCenter.enabled': false,
  'breadcrumbs.enabled': false, 'workbench.layoutControl.enabled': false, 'window.commandCenter': false,
  'files.autoSave': 'off', 'scm.diffDecorations': 'none', 'editor.lightbulb.enabled': 'on', ...values}));
set({'flyc.path': flyc});

const entry = join(packages, 'node_modules/code-server/out/node/entry.js');
const common = ['--user-data-dir', join(folder, 'user'), '--extensions-dir', join(folder, 'extensions'),
  '--config', join(folder, 'config.yaml')];
const codeServer = (...args) => spawn(process.execPath, [entry, ...common, ...args], {stdio: ['ignore', 'pipe', 'pipe']});

const port = await new Promise(done => {
  const free = createServer().listen(0, '127.0.0.1', () => {
    const {port} = free.address();
    free.close(() => done(port));
  });
});
await new Promise((done, fail) => codeServer('--install-extension', vsix).on('exit',
  status => status === 0 ? done() : fail(new Error(`the extension is not installed: ${status}`))));
const server = codeServer('--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry',
  '--disable-update-check', '--disable-workspace-trust', workspace);
await new Promise(done => server.stdout.on('data', text => String(text).includes('listening') && done()));
server.stderr.resume();

const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
const page = await browser.newPage({viewport: {width: 1160, height: 640}});
let failed = 0;
const left = () => Math.max(1000, Math.min(patience, end - Date.now()));
async function see(what, act) {
  const begin = Date.now();
  page.setDefaultTimeout(left());
  try {
    await act();
    console.log(`seen: ${what} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`not seen: ${what}: ${String(error).split('\n').slice(0, 3).join(' ')}`);
    mkdirSync(failures ?? folder, {recursive: true});
    await page.screenshot({path: join(failures ?? folder, `${failed}.png`)});
  }
}
const visible = (selector, options) => page.locator(selector, options).first().waitFor();
const gone = selector => page.locator(selector).first().waitFor({state: 'detached'});
const open = name => page.locator('.explorer-folders-view .monaco-list-row', {hasText: name}).dblclick();
const line = text => page.locator('.view-line', {hasText: text}).first();
const word = (inLine, text) => line(inLine).locator('span', {hasText: text}).last();
const frame = () => page.frameLocator('iframe.webview').last().frameLocator('iframe');
/** A picture for docs/editor.md, of the window or of a part of it. */
async function picture(name, clip) {
  if (!pictures)
    return;
  mkdirSync(pictures, {recursive: true});
  await page.waitForTimeout(700); // for what fades
  await page.screenshot({path: join(pictures, `editor-${name}.png`), ...(clip ? {clip} : {})});
}
async function command(title) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill(`>${title}`);
  await page.locator('.quick-input-list .monaco-list-row', {hasText: title}).first().click();
}
async function goTo(number) {
  await page.keyboard.press('Control+g');
  await page.locator('.quick-input-widget input').fill(`:${number}`);
  await page.keyboard.press('Enter');
}
/** Opens the fixes at the cursor; again, if the editor was not ready. */
async function offered(text) {
  for (let tries = 0; ; tries++) {
    await page.keyboard.press('Escape');
    await page.waitForTimeout(300);
    await page.keyboard.press('Control+.');
    try {
      return await page.locator('.action-widget .monaco-list-row', {hasText: text}).first().waitFor({timeout: 4000});
    } catch (error) {
      if (tries === 5)
        throw error;
    }
  }
}
async function closeOthers() {
  await command('View: Close All Editor Groups');
}
/** Waits until the text of the editor is such; `read` is evaluated in the page. */
const until = (predicate, argument) => page.waitForFunction(predicate, argument, {timeout: left()});

try {
  await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`);
  await see('an error, underlined, and its row with the place that belongs to it', async () => {
    await open('wrong.fly');
    await visible('.squiggly-error');
    await command('Problems: Focus on Problems View');
    await visible('.markers-panel .monaco-list-row', {hasText: 'kernel `scale` needs a value for `T`'});
    await visible('.markers-panel .monaco-list-row', {hasText: 'declared here'});
  });
  await see('the step to the error, and its fix', async () => {
    await line('thread_id').click();
    await page.keyboard.press('F8');
    await visible('.marker-widget', {hasText: 'needs a value for'});
    await offered('make an instance');
    await picture('problem');
    await page.keyboard.press('Enter');
    await gone('.squiggly-error');
    await visible('.view-line', {hasText: 'scale[T=f32](x)'});
    await command('View: Hide Panel');
    await command('File: Revert File');
  });
  await see('colours', async () => {
    const kinds = await page.$$eval('.view-line span span', all => new Set(all.map(each => each.className)).size);
    if (kinds < 5)
      throw new Error(`${kinds} kinds of words`);
  });
  await see('lenses above a kernel: its instance, and its registers', async () => {
    await open('transpose.fly');
    await visible('.codelens-decoration', {hasText: 'transpose, gfx950'});
    await visible('.codelens-decoration', {hasText: 'VGPRs'});
  });
  await see('the layout of a name beside it', () => visible('.view-line', {hasText: ':(17'}));
  await see('the picture of a layout where the pointer is', async () => {
    await word('SIDE + 1', 'padded').hover();
    await visible('.monaco-hover img[src^="data:image/svg"]');
    await picture('hover', {x: 0, y: 0, width: 1160, height: 480});
    await page.keyboard.press('Escape');
  });
  await see('the page of a layout', async () => {
    await word('SIDE + 1', 'padded').click();
    await command('Fly: Show Layout');
    await frame().locator('svg').first().waitFor();
    await closeOthers();
    await open('transpose.fly');
  });
  await see('the check above which the lens is clicked', async () => {
    await page.locator('.codelens-decoration a', {hasText: 'run check'}).first().click();
    await visible('.codicon-testing-passed-icon');
  });
  await see('checks that pass and one that fails, at its line', async () => {
    await line('SIDE = 16').click();
    await command('Fly: Run the Checks of This File');
    await visible('.test-output-peek-tree .monaco-list-row', {hasText: 'is_symmetric'});
    await goTo(27);
    await visible('.test-error-content-widget, .test-message-inline-content', {hasText: 'the result differs'});
    await goTo(3);
  });
  await see('checks and benches in the Test Explorer', async () => {
    await command('Testing: Focus on Test Explorer View');
    await page.locator('.test-explorer .monaco-list-row', {hasText: 'transpose.fly'}).first().click();
    await page.keyboard.press('ArrowRight');
    await visible('.test-explorer .monaco-list-row', {hasText: 'transposes'});
    const bench = page.locator('.test-explorer .monaco-list-row', {hasText: 'squares'}).first();
    await bench.click();
    await bench.hover();
    await bench.locator('.action-label[aria-label*="Run Test"]').first().click();
    await visible('.test-explorer .monaco-list-row', {hasText: 'cycles on'});
    await page.mouse.move(600, 300);
    await picture('checks');
    await command('View: Show Explorer');
    await command('View: Hide Panel');
  });
  await see('machine code, which follows the cursor', async () => {
    await line('SIDE = 16').click();
    await goTo(13);
    await command('Fly: Show Machine Code');
    await frame().locator('li.hit', {hasText: 'ds_read'}).first().waitFor();
    await goTo(11);
    await frame().locator('li.hit', {hasText: 'ds_write'}).first().waitFor();
    await page.keyboard.press('Control+b');
    await picture('isa', {x: 0, y: 0, width: 1160, height: 500});
    await page.keyboard.press('Control+b');
  });
  await see('the line of an instruction that is clicked', async () => {
    await frame().locator('li', {hasText: 's_barrier'}).first().click();
    await visible('.statusbar-item', {hasText: 'Ln 12'});
  });
  await see('machine code of a text that has just changed', async () => {
    await goTo(12);
    await page.keyboard.press('Home');
    await page.keyboard.type('barrier(); ');
    await until(() => [...document.querySelectorAll('.codelens-decoration')].some(each => /VGPRs(?!.*before)/.test(each.textContent)));
    await frame().locator('li', {hasText: 's_barrier'}).nth(1).waitFor();
    await command('File: Revert File');
    await closeOthers();
  });
  await see('the modelled time', async () => {
    await open('transpose.fly');
    await page.locator('.editor-instance .view-lines').first().click();
    await goTo(31);
    await command('Fly: Show Modelled Time');
    await frame().getByText('cycles').first().waitFor();
    await page.keyboard.press('Control+b');
    await picture('time', {x: 0, y: 0, width: 1160, height: 560});
    await page.keyboard.press('Control+b');
    await closeOthers();
  });
  await see('the report', async () => {
    await open('transpose.fly');
    await page.locator('.editor-instance .view-lines').first().click();
    await command('Fly: Show Report');
    await frame().getByText('Occupancy').first().waitFor();
    await closeOthers();
  });
  await see('a module that only the server has', async () => {
    await open('vec_add.fly');
    await line('import').click();
    await page.keyboard.press('End');
    await page.keyboard.press('F12');
    await visible('.tab', {hasText: 'tiles.fly'});
    await visible('.view-line', {hasText: 'def inside'});
    await closeOthers();
  });
  await see('a newcomer\'s import that is missing, and its fix', async () => {
    await open('vec_add.fly');
    await line('from fly.tiles').click();
    await page.keyboard.press('Control+Shift+k');
    await goTo(30); // where the name is used
    await visible('.squiggly-error');
    await page.keyboard.press('F8');
    await offered('import it');
    await page.keyboard.press('Enter');
    await gone('.squiggly-error');
    await command('File: Revert File');
    await closeOthers();
  });
  await see('that the program has another version', async () => {
    writeFileSync(join(folder, 'other-flyc'), '#!/bin/sh\necho "flyc 99.0.0 (LLVM 22.1.8)"\n', {mode: 0o755});
    set({'flyc.path': join(folder, 'other-flyc')});
    await page.reload();
    await visible('.notification-list-item-message', {hasText: 'flyc is 99.0.0 and this extension is'});
  });
  await see('that there is no program', async () => {
    set({'flyc.path': 'no-flyc'});
    await page.reload();
    await visible('.notification-list-item-message', {hasText: 'There is no program'});
  });
} finally {
  await browser.close();
  server.kill();
}
await new Promise(done => server.on('exit', done));
try {
  rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 300});
} catch { // a process of the server's writes its last words
}
console.log(failed ? `${failed} not seen` : 'all seen');
process.exit(failed ? 1 : 0);
