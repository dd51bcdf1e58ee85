import { isPoolExhausted, isUnreachable } from './failures.js';
import type { Answer } from './flight.js';
import type { Statement } from './statement.js';

/** Most that are sent as one. Those behind wait for those before them, each a fraction of a millisecond. */
const MAX_TOGETHER = 8;

/** The flight of one request: its tenant, then what it reads. */
interface Waiting {
  statements: readonly Statement[];
  resolve: (answers: Answer[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Sends the short reads that requests ask for in the same turn of the event loop as one flight: under load a flight by
 * itself costs both processes more than such a read does. Each names its tenant first, as it does alone, so that row-level
 * security holds between them. An error ends them all, so they fly again alone, and it is left to the one that has it.
 */
export class GatheredFlights {
  private waiting: Waiting[] = [];

  constructor(private readonly send: (statements: readonly Statement[]) => Promise<Answer[]>) {}

  /** The answers to the statements, as if they were sent by themselves. */
  fly(statements: readonly Statement[]): Promise<Answer[]> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ statements, resolve, reject }) === 1) setImmediate(() => this.depart());
    });
  }

  private depart(): void {
    const { waiting } = this;
    this.waiting = [];
    for (let first = 0; first < waiting.length; first += MAX_TOGETHER)
      void this.together(waiting.slice(first, first + MAX_TOGETHER));
  }

  private async together(flights: readonly Waiting[]): Promise<void> {
    try {
      const answers = (await this.send(flights.flatMap(({ statements }) => statements))).values();
      for (const { statements, resolve } of flights) resolve(Array.from(statements, () => answers.next().value!));
    } catch (error) {
      const isNobodys = isPoolExhausted(error) || isUnreachable(error);
      for (const { statements, resolve, reject } of flights)
        if (isNobodys || flights.length === 1) reject(error);
        else this.send(statements).then(resolve, reject);
    }
  }
}
