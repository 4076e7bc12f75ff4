export const locksFormats = ['table', 'json', 'mermaid', 'html'] as const;

export type LocksFormatName = (typeof locksFormats)[number];

/** What the ending of a file's name says of its format; null where it says nothing. */
export function formatOfFile(file: string): LocksFormatName | null {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  switch (ending) {
    case 'json':
      return 'json';
    case 'html':
    case 'htm':
      return 'html';
    case 'mmd':
    case 'mermaid':
      return 'mermaid';
    default:
      return null;
  }
}
