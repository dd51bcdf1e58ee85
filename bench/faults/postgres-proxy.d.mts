/** A proxy in front of PostgreSQL that can stop after any message of its clients. */
export class PostgresProxy {
  static start(databaseUrl: string): Promise<PostgresProxy>;
  /** Types of the messages passed since it was armed, one letter each. */
  readonly passed: string;
  /** The database through the proxy. */
  urlOf(databaseUrl: string): string;
  /** Starts counting all messages or those of some types; resolves when the proxy stops passing messages. */
  arm(messages: number, types?: RegExp): Promise<void>;
  /** Number of open connections that were opened after it was last disarmed. */
  readonly freshConnections: number;
  /** Passes messages again, on new connections: stopped connections end. */
  disarm(): void;
  close(): Promise<void>;
}
