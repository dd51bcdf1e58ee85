import { isPoolExhausted, isUnreachable } from '../failures.js';
import type { Answer } from './flight.js';
import type { Statement } from '../statement.js';

/** Maximum number of requests per shared flight. Later ones wait for earlier ones, a fraction of a millisecond each. */
const MAX_TOGETHER = 8;

/** The flight of one request: its tenant, then its statement. */
interface Waiting {
  enter: Statement;
  statements: readonly Statement[];
  resolve: (answers: Answer[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Combines the statements of requests from the same turn of the event loop into one flight. Under load, a flight costs
 * both processes more than a short read, and as much as a create. Each request sets its tenant first, unless the
 * previous one set the same tenant, so that row-level security separates them. A flight is one transaction: an error
 * aborts all its requests, and nothing is committed. Each one is then repeated alone, and only the faulty one fails.
 */
export class GatheredFlights {
  /** Waiting requests, by the key under which they may share a flight. */
  private companies = new Map<string, Waiting[]>();

  constructor(private readonly send: (statements: readonly Statement[]) => Promise<Answer[]>) {}

  /** The result of a read of about one row, as if sent alone. `enter` sets the tenant, which may be any. */
  async row(enter: Statement, query: Statement): Promise<Answer> {
    const [answer] = await this.fly('rows', enter, [query]);
    return answer!;
  }

  /** The result of a list, as if sent alone. Shares a flight only with lists of its tenant. */
  async list(tenantId: string, enter: Statement, query: Statement): Promise<Answer> {
    const [answer] = await this.fly(`lists ${tenantId}`, enter, [query]);
    return answer!;
  }

  /**
   * Commits the writes of a unit of work, all or nothing, as if sent alone. Shares a flight only with others of its
   * tenant.
   */
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

/** Whether two statements set the same tenant and verify the same facts in the same way. */
function isSame(one: Statement, other: Statement): boolean {
  return one.text === other.text && one.values.every((value, i) => value === other.values[i]);
}
