/** A proxy in front of PostgreSQL that can stop after any message of its clients. */
export class PostgresProxy {
  static start(databaseUrl: string): Promise<PostgresProxy>;
  /** Types of the messages that passed since it was armed, a letter each. */
  readonly passed: string;
  /** The database through the proxy. */
  urlOf(databaseUrl: string): string;
  /** Counts from now on, all messages or those of some types; resolves when nothing passes any more. */
  arm(messages: number, types?: RegExp): Promise<void>;
  /** Passes everything on again, on new connections: those that were cut end. */
  disarm(): void;
  close(): Promise<void>;
}
