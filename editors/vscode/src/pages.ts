// Pages that flyc makes, beside the source: the report, the modelled time of a bench, and a layout. Each is one file
// with nothing from elsewhere, so a web view may read no folder.
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {commonOptions, folderOf, run} from './flyc';
import type {Server} from './server';

function showPage(title: string, html: string): void {
  const panel = vscode.window.createWebviewPanel('fly.page', title,
    {viewColumn: vscode.ViewColumn.Beside, preserveFocus: true},
    {enableScripts: true, enableFindWidget: true, localResourceRoots: []});
  // Pages follow the system; here they follow the editor.
  const {kind} = vscode.window.activeColorTheme;
  const isDark = kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
  panel.webview.html = html.replace('<html', `<html data-theme="${isDark ? 'dark' : 'light'}"`);
}

/** The file that a command is about; it is saved, since flyc reads it from the disk. */
async function sourceOf(given?: vscode.Uri): Promise<vscode.Uri | undefined> {
  const uri = given ?? vscode.window.activeTextEditor?.document.uri;
  if (!uri || uri.scheme !== 'file') {
    void vscode.window.showWarningMessage('Fly: there is no .fly file in the editor.');
    return undefined;
  }
  await vscode.workspace.textDocuments.find(each => each.uri.toString() === uri.toString())?.save();
  return uri;
}

/** Runs flyc with a message that can cancel it; what it printed, if it did not fail. */
async function runSeen(title: string, command: string[], source: vscode.Uri): Promise<string | undefined> {
  const {stdout, stderr, status} = await vscode.window.withProgress(
    {location: vscode.ProgressLocation.Notification, title, cancellable: true},
    (_, token) => run([...command, '--color=never', ...commonOptions(), source.fsPath], folderOf(source), token));
  if (status === 0)
    return stdout;
  if (status !== null) // else cancelled
    void vscode.window.showErrorMessage(stderr.split('\n', 1)[0] || `${title} ends with status ${status}`);
  return undefined;
}

export async function showReport(given?: vscode.Uri): Promise<void> {
  const source = await sourceOf(given);
  if (!source)
    return;
  const name = path.basename(source.fsPath);
  const page = await runSeen(`flyc report ${name}`, ['report', '--html', '-'], source);
  if (page !== undefined)
    showPage(name, page);
}

/** The function at the cursor, if its decorator is one of benches. */
async function benchAt(editor: vscode.TextEditor): Promise<string | undefined> {
  const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider', editor.document.uri);
  const found = symbols?.find(({range}) => range.contains(editor.selection.active));
  return found && /^@bench\b/m.test(editor.document.getText(found.range)) ? found.name : undefined;
}

/** Of the launch that takes longest: of the bench at the cursor, else of all benches of the file. */
export async function showTime(): Promise<void> {
  const source = await sourceOf();
  const editor = vscode.window.activeTextEditor;
  if (!source || !editor)
    return;
  const bench = await benchAt(editor);
  const folder = await mkdtemp(path.join(tmpdir(), 'flyc-'));
  try {
    const file = path.join(folder, 'time.html');
    const title = bench ?? path.basename(source.fsPath);
    const command = ['bench', '--sample', '--quiet', '--time-page', file, ...(bench ? ['--only', bench] : [])];
    if (await runSeen(`flyc bench ${title}`, command, source) !== undefined)
      showPage(`time of ${title}`, await readFile(file, 'utf8'));
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}

export async function showLayout(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor)
    return;
  const layout = await server.ask<{name: string; html: string} | null>(
    'fly/layout', editor.document.uri, {position: editor.selection.active});
  if (layout)
    showPage(`layout of ${layout.name}`, layout.html);
  else
    void vscode.window.showInformationMessage('Fly: there is no name with a layout at the cursor.');
}
