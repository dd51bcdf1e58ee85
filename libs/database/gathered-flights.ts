import { isPoolExhausted, isUnreachable } from './failures.js';
import type { Answer } from './flight.js';
import type { Statement } from './statement.js';

/** Most that are sent as one: reads of a row, and lists. Those behind wait for those before them, about a millisecond at most. */
const MOST_ROWS = 8;
const MOST_LISTS = 4;
/** The company of reads of a row, whose tenants need not be the same. */
const ROWS = 'rows';

/** The flight of one request: its tenant, then what it reads. */
interface Waiting {
  enter: Statement;
  query: Statement;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Sends the reads that requests ask for in the same turn of the event loop as one flight: under load a flight by itself
 * costs both processes more than such a read does. Each names its tenant first, unless the one before it has named the
 * same, so that row-level security holds between them. An error ends them all, so they fly again alone, and it is left to
 * the one that has it.
 */
export class GatheredFlights {
  private waiting = new Map<string, Waiting[]>();

  constructor(private readonly send: (statements: readonly Statement[]) => Promise<Answer[]>) {}

  /** The answer to a read of one row or so, as if it were sent by itself. `enter` names the tenant. */
  row(enter: Statement, query: Statement): Promise<Answer> {
    return this.fly(ROWS, enter, query);
  }

  /** The answer to a list, as if it were sent by itself; it shares a flight with lists of its tenant only. */
  list(tenantId: string, enter: Statement, query: Statement): Promise<Answer> {
    return this.fly(tenantId, enter, query);
  }

  private fly(company: string, enter: Statement, query: Statement): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) setImmediate(() => this.depart());
      let present = this.waiting.get(company);
      if (!present) this.waiting.set(company, (present = []));
      present.push({ enter, query, resolve, reject });
    });
  }

  private depart(): void {
    const { waiting } = this;
    this.waiting = new Map();
    for (const [company, flights] of waiting) {
      const most = company === ROWS ? MOST_ROWS : MOST_LISTS;
      for (let first = 0; first < flights.length; first += most) void this.together(flights.slice(first, first + most));
    }
  }

  private async together(flights: readonly Waiting[]): Promise<void> {
    const statements: Statement[] = [];
    let named: Statement | null = null;
    const places = flights.map(({ enter, query }) => {
      if (!named || !isSame(named, enter)) statements.push((named = enter));
      return statements.push(query) - 1;
    });
    try {
      const answers = await this.send(statements);
      flights.forEach(({ resolve }, i) => resolve(answers[places[i]!]!));
    } catch (error) {
      const isNobodys = isPoolExhausted(error) || isUnreachable(error);
      for (const { enter, query, resolve, reject } of flights)
        if (isNobodys || flights.length === 1) reject(error);
        else this.send([enter, query]).then((answers) => resolve(answers[1]!), reject);
    }
  }
}

/** Whether two statements name the same tenant, with the same facts to be confirmed, in the same way. */
function isSame(one: Statement, other: Statement): boolean {
  return one.text === other.text && one.values.every((value, i) => value === other.values[i]);
}
