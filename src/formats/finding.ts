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
  /** The classes and functions around it, outermost first: `JobQueue.take`; null outside of all that have a name. */
  readonly scope: string | null;
  /**
   * Names the defect by rule, message, scope and code, not by its line: it survives edits elsewhere in the file, and equal
   * defects of one file share it. 16 hexadecimal digits.
   */
  readonly fingerprint: string;
  /** Which of the findings of its file that share its fingerprint this is, from 1, in the order of the text. */
  readonly occurrence: number;
  /** Why it does not count; empty for one that does. */
  readonly suppressions: readonly Suppression[];
}

export interface Suppression {
  /** A comment in the code, or an entry of the baseline. */
  readonly by: 'comment' | 'baseline';
  /** What the comment says behind `--`. */
  readonly justification: string | null;
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
  /** Without a byte order mark, as `range` counts. */
  readonly text: string;
  readonly hasByteOrderMark: boolean;
  readonly findings: readonly Finding[];
  /** Findings that do not count, by place. */
  readonly suppressed: readonly Finding[];
  /** Why the file could not be analysed. */
  readonly failure: Failure | null;
}

export interface Failure {
  readonly message: string;
  /** From 1; null where the failure has no place. */
  readonly line: number | null;
  readonly column: number | null;
}

/** A rule that the run applied, for formats that describe rules. */
export interface RuleDescription {
  /** With the plugin's namespace. */
  readonly id: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  readonly url: string | null;
  readonly tier: 'recommended' | 'strict' | 'all';
  /** The rule's page in Markdown, its links absolute; null where it is not installed. */
  readonly help: string | null;
}

/** The findings of a whole run, to be turned into text. */
export interface Report {
  readonly version: string;
  /** Paths are shown to people relative to this folder. */
  readonly cwd: string;
  /** The repository's root, from which services count paths; `cwd` outside of a repository. */
  readonly root: string;
  readonly color: boolean;
  /** Files with findings or a failure, by path. */
  readonly files: readonly FileReport[];
  /** What went wrong besides the failures of files. */
  readonly problems: readonly string[];
  readonly exitStatus: number;
  /** Also tell about findings that do not count, marked as such. */
  readonly includeSuppressed: boolean;
  /** Every rule that ran for some file, sorted; made when asked for. */
  readonly rules: () => readonly RuleDescription[];
}
