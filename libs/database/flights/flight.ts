import type { PoolClient, Submittable } from 'pg';
import { serialize } from 'pg-protocol';
import utils from 'pg/lib/utils.js';
import type { RecentDurations } from '#libs/metrics/recent-durations.js';
import type { Statement } from '../statement.js';
import { type Field, type Row, type RowReader, rowReader } from './row-reader.js';

export type { Row };

/** Result of one statement of a flight. `count` is the number of rows returned or changed. */
export interface Answer {
  rows: Row[];
  count: number;
}

/** The parts of a `pg` connection that a flight uses. */
interface Wire {
  stream: { write(bytes: Buffer): void };
}

const DESCRIBE = serialize.describe({ type: 'P' });
const EXECUTE = serialize.execute();
const SYNC = serialize.sync();

/** The prepared statements of a connection. */
interface Prepared {
  /**
   * Named statements and their row readers: null if the statement returns no rows, undefined until the first result.
   */
  known: Map<string, RowReader | null | undefined>;
  /** Statement names that may or may not exist after a failed flight. */
  doubtful: Set<string>;
}

const prepared = new WeakMap<Wire, Prepared>();

/** Where the durations of flights are recorded. */
const timed = new WeakMap<PoolClient, RecentDurations>();

/** Connections that use only unnamed statements. */
const unnamed = new WeakSet<Wire>();

/**
 * Several statements in one network round trip.
 *
 * The extended protocol ends the implicit transaction at Sync, not at each statement. Bind and Execute for every
 * statement and one Sync at the end are therefore all-or-nothing, and `set_config(..., true)` in the first statement
 * applies until the end of the flight. Inside an explicit transaction, a flight is simply a batch. `Source:`
 * PostgreSQL documentation, "Extended Query: Pipelining"; ADR 0003.
 */
class Flight implements Submittable {
  private readonly answers: Answer[] = [];
  private readonly fresh: string[] = [];
  private state: Prepared = { known: new Map(), doubtful: new Set() };
  private isUnnamed = false;
  private reader: RowReader | null | undefined;
  private rows: Row[] = [];
  private failure: Error | null = null;
  private settled = false;

  constructor(
    private readonly statements: readonly Statement[],
    private readonly resolve: (answers: Answer[]) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  submit(connection: object): Error | null {
    const wire = connection as Wire;
    this.isUnnamed = unnamed.has(wire);
    this.state = prepared.get(wire) ?? this.state;
    prepared.set(wire, this.state);
    try {
      wire.stream.write(Buffer.concat(this.messages(this.state)));
      return null;
    } catch (error) {
      return error as Error; // a value could not be written, so nothing was sent; `pg` hands the error to handleError
    }
  }

  private messages({ known, doubtful }: Prepared): Buffer[] {
    const messages: Buffer[] = [];
    for (const { name: given = '', text, values } of this.statements) {
      const name = this.isUnnamed ? '' : given;
      if (name === '' || !known.has(name)) {
        if (doubtful.delete(name)) messages.push(serialize.close({ type: 'S', name }));
        messages.push(serialize.parse({ text, name, types: [] }));
        if (name !== '') {
          known.set(name, undefined);
          this.fresh.push(name);
        }
      }
      messages.push(
        serialize.bind({
          statement: name,
          values,
          valueMapper: (value) => (Array.isArray(value) ? arrayText(value) : utils.prepareValue(value)),
        }),
      );
      // The columns of a prepared statement cannot change, because PostgreSQL would refuse to run it.
      if (known.get(name) === undefined) messages.push(DESCRIBE);
      messages.push(EXECUTE);
    }
    messages.push(SYNC);
    return messages;
  }

  handleRowDescription(message: { fields: Field[] }): void {
    this.reader = rowReader(message.fields);
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    try {
      this.reader ??= this.state.known.get(this.nameAnswered());
      this.rows.push(this.reader!(message.fields));
    } catch (error) {
      this.failure ??= error as Error;
    }
  }

  handleCommandComplete(message: { text: string }): void {
    const name = this.nameAnswered();
    if (name !== '' && this.state.known.get(name) === undefined) this.state.known.set(name, this.reader ?? null);
    const count = Number(/(\d+)$/.exec(message.text)?.[1] ?? 0);
    this.answers.push({ rows: this.rows, count });
    this.rows = [];
    this.reader = undefined;
  }

  /** Name of the statement whose result is being read. Not called `name`, which has a meaning in `pg`. */
  private nameAnswered(): string {
    return this.isUnnamed ? '' : (this.statements[this.answers.length]!.name ?? '');
  }

  handleEmptyQuery(): void {
    this.answers.push({ rows: [], count: 0 });
  }

  handlePortalSuspended(): void {}

  handleError(error: Error): void {
    // After an error the server skips to Sync, so a statement first parsed in this flight may or may not exist. If
    // nothing was sent, earlier doubts remain.
    for (const name of this.fresh) {
      this.state.known.delete(name);
      this.state.doubtful.add(name);
    }
    this.settle(() => this.reject(error));
  }

  handleReadyForQuery(): void {
    const { failure } = this;
    this.settle(() => (failure ? this.reject(failure) : this.resolve(this.answers)));
  }

  private settle(done: () => void): void {
    if (this.settled) return;
    this.settled = true;
    done();
  }
}

/** Texts that need no quotation marks as array elements. Excludes `NULL` in any case. */
const PLAIN = /^(?!null$)[\w.:+-]+$/i;

/** The text of an array, like `pg`'s but faster, because few elements need escaping. */
function arrayText(values: readonly unknown[]): string {
  const parts: string[] = [];
  for (const value of values) {
    if (typeof value === 'string') parts.push(elementText(value));
    else if (value === null || value === undefined) parts.push('NULL');
    else if (typeof value === 'number') parts.push(String(value));
    else if (Array.isArray(value)) parts.push(arrayText(value));
    else if (ArrayBuffer.isView(value)) return utils.prepareValue(values) as string;
    else parts.push(elementText(String(utils.prepareValue(value))));
  }
  return `{${parts.join(',')}}`;
}

function elementText(text: string): string {
  return PLAIN.test(text) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** Sends the statements in one flight on an idle connection. Returns the results in the same order. */
export function fly(client: PoolClient, statements: readonly Statement[]): Promise<Answer[]> {
  const startedMs = performance.now();
  const durations = timed.get(client);
  return new Promise((resolve, reject) => {
    const ended = <T>(settle: (value: T) => void) => {
      return (value: T) => {
        durations?.record(performance.now() - startedMs);
        settle(value);
      };
    };
    client.query(new Flight(statements, ended(resolve), ended(reject)));
  });
}

/** Records how long the flights of a connection take. */
export function timeFlights(client: PoolClient, durations: RecentDurations): void {
  timed.set(client, durations);
}

/** Makes a connection parse all statements each time, because the next flight may reach another server process. */
export function sendUnnamed(client: PoolClient): void {
  // The types omit the connection that `pg` passes to submit().
  unnamed.add((client as PoolClient & { connection: Wire }).connection);
}
