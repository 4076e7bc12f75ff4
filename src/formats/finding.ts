/** A place in a file. Lines and columns count from 1, `range` is in UTF-16 units from 0, without a byte order mark. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly range: readonly [number, number];
}

/** A step on the way from the acquire to where the lock is lost. */
export interface Step extends Place {
  readonly text: string;
}

export interface Finding extends Place {
  /** With the plugin's namespace: `advisory-lock/require-unlock`. */
  readonly ruleId: string;
  readonly messageId: string;
  readonly message: string;
  readonly severity: 'warning' | 'error';
  readonly url: string | null;
  readonly suggestions: readonly SuggestedEdit[];
  readonly witness: readonly Step[];
}

export interface SuggestedEdit {
  readonly messageId: string;
  readonly message: string;
  readonly fix: { readonly range: readonly [number, number]; readonly text: string };
}

/** What is to be said about one file. */
export interface FileReport {
  /** Absolute. */
  readonly path: string;
  readonly findings: readonly Finding[];
  /** Why the file could not be analysed. */
  readonly failure: Failure | null;
}

export interface Failure {
  readonly message: string;
  /** From 1; null where the failure has no place. */
  readonly line: number | null;
  readonly column: number | null;
}

/** The findings of a whole run, to be turned into text. */
export interface Report {
  readonly version: string;
  /** Paths are shown relative to this folder. */
  readonly cwd: string;
  readonly color: boolean;
  /** Files with findings or a failure, by path. */
  readonly files: readonly FileReport[];
}
