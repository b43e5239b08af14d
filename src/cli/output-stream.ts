/** One of the two output streams. */
export interface OutputStream {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Lines of a terminal; undefined elsewhere. */
  readonly rows?: number | undefined;
}
