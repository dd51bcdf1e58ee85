import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import {
  currentScope,
  currentTenant,
  isTransactionOpen,
  StaleTenantFacts,
  type Scope,
  type TenantFacts,
} from '#libs/tenancy/scope.js';
import { type DriverPool, Connections } from './flights/connections.js';
import { asProblem, isStaleFacts, isTransient, isUnreachable } from './failures.js';
import { type Answer, fly, type Row } from './flights/flight.js';
import { traced } from './flights/flight-span.js';
import { GatheredFlights } from './flights/gathered-flights.js';
import { Outages } from './flights/outages.js';
import { statement, type Statement } from './statement.js';
import { BEGIN_SNAPSHOT, Transaction } from './transaction.js';

const ENTER = `select set_config('app.tenant_id', $1, true)`;
const CHECK = `, directory.check_epoch($1::uuid, $2::bigint)`;
const READ_ONLY = `, set_config('transaction_read_only', 'on', true)`;
const GENERIC = `, set_config('plan_cache_mode', 'force_generic_plan', true)`;
const enters = (start: string) => ({
  read: start + READ_ONLY,
  genericRead: start + READ_ONLY + GENERIC,
  write: start,
});
const ENTERS = enters(ENTER);
const CHECKED = enters(ENTER + CHECK);
const LEAVE = statement(`select set_config('app.tenant_id', '', true)`);
const NOTHING = statement('select');
const MAX_TRIES = 3;
/** Maximum delay before the second attempt; longer before the third. */
const STEP_ASIDE_MS = 25;
/** Each refresh means that another request has changed the tenant, so several in a row mean contention, not failure. */
const MAX_REFRESHES = 20;

/** The first statement of every flight and transaction: sets the tenant, and verifies its cached facts. */
function enter(scope: Scope, kind: keyof typeof ENTERS): Statement {
  const { id, epoch } = currentTenant();
  return scope.refresh ? statement(CHECKED[kind], [id, epoch]) : statement(ENTERS[kind], [id]);
}

/** Sets the tenant for the following statements of a transaction. Only inside {@link Database.acrossTenants}. */
export function inTenant(tenantId: string): Statement {
  return statement(ENTERS.write, [tenantId]);
}

/** Statements for {@link Database.severally} that belong to one tenant. */
export interface TenantPart {
  /** Null for statements without a tenant, as in {@link Database.system}. */
  tenant: TenantFacts | null;
  statements: readonly Statement[];
}

/**
 * The only access to tenant data. Every statement runs in a short transaction in which PostgreSQL knows the tenant, so
 * that row-level security applies. Without a tenant in scope, the call throws before it uses the pool.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  private readonly pool: Connections;
  private readonly gathered = new GatheredFlights((statements) => this.send(statements));
  private readonly outages = new Outages();
  /** When a flight last completed (`performance.now()`). */
  answeredAtMs = -Infinity;

  constructor(@Inject(DataSource) readonly source: DataSource) {
    this.pool = new Connections((source.driver as PostgresDriver).master as DriverPool);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.source.isInitialized) await this.source.destroy();
  }

  /** Recent waits for a connection, and durations of round trips. */
  get durations(): Connections['durations'] {
    return this.pool.durations;
  }

  /** Whether PostgreSQL refuses writes because disk or memory are full. */
  get isFull(): boolean {
    return this.outages.isFull;
  }

  /** Connection pool figures, for metrics. */
  get connections(): Connections['figures'] {
    return this.pool.figures;
  }

  /**
   * Runs one read-only statement for the tenant in scope, in one round trip; joins an open transaction.
   * @throws Problem `unavailable` if the database cannot be reached.
   */
  async read<R extends object = Row>(query: Statement): Promise<R[]> {
    const scope = currentScope();
    if (scope.transaction) return (scope.transaction as Transaction).query<R>(query);
    return this.attempt(scope, true, async () => {
      const answer = await this.answerTo(enter(scope, query.generic ? 'genericRead' : 'read'), query);
      scope.confirmed = true;
      return answer.rows as R[];
    });
  }

  /**
   * Runs `work` as one transaction for the tenant in scope; joins an open transaction.
   *
   * `work` may run again after a serialization failure or if cached facts were outdated, so it must have no effect
   * outside the database. Its result is stored for the idempotency key.
   *
   * @param mayShare Whether it only adds rows that nobody knows yet, and takes no lock that similar work could need.
   * It may then share a flight with others of its tenant, unless it reads or stores a response under a key.
   */
  async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { mayShare = false }: { mayShare?: boolean | undefined } = {},
  ): Promise<T> {
    const scope = currentScope();
    if (scope.transaction) return work(scope.transaction as Transaction);
    return this.attempt(scope, false, async () => {
      const together = mayShare && !scope.completion ? this.writesOf(currentTenant().id) : null;
      const transaction = new Transaction(() => this.pool.take(), enter(scope, 'write'), scope.expectation, together);
      const result = await within(scope, transaction, async () => {
        const done = await work(transaction);
        if (scope.completion) transaction.writeFirst(scope.completion(done));
        return done;
      });
      if (transaction.entered) scope.startsOver = false;
      return result;
    });
  }

  /**
   * Runs `work` on one snapshot of the tenant in scope: all its reads see the same state, and it cannot write. Must not
   * be called inside a transaction. `work` may run again, as in {@link transaction}.
   */
  async snapshot<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const scope = currentScope();
    if (scope.transaction) throw new Error('A transaction is open: snapshot() would need a second connection.');
    return this.attempt(scope, true, async () => {
      const transaction = new Transaction(() => this.pool.take(), enter(scope, 'write'), null, null, BEGIN_SNAPSHOT);
      return within(scope, transaction, work);
    });
  }

  /**
   * Runs statements in a separate transaction, in one round trip. For what must be kept whether or not the request's
   * unit of work commits: number blocks, idempotency claims, records of refusals. Must not be called inside a
   * transaction, because it would need a second connection.
   */
  async aside(statements: readonly Statement[]): Promise<Answer[]> {
    const scope = currentScope();
    if (scope.transaction) throw new Error('A transaction is open: aside() would need a second connection.');
    return this.attempt(scope, false, async () => {
      const [, ...answers] = await this.fly([enter(scope, 'write'), ...statements]);
      scope.confirmed = true;
      return answers;
    });
  }

  /**
   * Has PostgreSQL verify the cached facts of the tenant, for a decision before the first statement; joins an open
   * transaction.
   */
  async confirm(): Promise<void> {
    const scope = currentScope();
    if (scope.confirmed || !scope.refresh) return;
    if (scope.transaction) return void (await (scope.transaction as Transaction).query(NOTHING));
    await this.attempt(scope, true, () => this.fly([enter(scope, 'read')]));
    scope.confirmed = true;
  }

  /**
   * Runs statements without a tenant, in one round trip and one transaction: credential lookup, health, and the system
   * tables that the worker's role may read across tenants. Access to tenant tables fails.
   */
  async system(statements: readonly Statement[]): Promise<Answer[]> {
    try {
      const answers = await this.fly(statements);
      this.outages.succeeded(false);
      return answers;
    } catch (error) {
      throw this.problemOf(error);
    }
  }

  /** The rows of one statement, run as in {@link system}. */
  async systemRead<R extends object>(query: Statement): Promise<R[]> {
    const [answer] = await this.system([query]);
    return answer!.rows as R[];
  }

  /**
   * Runs statements of several tenants in one round trip and one transaction. Each part runs under its own tenant, or
   * under none, so that row-level security separates the parts. For the worker, which does the same work for many
   * tenants at once. Returns the results by part.
   * @param onSent is called each time the statements are sent.
   * @throws Problem `unavailable` like {@link read}.
   */
  async severally(parts: readonly TenantPart[], onSent: () => void = () => undefined): Promise<Answer[][]> {
    if (isTransactionOpen()) throw new Error('A transaction is open: severally() would need a second connection.');
    const statements = parts.flatMap(({ tenant, statements: own }) => [
      tenant ? statement(ENTERS.write, [tenant.id]) : LEAVE,
      ...own,
    ]);
    for (let tries = 1; ; tries++) {
      try {
        const answers = (await this.fly(statements, onSent)).values();
        this.outages.succeeded(true);
        return parts.map((part) => {
          answers.next();
          return Array.from(part.statements, () => answers.next().value!);
        });
      } catch (error) {
        if (tries >= MAX_TRIES || !isTransient(error)) throw this.problemOf(error);
        await apart(tries);
      }
    }
  }

  /**
   * Runs `work` as one transaction that spans tenants, for the worker. {@link inTenant} must precede statements on
   * tenant tables. `work` may run again, as in {@link transaction}.
   * @throws Problem `unavailable` like {@link read}.
   */
  async acrossTenants<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    if (isTransactionOpen()) throw new Error('A transaction is open: acrossTenants() would need a second connection.');
    for (let tries = 1; ; tries++) {
      const transaction = new Transaction(() => this.pool.take(), LEAVE);
      try {
        const result = await committed(transaction, work);
        this.outages.succeeded(true);
        return result;
      } catch (error) {
        if (tries >= MAX_TRIES || !isTransient(error)) throw this.problemOf(error);
        await apart(tries);
      }
    }
  }

  private async answerTo(entering: Statement, query: Statement): Promise<Answer> {
    if (query.isShort) return traced([query], () => this.gathered.row(entering, query));
    if (query.generic) return traced([query], () => this.gathered.list(currentTenant().id, entering, query));
    const [, answer] = await this.fly([entering, query]);
    return answer!;
  }

  private writesOf(tenantId: string): (enter: Statement, writes: readonly Statement[]) => Promise<void> {
    return (entering, writes) => traced(writes, () => this.gathered.write(tenantId, entering, writes));
  }

  private fly(statements: readonly Statement[], onSent?: () => void): Promise<Answer[]> {
    return traced(statements, () => this.send(statements, onSent));
  }

  private async send(statements: readonly Statement[], onSent: () => void = () => undefined): Promise<Answer[]> {
    const client = await this.pool.take();
    try {
      const flight = fly(client, statements);
      onSent();
      const answers = await flight;
      this.answeredAtMs = performance.now();
      client.release();
      return answers;
    } catch (error) {
      client.release(isUnreachable(error));
      throw error;
    }
  }

  /** What to throw for an error of any connection to this database; an outage is logged. */
  problemOf(error: unknown): unknown {
    this.outages.failed(error);
    return asProblem(error);
  }

  private async attempt<T>(scope: Scope, readOnly: boolean, run: () => Promise<T>): Promise<T> {
    let refreshes = 0;
    for (let tries = 1; ;) {
      try {
        const result = await run();
        this.outages.succeeded(!readOnly);
        return result;
      } catch (error) {
        if (isStaleFacts(error)) {
          if (!scope.refresh) throw new StaleTenantFacts();
          if (++refreshes > MAX_REFRESHES) throw this.problemOf(error);
          await scope.refresh();
          if (scope.startsOver) throw new StaleTenantFacts();
        } else if (tries++ >= MAX_TRIES || !(isTransient(error) || (readOnly && isUnreachable(error)))) {
          throw this.problemOf(error);
        } else await apart(tries);
      }
    }
  }
}

/** Runs `work` as the open transaction of a scope, and commits it. */
async function within<T>(
  scope: Scope,
  transaction: Transaction,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  scope.transaction = transaction;
  try {
    return await committed(transaction, work);
  } finally {
    if (transaction.entered) scope.confirmed = true;
    scope.transaction = null;
  }
}

async function committed<T>(transaction: Transaction, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  try {
    const result = await work(transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

/** Random delay, so that two transactions aborted by a deadlock do not collide again immediately. */
function apart(tries: number): Promise<void> {
  return setTimeout(Math.random() * STEP_ASIDE_MS * tries);
}
