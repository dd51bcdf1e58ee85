/** Where outages of the collector are logged. */
export interface ExportLogger {
  warn(message: string): void;
  info(message: string): void;
}

/** Result of an export. `code` 0 is success. */
interface ExportResult {
  code: number;
  error?: Error;
}

interface Exporter<T> {
  export(items: T, done: (result: ExportResult) => void): void;
}

/** Logs once that a collector does not accept exports, and once that it does again. */
export class ExportLog {
  private readonly failing = new Set<string>();

  constructor(
    private readonly logger: ExportLogger,
    /** Where the exports are sent to, without path and credentials. */
    private readonly origin: string,
  ) {}

  /** @param signal what it exports, as the first word of the message. */
  watch<T>(exporter: Exporter<T>, signal: string): void {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) =>
      send(items, (result) => {
        this.note(signal, result);
        done(result);
      });
  }

  private note(signal: string, { code, error }: ExportResult): void {
    if (code !== 0) {
      if (this.failing.size === 0)
        this.logger.warn(
          `${signal} cannot be sent to ${this.origin} and are dropped: ${reasonOf(error)}. Requests are not affected`,
        );
      this.failing.add(signal);
    } else if (this.failing.delete(signal) && this.failing.size === 0)
      this.logger.info(`${this.origin} accepts traces and metrics again`);
  }
}

function reasonOf(error: Error | undefined): string {
  const { code, message = 'unknown error' } = (error ?? {}) as { code?: string; message?: string };
  return code ?? message.split('\n')[0]!;
}
