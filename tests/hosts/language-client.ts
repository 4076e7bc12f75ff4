import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Diagnostic {
  readonly range: Range;
  readonly message: string;
  readonly severity?: number;
  readonly source?: string;
  readonly code?: string | number;
  readonly codeDescription?: { readonly href: string };
}

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

export interface WorkspaceEdit {
  readonly changes?: Readonly<Record<string, readonly TextEdit[]>>;
  readonly documentChanges?: readonly { readonly textDocument: { readonly uri: string }; readonly edits: readonly TextEdit[] }[];
}

export interface CodeAction {
  readonly title: string;
  readonly kind?: string;
  readonly command?: { readonly command: string; readonly arguments?: readonly unknown[] };
  readonly edit?: WorkspaceEdit;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface ClientOptions {
  /** The workspace, an absolute path. */
  readonly folder: string;
  /** What the client answers when the server asks for the configuration of a part of the workspace. */
  readonly configuration?: unknown;
  /** Answers to requests of the server that the protocol does not know. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

/** How long a server may take for one answer. */
const patience = 30_000;

/** An editor, as far as a language server sees of it: opens, changes, asks for diagnostics and quick fixes, applies edits. */
export class LanguageClient {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #options: ClientOptions;
  readonly #pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  readonly #texts = new Map<string, { text: string; version: number }>();
  readonly #published = new Map<string, readonly Diagnostic[]>();
  readonly #onPublish = new Map<string, () => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;
  #pulls = false;

  private constructor(program: string, parameters: readonly string[], options: ClientOptions) {
    this.#options = options;
    this.#process = spawn(program, parameters, { cwd: options.folder, stdio: 'pipe' });
    this.#process.stdout.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      for (let message = this.#nextMessage(); message; message = this.#nextMessage()) this.#take(message);
    });
    this.#process.stderr.resume();
  }

  /** Starts a server and tells it about the workspace. */
  static async start(program: string, parameters: readonly string[], options: ClientOptions): Promise<LanguageClient> {
    const client = new LanguageClient(program, parameters, options);
    const uri = pathToFileURL(options.folder).href;
    const { capabilities } = (await client.request('initialize', {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: 'workspace' }],
      capabilities: {
        workspace: { configuration: true, workspaceFolders: true, applyEdit: true, workspaceEdit: { documentChanges: true }, diagnostics: { refreshSupport: true } },
        textDocument: {
          diagnostic: { dynamicRegistration: true },
          publishDiagnostics: { codeDescriptionSupport: true, dataSupport: true },
          codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['', 'quickfix'] } }, dataSupport: true },
        },
      },
      ...(options.configuration !== undefined && { initializationOptions: [{ workspaceUri: uri, options: options.configuration }] }),
    })) as { capabilities: { diagnosticProvider?: unknown } };
    client.#pulls = capabilities.diagnosticProvider !== undefined;
    client.#send({ method: 'initialized', params: {} });
    return client;
  }

  /** Opens a file of the workspace with the text it has on the disk; the path is relative. Gives its diagnostics. */
  open(path: string, languageId: string): Promise<readonly Diagnostic[]> {
    const text = readFileSync(join(this.#options.folder, path), 'utf8').replace(/^\uFEFF/, '');
    const textDocument = { uri: this.#uriOf(path), languageId, version: 1, text };
    this.#texts.set(textDocument.uri, { text, version: 1 });
    return this.#diagnosticsAfter(textDocument.uri, { method: 'textDocument/didOpen', params: { textDocument } });
  }

  /** Replaces the text of an open file, as an editor does after every keystroke. Gives its diagnostics. */
  change(path: string, text: string): Promise<readonly Diagnostic[]> {
    const uri = this.#uriOf(path);
    const version = (this.#texts.get(uri)?.version ?? 0) + 1;
    this.#texts.set(uri, { text, version });
    return this.#diagnosticsAfter(uri, { method: 'textDocument/didChange', params: { textDocument: { uri, version }, contentChanges: [{ text }] } });
  }

  /** The text of an open file, with all edits that were applied. */
  textOf(path: string): string {
    const document = this.#texts.get(this.#uriOf(path));
    if (!document) throw new Error(`${path} is not open`);
    return document.text;
  }

  async quickFixes(path: string, diagnostic: Diagnostic): Promise<readonly CodeAction[]> {
    const context = { diagnostics: [diagnostic], only: ['quickfix'], triggerKind: 1 };
    const parameters = { textDocument: { uri: this.#uriOf(path) }, range: diagnostic.range, context };
    return ((await this.request('textDocument/codeAction', parameters)) ?? []) as readonly CodeAction[];
  }

  /** Does what the editor does with a chosen quick fix: applies its edit, runs its command. Gives the file's diagnostics after it. */
  async apply(path: string, { edit, command }: CodeAction): Promise<readonly Diagnostic[]> {
    if (edit) this.#applyEdit(edit);
    if (command) await this.request('workspace/executeCommand', { command: command.command, arguments: command.arguments });
    return this.change(path, this.textOf(path));
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    await this.request('shutdown', null);
    this.#send({ method: 'exit' });
    const impatience = setTimeout(() => this.#process.kill(), 2_000);
    await ended;
    clearTimeout(impatience);
  }

  request(method: string, parameters: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`no answer to ${method}`));
      }, patience);
      const settle = <T>(settlement: (value: T) => void) => (value: T): void => {
        clearTimeout(timer);
        settlement(value);
      };
      this.#pending.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#send({ id, method, params: parameters });
    });
  }

  async #diagnosticsAfter(uri: string, notification: Message): Promise<readonly Diagnostic[]> {
    if (this.#pulls) {
      this.#send(notification);
      const { items } = (await this.request('textDocument/diagnostic', { textDocument: { uri } })) as { items: readonly Diagnostic[] };
      return items;
    }
    const published = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`no diagnostics after ${notification.method ?? ''}`));
      }, patience);
      this.#onPublish.set(uri, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#send(notification);
    await published;
    this.#onPublish.delete(uri);
    return this.#published.get(uri) ?? [];
  }

  #uriOf(path: string): string {
    return pathToFileURL(join(this.#options.folder, path)).href;
  }

  #send(message: Message): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #nextMessage(): Message | null {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const length = Number(/Content-Length: (\d+)/i.exec(this.#received.toString('latin1', 0, end))?.[1]);
    const body = this.#received.subarray(end + 4, end + 4 + length);
    if (body.length < length) return null;
    this.#received = this.#received.subarray(end + 4 + length);
    return JSON.parse(body.toString('utf8')) as Message;
  }

  #take({ id, method, params, result, error }: Message): void {
    if (method !== undefined) {
      if (id !== undefined) this.#send({ id, result: this.#answer(method, params) });
      else if (method === 'textDocument/publishDiagnostics') {
        const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Diagnostic[] };
        this.#published.set(uri, diagnostics);
        this.#onPublish.get(uri)?.();
      }
    } else if (id !== undefined) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error) pending?.reject(new Error(error.message));
      else pending?.resolve(result);
    }
  }

  #answer(method: string, parameters: unknown): unknown {
    switch (method) {
      case 'workspace/configuration':
        return (parameters as { items: readonly unknown[] }).items.map(() => this.#options.configuration ?? null);
      case 'workspace/applyEdit':
        this.#applyEdit((parameters as { edit: WorkspaceEdit }).edit);
        return { applied: true };
      default:
        return this.#options.answers?.[method] ?? null;
    }
  }

  #applyEdit({ changes = {}, documentChanges = [] }: WorkspaceEdit): void {
    const perFile = [...Object.entries(changes), ...documentChanges.map(({ textDocument, edits }) => [textDocument.uri, edits] as const)];
    for (const [uri, edits] of perFile) {
      const document = this.#texts.get(uri);
      if (!document) throw new Error(`an edit of ${uri}, which is not open`);
      document.text = edited(document.text, edits);
    }
  }
}

/** Applies edits that were all made for the text as it is; lines end as the protocol says. */
function edited(text: string, edits: readonly TextEdit[]): string {
  const starts = [0, ...[...text.matchAll(/\r\n|[\n\r]/g)].map(({ index, 0: terminator }) => index + terminator.length)];
  const offsetOf = ({ line, character }: Position): number => (starts[line] ?? text.length) + character;
  const last = [...edits].sort((one, other) => offsetOf(other.range.start) - offsetOf(one.range.start));
  return last.reduce((result, { range, newText }) => result.slice(0, offsetOf(range.start)) + newText + result.slice(offsetOf(range.end)), text);
}
