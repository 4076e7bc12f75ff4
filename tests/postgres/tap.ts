import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** One statement as it went over the wire, with what the server made of it. */
export interface Statement {
  readonly sql: string;
  /** The process of the server that ran it. */
  readonly backend: number;
  /** How many rows it gave. */
  rows: number;
  /** The first column of each of the first rows, as text; null is SQL's NULL. */
  readonly answers: (string | null)[];
  readonly notices: Report[];
  error: Report | null;
  /** When it was sent and when the server had said how it ended, in milliseconds of `performance.now()`; infinite while it has not. */
  readonly sentAt: number;
  endedAt: number;
}

/** What the server says of an error or a warning. */
export interface Report {
  readonly code: string;
  readonly message: string;
}

/** A place to connect to instead of the server, that writes down what passes. */
export interface Tap {
  readonly port: number;
  /** In the order in which they were sent. */
  readonly statements: readonly Statement[];
  /** Where no tap can listen: runs a statement, and writes down how it went. */
  observe?<Result>(sql: string, backend: number, run: () => Promise<Result>, answersIn: (result: Result) => (string | null)[]): Promise<Result>;
  /** Backends whose client has hung up, or said that it will. */
  readonly left: ReadonlySet<number>;
  /** Hangs up on both sides, and takes nobody else. */
  close(): Promise<void>;
}

interface Pending {
  readonly statement: Statement | null;
  /** A simple query ends with ReadyForQuery, one of the extended protocol with its own completion. */
  readonly isSimple: boolean;
}

const rememberedAnswers = 20;

/**
 * Listens on a free port and passes everything on to a PostgreSQL server, in both directions and unchanged.
 * `ended` is called when a statement has ended, before the client hears of it, which waits until the promise is fulfilled.
 */
export async function openTap(target: { host: string; port: number }, ended: (statement: Statement) => Promise<void>): Promise<Tap> {
  const statements: Statement[] = [];
  const left = new Set<number>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    const conversation = new Conversation(statements, left);
    // Chunks are passed on one after the other, also while `ended` takes its time.
    let passing = Promise.resolve();
    client.on('data', (chunk) => {
      conversation.fromClient(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      const finished = conversation.fromServer(chunk);
      passing = passing.then(async () => {
        for (const statement of finished) await ended(statement);
        client.write(chunk);
      });
    });
    for (const [socket, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        if (socket === client) conversation.hasLeft();
        void passing.then(() => other.end());
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The tap has no port.');
  return {
    port: address.port,
    statements,
    left,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Reads the frontend/backend protocol of one connection (PostgreSQL manual, "Message Formats"). */
class Conversation {
  backend = 0;
  private readonly prepared = new Map<string, string>();
  private readonly portals = new Map<string, string>();
  private readonly pending: Pending[] = [];
  private lastParsed = '';
  private client = Buffer.alloc(0);
  private server = Buffer.alloc(0);
  private isStarted = false;

  constructor(
    private readonly statements: Statement[],
    private readonly left: Set<number>,
  ) {}

  hasLeft(): void {
    this.left.add(this.backend);
  }

  fromClient(chunk: Buffer): void {
    this.client = Buffer.concat([this.client, chunk]);
    if (!this.isStarted) {
      if (this.client.length < 8) return;
      // The first message has no type. What asks for encryption or for a cancellation is none of ours.
      const length = this.client.readInt32BE(0);
      if (this.client.length < length) return;
      if (this.client.readInt32BE(4) === 196_608) this.isStarted = true;
      this.client = this.client.subarray(length);
    }
    if (!this.isStarted) return;
    this.client = eachMessage(this.client, (type, body) => {
      const [first = '', second = ''] = texts(body, 2);
      switch (type) {
        case 'Q':
          this.begin(first, true);
          break;
        case 'P':
          this.prepared.set(first, second);
          this.lastParsed = second;
          break;
        case 'B':
          this.portals.set(first, this.prepared.get(second) ?? '');
          break;
        case 'E':
          this.begin(this.portals.get(first) ?? '', false);
          break;
        case 'X':
          this.hasLeft();
          break;
        case 'S':
          this.pending.push({ statement: null, isSimple: false });
          break;
        default:
      }
    });
  }

  /** @returns the statements that have ended with this chunk. */
  fromServer(chunk: Buffer): Statement[] {
    const finished: Statement[] = [];
    this.server = Buffer.concat([this.server, chunk]);
    this.server = eachMessage(this.server, (type, body) => {
      const head = this.pending[0];
      switch (type) {
        case 'K':
          this.backend = body.readInt32BE(0);
          break;
        case 'D':
          if (head?.statement) {
            head.statement.rows++;
            if (head.statement.answers.length < rememberedAnswers) head.statement.answers.push(firstColumn(body));
          }
          break;
        case 'N':
          head?.statement?.notices.push(reportIn(body));
          break;
        case 'E': {
          if (head?.statement) {
            head.statement.error ??= reportIn(body);
          } else {
            // It could not be parsed, so it was never asked to be executed.
            const refused = this.record(this.lastParsed);
            refused.error = reportIn(body);
            finished.push(end(refused));
          }
          break;
        }
        case 'C':
        case 's':
        case 'I':
          if (head?.statement && !head.isSimple) {
            this.pending.shift();
            finished.push(end(head.statement));
          }
          break;
        case 'Z':
          // An error makes the server skip everything up to the Sync, which this answers.
          for (let next = this.pending.shift(); next; next = this.pending.shift()) {
            if (next.statement) finished.push(end(next.statement));
            if (next.isSimple || !next.statement) break;
          }
          break;
        default:
      }
    });
    return finished;
  }

  private begin(sql: string, isSimple: boolean): void {
    this.pending.push({ statement: this.record(sql), isSimple });
  }

  private record(sql: string): Statement {
    const statement: Statement = { sql, backend: this.backend, rows: 0, answers: [], notices: [], error: null, sentAt: performance.now(), endedAt: Infinity };
    this.statements.push(statement);
    return statement;
  }
}

function end(statement: Statement): Statement {
  statement.endedAt = performance.now();
  return statement;
}

/** @returns what is left: the beginning of a message whose end has not come yet. */
function eachMessage(buffer: Buffer, read: (type: string, body: Buffer) => void): Buffer<ArrayBuffer> {
  let offset = 0;
  while (buffer.length - offset >= 5) {
    const length = buffer.readInt32BE(offset + 1);
    if (buffer.length - offset < length + 1) break;
    read(String.fromCharCode(buffer[offset] ?? 0), buffer.subarray(offset + 5, offset + 1 + length));
    offset += length + 1;
  }
  return Buffer.from(buffer.subarray(offset));
}

/** The first texts of a message, each ended by a zero. */
function texts(body: Buffer, count: number): string[] {
  const found: string[] = [];
  for (let start = 0; found.length < count; ) {
    const stop = body.indexOf(0, start);
    if (stop < 0) break;
    found.push(body.toString('utf8', start, stop));
    start = stop + 1;
  }
  return found;
}

function firstColumn(body: Buffer): string | null {
  if (body.readInt16BE(0) === 0) return null;
  const length = body.readInt32BE(2);
  return length < 0 ? null : body.toString('utf8', 6, 6 + length);
}

function reportIn(body: Buffer): Report {
  const fields = new Map<string, string>();
  for (let start = 0; start < body.length && body[start] !== 0; ) {
    const stop = body.indexOf(0, start);
    fields.set(String.fromCharCode(body[start] ?? 0), body.toString('utf8', start + 1, stop));
    start = stop + 1;
  }
  return { code: fields.get('C') ?? '', message: fields.get('M') ?? '' };
}
