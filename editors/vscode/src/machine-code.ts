// The machine code of the file in the editor, beside it: the instructions of the cursor's line are marked, and a click
// on an instruction goes to its line. The server compiles, when the text rests, and says where each instruction is from
// (`fly/isa`); media/machine-code.js draws.
import * as vscode from 'vscode';
import type {Server} from './server';

/** From the web view: a line of the document, or of the file that the URI names; from 0. */
interface Click {
  uri?: string;
  line: number;
}

const isFly = (document: vscode.TextDocument) => document.languageId === 'fly' && document.uri.scheme !== 'fly-std';

export class MachineCode implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown: vscode.Uri | undefined; // of the document
  private readonly registered: vscode.Disposable[];

  constructor(private readonly server: Server, private readonly media: vscode.Uri) {
    this.registered = [
      server.onIsaChanged(uri => {
        if (uri === this.shown?.toString())
          void this.renew();
      }),
      vscode.window.onDidChangeActiveTextEditor(editor => {
        if (this.panel && editor && isFly(editor.document))
          this.follow(editor);
      }),
      vscode.window.onDidChangeTextEditorSelection(({textEditor}) => this.mark(textEditor)),
    ];
  }

  /** The command, of the palette, of the editor's title or of a lens. */
  async show(given?: vscode.Uri | string, position?: {line: number; character: number}): Promise<void> {
    const uri = typeof given === 'string' ? vscode.Uri.parse(given) : given;
    const editor = vscode.window.visibleTextEditors.find(each => each.document.uri.toString() === uri?.toString()) ??
      vscode.window.activeTextEditor;
    if (!editor || !isFly(editor.document)) {
      void vscode.window.showWarningMessage('Fly: there is no .fly file in the editor.');
      return;
    }
    if (position)
      editor.selection = new vscode.Selection(position.line, position.character, position.line, position.character);
    if (!this.panel)
      this.open();
    this.panel?.reveal(undefined, true);
    this.follow(editor);
  }

  private open(): void {
    const panel = vscode.window.createWebviewPanel('fly.machineCode', 'Machine Code',
      {viewColumn: vscode.ViewColumn.Beside, preserveFocus: true},
      {enableScripts: true, enableFindWidget: true, retainContextWhenHidden: true, localResourceRoots: [this.media]});
    this.panel = panel;
    panel.onDidDispose(() => this.panel = this.shown = undefined);
    panel.webview.onDidReceiveMessage((click: Click) => this.goTo(click));
    const [script, style] = ['machine-code.js', 'machine-code.css'].map(
      name => panel.webview.asWebviewUri(vscode.Uri.joinPath(this.media, name)).toString());
    panel.webview.html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${panel.webview.cspSource}; style-src ${panel.webview.cspSource}">
<title>Machine Code</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<header><select id="kernel" aria-label="Kernel" hidden></select><span id="summary"></span></header>
<ol id="listing"></ol>
<script src="${script}"></script>
</body>
</html>`;
  }

  private follow(editor: vscode.TextEditor): void {
    if (this.shown?.toString() !== editor.document.uri.toString()) {
      this.shown = editor.document.uri;
      void this.renew();
    }
    this.mark(editor);
  }

  /** A document of the library has lines, too, which the shown document's code may be from. */
  private mark(editor: vscode.TextEditor): void {
    const uri = editor.document.uri;
    if (this.panel && editor.document.languageId === 'fly')
      void this.panel.webview.postMessage({
        cursor: {line: editor.selection.active.line, uri: uri.toString() === this.shown?.toString() ? '' : this.server.written(uri)}});
  }

  private async renew(): Promise<void> {
    const uri = this.shown;
    if (!uri)
      return;
    const code = await this.server.ask('fly/isa', uri, {all: true}).catch(() => null); // the document was closed
    if (code && this.panel && uri === this.shown) {
      this.panel.title = `Machine Code: ${vscode.workspace.asRelativePath(uri).split('/').pop() ?? ''}`;
      void this.panel.webview.postMessage({code});
      const editor = vscode.window.visibleTextEditors.find(each => each.document.uri.toString() === uri.toString());
      if (editor)
        this.mark(editor);
    }
  }

  private async goTo({uri, line}: Click): Promise<void> {
    const target = uri ? vscode.Uri.parse(uri) : this.shown;
    if (!target)
      return;
    const place = new vscode.Range(line, 0, line, 0);
    const visible = vscode.window.visibleTextEditors.find(each => each.document.uri.toString() === target.toString());
    await vscode.window.showTextDocument(target, {
      viewColumn: visible?.viewColumn ?? vscode.ViewColumn.One,
      selection: place,
    });
  }

  dispose(): void {
    this.panel?.dispose();
    for (const each of this.registered)
      each.dispose();
  }
}
