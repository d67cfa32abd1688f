// Uses the extension as a person does, in VS Code (code-server) in a browser, and says what is not seen in time.
//     node drive.mjs --packages FOLDER --flyc FILE --vsix FILE --chromium FILE [--failures FOLDER] [--pictures FOLDER]
// scripts/vscode_end_to_end.sh calls it.
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

const {values: {packages, flyc, vsix, chromium: executablePath, failures, pictures}} = parseArgs({
  options: Object.fromEntries(['packages', 'flyc', 'vsix', 'chromium', 'failures', 'pictures'].map(
    name => [name, {type: 'string'}])),
});
const {chromium} = createRequire(join(packages, 'package.json'))('playwright-core');
const patience = 60000; // milliseconds for one thing, on a machine that does others, too
const end = Date.now() + 220000; // for all

const folder = mkdtempSync(join(tmpdir(), 'fly-vscode-'));
const settings = join(folder, 'user', 'User', 'settings.json');
const workspace = join(folder, 'workspace');
mkdirSync(join(folder, 'user', 'User'), {recursive: true});
mkdirSync(workspace);
const set = values => writeFileSync(settings, JSON.stringify({'workbench.startupEditor': 'none', 'flyc.arch': 'gfx950', ...values}));
set({'flyc.path': flyc});
writeFileSync(join(workspace, 'wrong.fly'), `@kernel(block=64, grid=1)
def one(x: Out[f32, (64,)]):
    x[thread_id.x] = missing + 1.0
`);
writeFileSync(join(workspace, 'right.fly'), `from fly.tiles import inside
@kernel(block=64, grid=1)
def one(x: Out[f32, (64,)]):
    x[thread_id.x] = 2.0


@check(n=[1, 2])
def passes(n):
    x = empty((64,), f32)
    one(x)
    expect_equal(x, full((64,), 2.0, f32))


@check
def differs():
    expect_equal(array([1]), array([2]))
`);

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
const page = await browser.newPage({viewport: {width: 1500, height: 900}});
let failed = 0;
async function see(what, act) {
  const begin = Date.now();
  try {
    await act();
    console.log(`seen: ${what} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`not seen: ${what}: ${String(error).split('\n')[0]}`);
    await page.screenshot({path: join(pictures ?? folder, `${failed}.png`)});
  }
}
const visible = (selector, options) => page.locator(selector, options).first().waitFor({timeout: patience});
const open = name => page.locator('.explorer-folders-view .monaco-list-row', {hasText: name}).dblclick({timeout: patience});
const line = text => page.locator('.view-line', {hasText: text}).first();
async function command(title) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill(`>${title}`);
  await page.locator('.quick-input-list .monaco-list-row', {hasText: title}).first().click({timeout: patience});
}

try {
  await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`);
  await see('an error, underlined', async () => {
    await open('wrong.fly');
    await visible('.squiggly-error');
  });
  await see('colours', async () => {
    const kinds = await page.$$eval('.view-line span span', all => new Set(all.map(each => each.className)).size);
    if (kinds < 5)
      throw new Error(`${kinds} kinds of words`);
  });
  await see('the lens above a kernel', async () => {
    await open('right.fly');
    await visible('.codelens-decoration', {hasText: 'one, gfx950'});
  });
  await see('checks that pass and one that fails, with its message', async () => {
    await line('thread_id').click();
    await command('Fly: Run the Checks of This File');
    await visible('.codicon-testing-passed-icon');
    await visible('.codicon-testing-failed-icon');
    await visible('.test-error-content-widget, .test-message-inline-content', {hasText: 'the result differs'});
  });
  await see('machine code beside the file', async () => {
    await line('thread_id').click();
    await command('Fly: Show Machine Code');
    await visible('.view-line', {hasText: 's_endpgm'});
  });
  await see('the report', async () => {
    await line('thread_id').click();
    await command('Fly: Show Report');
    await visible('.tab .webview-editor, .tab[aria-label^="right.fly"], iframe.webview');
    await page.frameLocator('iframe.webview').first().frameLocator('iframe').getByText('s_endpgm').first()
      .waitFor({timeout: patience});
  });
  await see('a module that only the server has', async () => {
    await line('import').click();
    await page.keyboard.press('End');
    await page.keyboard.press('F12');
    await visible('.tab', {hasText: 'tiles.fly'});
    await visible('.view-line', {hasText: 'def inside'});
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
rmSync(folder, {recursive: true, force: true, maxRetries: 5});
console.log(failed ? `${failed} not seen` : 'all seen');
process.exit(failed ? 1 : 0);
