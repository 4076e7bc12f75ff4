/** The command was called in a way it cannot serve; the message is for the person who typed it. */
export class UsageError extends Error {
  override name = 'UsageError';
}
