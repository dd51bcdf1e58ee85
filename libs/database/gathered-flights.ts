import { isPoolExhausted, isUnreachable } from './failures.js';
import type { Answer } from './flight.js';
import type { Statement } from './statement.js';

/** Most that leave as one. Those behind wait for those before them: a fraction of a millisecond for each. */
const MAX_TOGETHER = 8;

/** The flight of one request: its tenant, then what it asks for. */
interface Waiting {
  enter: Statement;
  statements: readonly Statement[];
  resolve: (answers: Answer[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Sends what requests ask for in the same turn of the event loop as one flight: under load a flight by itself costs both
 * processes more than a short read does, and as much as a create. Each names its tenant first, unless the one before it
 * has named the same, so that row-level security holds between them. An error ends them all, so they fly again alone, and
 * it is left to the one that has it; nothing of any of them was committed, as a flight is one transaction.
 */
export class GatheredFlights {
  /** By what they have in common that share flights. */
  private companies = new Map<string, Waiting[]>();

  constructor(private readonly send: (statements: readonly Statement[]) => Promise<Answer[]>) {}

  /** The answer to a read of one row or so, as if it were sent by itself. `enter` names the tenant, any tenant. */
  async row(enter: Statement, query: Statement): Promise<Answer> {
    const [answer] = await this.fly('rows', enter, [query]);
    return answer!;
  }

  /** The answer to a list, as if it were sent by itself; it shares a flight with lists of its tenant only. */
  async list(tenantId: string, enter: Statement, query: Statement): Promise<Answer> {
    const [answer] = await this.fly(`lists ${tenantId}`, enter, [query]);
    return answer!;
  }

  /** Commits what a unit of work writes, all or nothing, as if it were sent by itself; with others of its tenant only. */
  async write(tenantId: string, enter: Statement, writes: readonly Statement[]): Promise<void> {
    await this.fly(`writes ${tenantId}`, enter, writes);
  }

  private fly(company: string, enter: Statement, statements: readonly Statement[]): Promise<Answer[]> {
    return new Promise((resolve, reject) => {
      if (this.companies.size === 0) setImmediate(() => this.depart());
      let flights = this.companies.get(company);
      if (!flights) this.companies.set(company, (flights = []));
      flights.push({ enter, statements, resolve, reject });
    });
  }

  private depart(): void {
    const { companies } = this;
    this.companies = new Map();
    for (const flights of companies.values())
      for (let first = 0; first < flights.length; first += MAX_TOGETHER)
        void this.together(flights.slice(first, first + MAX_TOGETHER));
  }

  private async together(flights: readonly Waiting[]): Promise<void> {
    const sent: Statement[] = [];
    let named: Statement | null = null;
    const places = flights.map(({ enter, statements }) => {
      if (!named || !isSame(named, enter)) sent.push((named = enter));
      const place = sent.length;
      sent.push(...statements);
      return place;
    });
    try {
      const answers = await this.send(sent);
      flights.forEach(({ statements, resolve }, i) =>
        resolve(answers.slice(places[i], places[i]! + statements.length)),
      );
    } catch (error) {
      const isNobodys = isPoolExhausted(error) || isUnreachable(error);
      for (const { enter, statements, resolve, reject } of flights)
        if (isNobodys || flights.length === 1) reject(error);
        else this.send([enter, ...statements]).then(([, ...answers]) => resolve(answers), reject);
    }
  }
}

/** Whether two statements name the same tenant, with the same facts to be confirmed, in the same way. */
function isSame(one: Statement, other: Statement): boolean {
  return one.text === other.text && one.values.every((value, i) => value === other.values[i]);
}
