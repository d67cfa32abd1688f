// What a file is compiled to: as text beside it, and as the page of `flyc report`.
import * as path from 'node:path';
import * as vscode from 'vscode';
import {commonOptions, folderOf, run} from './flyc';

const scheme = 'fly-isa';

/** `fly-isa:/path/to/softmax.fly.isa` is the machine code of softmax.fly; it changes when that is saved. */
export class MachineCode implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registered = [
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.workspace.onDidSaveTextDocument(document => {
      if (document.languageId === 'fly')
        this.changed.fire(isaOf(document.uri));
    }),
  ];

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const source = vscode.Uri.file(uri.path.replace(/\.isa$/, ''));
    const command = ['build', '--emit=isa', '-o', '-', '-q', '--color=never', ...commonOptions(), source.fsPath];
    const {stdout, stderr, status} = await run(command, folderOf(source), token);
    return status === 0 ? stdout : stderr;
  }

  dispose(): void {
    this.changed.dispose();
    for (const each of this.registered)
      each.dispose();
  }
}

function isaOf(source: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({scheme, path: `${source.path}.isa`});
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

export async function showIsa(given?: vscode.Uri): Promise<void> {
  const source = await sourceOf(given);
  if (!source)
    return;
  const document = await vscode.workspace.openTextDocument(isaOf(source));
  await vscode.window.showTextDocument(document, {viewColumn: vscode.ViewColumn.Beside, preserveFocus: true});
}

export async function showReport(given?: vscode.Uri): Promise<void> {
  const source = await sourceOf(given);
  if (!source)
    return;
  const name = path.basename(source.fsPath);
  const command = ['report', '--html', '-', '--color=never', ...commonOptions(), source.fsPath];
  const {stdout, stderr, status} = await vscode.window.withProgress(
    {location: vscode.ProgressLocation.Notification, title: `flyc report ${name}`, cancellable: true},
    (_, token) => run(command, folderOf(source), token));
  if (status === null) // cancelled
    return;
  if (status !== 0) {
    void vscode.window.showErrorMessage(stderr.split('\n', 1)[0] || `flyc report ends with status ${status}`);
    return;
  }
  const panel = vscode.window.createWebviewPanel('fly.report', name, vscode.ViewColumn.Beside,
    {enableScripts: true, enableFindWidget: true, localResourceRoots: []});
  panel.webview.html = stdout; // one page, with nothing from elsewhere
}
