/** One replacement of source text, as absolute UTF-16 offsets into the file. */
export interface Edit {
  readonly range: readonly [number, number];
  readonly text: string;
}
