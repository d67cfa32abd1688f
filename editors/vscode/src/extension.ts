// .fly files in VS Code. What is known of a program comes from flyc: `flyc lsp`, `flyc test`, `flyc build`.
import * as vscode from 'vscode';
import {Checks} from './checks';
import {MachineCode, showIsa, showReport} from './machine-code';
import {Server} from './server';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const server = new Server(String((context.extension.packageJSON as {version: unknown}).version));
  const checks = new Checks();
  context.subscriptions.push(
    server, checks, new MachineCode(),
    vscode.commands.registerCommand('fly.restart', () => server.restart()),
    vscode.commands.registerCommand('fly.runChecks', () => vscode.commands.executeCommand('testing.runCurrentFile')),
    // Of the lens above a check (`flyc lsp`).
    vscode.commands.registerCommand('fly.runCheck', (uri: string, name: string) =>
      checks.runCheck(vscode.Uri.parse(uri), name)),
    vscode.commands.registerCommand('fly.showIsa', showIsa),
    vscode.commands.registerCommand('fly.showReport', showReport),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (['flyc.path', 'flyc.arch', 'flyc.options'].some(name => event.affectsConfiguration(name)))
        void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()));
  await server.restart();
}
