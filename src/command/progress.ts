/** A line on a terminal that says how far the run is, for runs long enough that somebody may wonder. */
export interface Progress {
  show(text: string): void;
  /** Takes the line away. */
  clear(): void;
}

const firstAfterMs = 500;
const everyMs = 100;

export function createProgress(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  let nextAt = Date.now() + firstAfterMs;
  let shown = false;
  return {
    show(text) {
      if (Date.now() < nextAt) return;
      nextAt = Date.now() + everyMs;
      stream.write(`\r\u001b[K${text}`);
      shown = true;
    },
    clear() {
      if (shown) stream.write('\r\u001b[K');
      shown = false;
    },
  };
}
