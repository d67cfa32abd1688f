// Test Explorer: files, their checks and benches, and the cases of each, from `flyc test` and `flyc bench` with `--list`
// and `--json`. Checks are run; of benches the time is modelled.
import * as path from 'node:path';
import * as vscode from 'vscode';
import {commonOptions, folderOf, run} from './flyc';

interface Case {
  name: string;
  outcome: 'passed' | 'failed' | 'empty';
  detail: string;
  milliseconds: number;
}

interface Results {
  runs: {file: string; arch: string; error?: string; cases: Case[]}[];
}

/** What `flyc bench --json` has of a case, as far as it is shown. */
interface Figures {
  benches: {
    arch: string;
    bench: string;
    parameters: Record<string, string>;
    launches: {timing?: {cycles: number; machine: string; bound: string}}[];
  }[];
}

const fileTag = new vscode.TestTag('file');

/** The two kinds of functions that can be run. */
interface Kind {
  decorator: string;
  command: string;
  tag: vscode.TestTag;
}
const checks: Kind = {decorator: 'check', command: 'test', tag: new vscode.TestTag('check')};
const benches: Kind = {decorator: 'bench', command: 'bench', tag: new vscode.TestTag('bench')};
const has = (text: string, {decorator}: Kind) => new RegExp(`^@${decorator}\\b`, 'm').test(text);

/** The name of the check of a case: `adds n=1 T=f32` is one of `adds`. */
const checkOf = (name: string) => name.split(' ', 1)[0] ?? name;

/** What flyc says, at the place that it names: `FILE:LINE:COLUMN: text`, or `--> FILE:LINE:COLUMN` below an error. */
function messageOf(text: string, uri: vscode.Uri, arch = ''): vscode.TestMessage {
  const head = /^(.+?):(\d+):(\d+): /.exec(text);
  const [, file, line, column] = head ?? /^ *--> (.+?):(\d+):(\d+)$/m.exec(text) ?? [];
  const said = (head ? text.slice(head[0].length) : text).trimEnd();
  const message = new vscode.TestMessage(arch ? `${said}\n(${arch})` : said);
  message.location = new vscode.Location(
    file ? vscode.Uri.file(path.resolve(folderOf(uri) ?? '', file)) : uri,
    new vscode.Position(Math.max(0, Number(line ?? 1) - 1), Math.max(0, Number(column ?? 1) - 1)));
  return message;
}

export class Checks implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('fly', 'Fly');
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/*.fly');
  private readonly listed = new Map<string, Promise<void>>(); // by file; until the file changes

  constructor() {
    this.controller.resolveHandler = item => item ? this.list(item) : this.findFiles();
    this.controller.refreshHandler = () => {
      this.listed.clear();
      this.controller.items.replace([]);
      return this.findFiles();
    };
    this.controller.createRunProfile('Run on the emulator', vscode.TestRunProfileKind.Run,
      (request, token) => this.execute(checks, request, token), true, checks.tag);
    this.controller.createRunProfile('Model the time', vscode.TestRunProfileKind.Run,
      (request, token) => this.execute(benches, request, token), false, benches.tag);
    this.watcher.onDidCreate(uri => this.changed(uri));
    this.watcher.onDidChange(uri => this.changed(uri));
    this.watcher.onDidDelete(uri => this.controller.items.delete(uri.toString()));
    vscode.workspace.onDidOpenTextDocument(document => {
      if (document.languageId === 'fly' && document.uri.scheme === 'file')
        void this.addFile(document.uri);
    });
    for (const document of vscode.workspace.textDocuments)
      if (document.languageId === 'fly' && document.uri.scheme === 'file')
        void this.addFile(document.uri);
  }

  private async findFiles(): Promise<void> {
    await Promise.all((await vscode.workspace.findFiles('**/*.fly')).map(uri => this.addFile(uri)));
  }

  private async addFile(uri: vscode.Uri): Promise<vscode.TestItem | undefined> {
    const id = uri.toString();
    let item = this.controller.items.get(id);
    if (item)
      return item;
    const text = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('utf8');
    const kinds = [checks, benches].filter(kind => has(text, kind));
    if (kinds.length === 0) // most files of a library have none, and nothing is asked of the compiler
      return undefined;
    item = this.controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
    item.canResolveChildren = true;
    item.tags = [fileTag, ...kinds.map(({tag}) => tag)];
    this.controller.items.add(item);
    return item;
  }

  private async changed(uri: vscode.Uri): Promise<void> {
    const id = uri.toString();
    const known = this.controller.items.get(id);
    const wasListed = this.listed.delete(id);
    const item = known ?? await this.addFile(uri);
    if (item && wasListed)
      await this.list(item);
  }

  private list(item: vscode.TestItem): Promise<void> {
    const uri = item.uri;
    if (!uri || !item.tags.includes(fileTag))
      return Promise.resolve();
    let listing = this.listed.get(item.id);
    if (!listing) {
      listing = this.readList(item, uri);
      this.listed.set(item.id, listing);
    }
    return listing;
  }

  private async readList(item: vscode.TestItem, uri: vscode.Uri): Promise<void> {
    item.busy = true;
    try {
      const text = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('utf8');
      const kinds = [checks, benches].filter(kind => has(text, kind));
      item.tags = [fileTag, ...kinds.map(({tag}) => tag)];
      item.error = undefined;
      const places = await this.definitions(uri);
      const items: vscode.TestItem[] = [];
      for (const kind of kinds) {
        const {stdout, stderr, status} =
          await run([kind.command, '--list', '--color=never', ...commonOptions(), uri.fsPath], folderOf(uri));
        if (status !== 0) {
          item.error = stderr || stdout;
          return;
        }
        items.push(...this.itemsOf(item.id, kind, stdout, uri, places));
      }
      item.children.replace(items);
    } catch (error) {
      item.error = String(error);
    } finally {
      item.busy = false;
    }
  }

  /** The checks or benches of a listing: lines `file  architecture  case`. */
  private itemsOf(file: string, {tag}: Kind, listing: string, uri: vscode.Uri,
    places: Map<string, vscode.Range>): vscode.TestItem[] {
    const made = new Map<string, vscode.TestItem>();
    const make = (name: string, label: string, range: vscode.Range | undefined) => {
      const item = this.controller.createTestItem(`${file}#${name}`, label, uri);
      item.tags = [tag];
      if (range)
        item.range = range;
      return item;
    };
    for (const line of listing.split('\n')) {
      const [, arch, name] = line.split('  ').map(part => part.trim());
      if (!arch || !name)
        continue;
      const check = checkOf(name);
      const parent = made.get(check) ?? make(check, check, places.get(check));
      made.set(check, parent);
      if (name !== check && !parent.children.get(`${file}#${name}`))
        parent.children.add(make(name, name.slice(check.length + 1), parent.range));
    }
    return [...made.values()];
  }

  /** Where the functions of a file are: the server knows. */
  private async definitions(uri: vscode.Uri): Promise<Map<string, vscode.Range>> {
    await vscode.workspace.openTextDocument(uri);
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
      'vscode.executeDocumentSymbolProvider', uri);
    return new Map((symbols ?? []).map(symbol => [symbol.name, symbol.selectionRange ?? symbol.range]));
  }

  runBench(uri: vscode.Uri, name: string): Promise<void> {
    return this.runOne(benches, uri, name);
  }

  runCheck(uri: vscode.Uri, name: string): Promise<void> {
    return this.runOne(checks, uri, name);
  }

  /** Runs one check, as the Test Explorer does; of what is on the disk, so the file is saved first. */
  private async runOne(kind: Kind, uri: vscode.Uri, name: string): Promise<void> {
    const document = vscode.workspace.textDocuments.find(each => each.uri.toString() === uri.toString());
    if (document?.isUntitled || (document?.isDirty && !await document.save()))
      return;
    const file = await this.addFile(uri);
    if (!file)
      return;
    this.listed.delete(file.id); // the file may have changed just now
    await this.list(file);
    const check = file.children.get(`${file.id}#${name}`);
    if (!check && !file.error)
      return;
    const cancellation = new vscode.CancellationTokenSource();
    try {
      await this.execute(kind, new vscode.TestRunRequest([check ?? file]), cancellation.token);
    } finally {
      cancellation.dispose();
    }
  }

  private async execute(kind: Kind, request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const testRun = this.controller.createTestRun(request);
    const excluded = new Set(request.exclude?.map(item => item.id));
    const chosen: vscode.TestItem[] = [];
    if (request.include)
      chosen.push(...request.include);
    else {
      await this.findFiles();
      this.controller.items.forEach(item => chosen.push(item));
    }
    try {
      for (const item of chosen) {
        if (token.isCancellationRequested)
          break;
        await this.runItem(kind, item, excluded, testRun, token);
      }
    } finally {
      testRun.end();
    }
  }

  /** One call of flyc: of a file, a check or a case. */
  private async runItem(kind: Kind, item: vscode.TestItem, excluded: Set<string>, testRun: vscode.TestRun,
    token: vscode.CancellationToken): Promise<void> {
    const uri = item.uri;
    if (!uri || excluded.has(item.id))
      return;
    let file = item;
    while (file.parent)
      file = file.parent;
    await this.list(file);
    const leaves = new Map<string, vscode.TestItem>(); // by the name of the case
    const collect = (each: vscode.TestItem) => {
      if (excluded.has(each.id))
        return;
      if (each !== file && each.children.size === 0 && each.tags.includes(kind.tag))
        leaves.set(each.id.slice(file.id.length + 1), each);
      each.children.forEach(collect);
    };
    collect(item);
    if (file.error || leaves.size === 0) {
      const text = file.error instanceof vscode.MarkdownString ? file.error.value : file.error;
      testRun.errored(item, messageOf(text ?? `no function has @${kind.decorator}`, uri));
      return;
    }
    leaves.forEach(leaf => testRun.started(leaf));
    const name = item.id.slice(file.id.length + 1);
    const only = item === file ? [] :
      ['--only', checkOf(name), ...(name === checkOf(name) ? [] : ['--filter', name])];
    try {
      const {stdout, stderr} =
        await run([kind.command, '--json', ...(kind === benches ? ['--sample'] : []), '--color=never', ...only, ...commonOptions(), uri.fsPath], folderOf(uri), token);
      if (token.isCancellationRequested) {
        leaves.forEach(leaf => testRun.skipped(leaf));
        return;
      }
      if (stderr)
        testRun.appendOutput(stderr.replace(/\r?\n/g, '\r\n'), undefined, item);
      if (kind === checks)
        this.report(JSON.parse(stdout) as Results, leaves, uri, testRun);
      else
        this.reportTimes(stdout ? JSON.parse(stdout) as Figures : {benches: []}, stderr, leaves, uri, testRun);
    } catch (error) {
      leaves.forEach(leaf => testRun.errored(leaf, new vscode.TestMessage(String(error))));
    }
  }

  /** A case passes if it does on each architecture. */
  private report(results: Results, leaves: Map<string, vscode.TestItem>, uri: vscode.Uri,
    testRun: vscode.TestRun): void {
    for (const [name, leaf] of leaves) {
      const messages: vscode.TestMessage[] = [];
      let milliseconds = 0, found = false;
      for (const {arch, error, cases} of results.runs) {
        if (error)
          messages.push(messageOf(error, uri, arch));
        for (const each of cases.filter(candidate => candidate.name === name)) {
          found = true;
          milliseconds += each.milliseconds;
          if (each.outcome !== 'passed')
            messages.push(messageOf(each.detail || 'no expectation was evaluated', uri, arch));
        }
      }
      for (const message of messages)
        testRun.appendOutput(`${name}: ${String(message.message)}\n`.replace(/\r?\n/g, '\r\n'), message.location, leaf);
      if (messages.length > 0)
        testRun.failed(leaf, messages, milliseconds);
      else if (found)
        testRun.passed(leaf, milliseconds);
      else
        testRun.skipped(leaf);
    }
  }

  /** Modelled cycles of each case, beside its name; one without has failed. */
  private reportTimes({benches}: Figures, stderr: string, leaves: Map<string, vscode.TestItem>, uri: vscode.Uri,
    testRun: vscode.TestRun): void {
    const texts = new Map<string, string[]>();
    for (const {arch, bench, parameters, launches} of benches) {
      const name = [bench, ...Object.entries(parameters).map(([key, value]) => `${key}=${value}`)].join(' ');
      const cycles = launches.reduce((sum, {timing}) => sum + (timing?.cycles ?? 0), 0);
      const last = launches.at(-1)?.timing;
      texts.set(name, [...texts.get(name) ?? [], `${cycles} cycles on ${last?.machine ?? arch}`]);
    }
    for (const [name, leaf] of leaves) {
      const text = texts.get(name)?.join(', ');
      if (text) {
        leaf.description = text;
        testRun.appendOutput(`${name}: ${text}\r\n`, undefined, leaf);
        testRun.passed(leaf);
      } else {
        testRun.failed(leaf, messageOf(stderr || 'it did not run', uri));
      }
    }
  }

  dispose(): void {
    this.watcher.dispose();
    this.controller.dispose();
  }
}
