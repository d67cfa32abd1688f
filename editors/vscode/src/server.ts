// The client of `flyc lsp`, and the documents that only the server has.
import * as vscode from 'vscode';
import {LanguageClient, TransportKind} from 'vscode-languageclient/node';
import {commonOptions, differs, folderOf, missing, moreArchs, program, run} from './flyc';

const virtual = ['fly-std', 'fly-explain'];

/** VS Code writes a URI without an authority with one slash, `fly-std:/fly/tiles.fly`; the server does with three. */
function written(uri: vscode.Uri): string {
  const text = uri.toString();
  return virtual.includes(uri.scheme) ? text.replace(/^([\w-]+:)\/(?!\/)/, '$1///') : text;
}

export class Server implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly isaChanged = new vscode.EventEmitter<string>();
  /** The URI of a document, one of whose kernels was compiled. */
  readonly onIsaChanged = this.isaChanged.event;
  private readonly log = vscode.window.createOutputChannel('Fly');
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/*.fly');
  private readonly registered = virtual.map(
    scheme => vscode.workspace.registerTextDocumentContentProvider(scheme, this));
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly version: string) {}

  /** Starts it anew, as the settings are now; one start at a time. */
  restart(): Promise<void> {
    this.queue = this.queue.then(() => this.stop()).then(() => this.start());
    return this.queue;
  }

  private async start(): Promise<void> {
    try {
      const printed = (await run(['--version'])).stdout.trim();
      this.log.appendLine(`${program()}: ${printed}`);
      const difference = differs(printed, this.version);
      if (difference)
        void vscode.window.showWarningMessage(difference);
    } catch (error) {
      await this.complain(error instanceof Error ? error.message : missing());
      return;
    }
    const cwd = folderOf();
    const client = new LanguageClient(
      'flyc', 'Fly',
      {
        command: program(),
        args: ['lsp', ...commonOptions()],
        transport: TransportKind.stdio,
        ...(cwd === undefined ? {} : {options: {cwd}}),
      },
      {
        documentSelector: ['file', 'untitled', 'fly-std'].map(scheme => ({scheme, language: 'fly'})),
        uriConverters: {code2Protocol: written, protocol2Code: text => vscode.Uri.parse(text)},
        initializationOptions: {
          commands: ['fly.runCheck', 'fly.runBench', 'fly.showIsa'],
          archs: moreArchs(),
          pictures: true,
        },
        synchronize: {fileEvents: this.watcher},
        outputChannel: this.log,
      });
    this.client = client;
    client.onNotification('fly/isaChanged', ({uri}: {uri: string}) => this.isaChanged.fire(vscode.Uri.parse(uri).toString()));
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      await this.complain(`The language server does not start: ${error instanceof Error ? error.message : error}`);
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch(() => undefined); // one that has died cannot be stopped
  }

  private async complain(text: string): Promise<void> {
    this.log.appendLine(text);
    const settings = 'Open Settings';
    void vscode.window.showErrorMessage(text, settings).then(chosen => {
      if (chosen === settings)
        void vscode.commands.executeCommand('workbench.action.openSettings', 'flyc.path');
    });
  }

  written = written;

  /** A request of ours about a document. */
  async ask<Answer>(method: string, uri: vscode.Uri, more: object = {}, token?: vscode.CancellationToken): Promise<Answer> {
    await this.queue;
    if (!this.client)
      throw new Error('the language server does not run');
    const params = {textDocument: {uri: written(uri)}, ...more};
    return token ? this.client.sendRequest<Answer>(method, params, token) : this.client.sendRequest<Answer>(method, params);
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    return (await this.ask<{text: string}>('fly/text', uri, {}, token)).text;
  }

  dispose(): void {
    void this.stop();
    for (const each of [this.log, this.isaChanged, this.watcher, ...this.registered])
      each.dispose();
  }
}
