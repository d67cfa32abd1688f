// The compiler as a program: where it is, whether it is ours, and its output.
import {execFile} from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';

export interface Result {
  stdout: string;
  stderr: string;
  /** The exit status; null if a signal ended it. */
  status: number | null;
}

const limit = 64 * 1024 * 1024; // bytes of output

function setting<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration('flyc').get<T>(name) ?? otherwise;
}

/** The program, relative paths from the first folder of the workspace on; a bare name is looked up on the PATH. */
export function program(): string {
  const name = setting('path', '').trim() || 'flyc';
  if (path.isAbsolute(name) || path.basename(name) === name)
    return name;
  return path.resolve(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', name);
}

/** What the settings add to a command that compiles. */
export function commonOptions(): string[] {
  const arch = setting('arch', '').trim();
  return [
    ...(arch ? ['--arch', arch] : []),
    ...setting<string[]>('includeFolders', []).flatMap(folder => ['-I', folder]),
    ...Object.entries(setting<Record<string, unknown>>('defines', {})).flatMap(
      ([name, value]) => ['-D', `${name}=${String(value)}`]),
    ...setting<string[]>('options', []),
  ];
}

/** Architectures beside the one that is shown, whose registers stand above kernels. */
export function moreArchs(): string[] {
  return setting<string[]>('moreArchs', []);
}

/** Where the program runs: options such as `-I kernels` are from there on. */
export function folderOf(uri?: vscode.Uri): string | undefined {
  const folder = uri ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? (uri ? path.dirname(uri.fsPath) : undefined);
}

/** Throws if the program cannot be started; that it fails is a result. */
export function run(args: string[], cwd?: string, token?: vscode.CancellationToken): Promise<Result> {
  return new Promise((resolve, reject) => {
    const options = {maxBuffer: limit, ...(cwd === undefined ? {} : {cwd})};
    const child = execFile(program(), args, options, (error, stdout, stderr) => {
      cancelled?.dispose();
      if (error && typeof error.code === 'string')
        reject(error.code === 'ENOENT' ? new Error(missing()) : error);
      else
        resolve({stdout, stderr, status: error ? (typeof error.code === 'number' ? error.code : null) : 0});
    });
    const cancelled = token?.onCancellationRequested(() => child.kill());
  });
}

export function missing(): string {
  return `There is no program \`${program()}\`. Install flyc, or say where it is in the setting \`flyc.path\`.`;
}

/** Nothing, or why this compiler does not fit an extension of that version. Before 1.0, the second number counts, too. */
export function differs(printed: string, extension: string): string | undefined {
  const version = /^flyc (\d+)\.(\d+)\.(\d+)/.exec(printed);
  if (!version)
    return `\`${program()}\` is not flyc: \`--version\` prints \`${printed.split('\n')[0] ?? ''}\`.`;
  const [major, minor] = extension.split('.');
  if (version[1] === major && (major !== '0' || version[2] === minor))
    return undefined;
  return `flyc is ${version.slice(1).join('.')} and this extension is ${extension}. ` +
    `What one of them has may be missing in the other: install the same version of both.`;
}
