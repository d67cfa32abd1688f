// .fly files in VS Code. What is known of a program comes from flyc: `flyc lsp`, `flyc test`, `flyc build`.
import * as vscode from 'vscode';
import {Checks} from './checks';
import {MachineCode} from './machine-code';
import {showLayout, showReport, showTime} from './pages';
import {Server} from './server';

/** Settings that the server is started with. */
const restarting = ['path', 'arch', 'moreArchs', 'includeFolders', 'defines', 'options'];

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const server = new Server(String((context.extension.packageJSON as {version: unknown}).version));
  const checks = new Checks();
  const machineCode = new MachineCode(server, vscode.Uri.joinPath(context.extensionUri, 'media'));
  context.subscriptions.push(
    server, checks, machineCode,
    vscode.commands.registerCommand('fly.restart', () => server.restart()),
    vscode.commands.registerCommand('fly.runChecks', () => vscode.commands.executeCommand('testing.runCurrentFile')),
    // Of lenses (`flyc lsp`).
    vscode.commands.registerCommand('fly.runCheck', (uri: string, name: string) =>
      checks.runCheck(vscode.Uri.parse(uri), name)),
    vscode.commands.registerCommand('fly.runBench', (uri: string, name: string) =>
      checks.runBench(vscode.Uri.parse(uri), name)),
    vscode.commands.registerCommand('fly.showIsa', (uri?: vscode.Uri | string, position?: vscode.Position) =>
      machineCode.show(uri, position)),
    vscode.commands.registerCommand('fly.showLayout', () => showLayout(server)),
    vscode.commands.registerCommand('fly.showTime', showTime),
    vscode.commands.registerCommand('fly.showReport', showReport),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (restarting.some(name => event.affectsConfiguration(`flyc.${name}`)))
        void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()));
  await server.restart();
}
