import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '#libs/kernel/clock.js';

/** Who acts, as audit rows and events name it. `id` is null for the system itself. */
export interface Actor {
  type: 'api_key' | 'member' | 'scim' | 'automation' | 'system' | 'anonymous';
  id: string | null;
  name: string;
}

/** On what grounds something is done in the name of somebody who does not do it themselves just now. */
export interface Warrant {
  /** What it comes from, such as `approval <id>`. */
  grounds: string;
  /** Who decided that it is done. */
  allowedBy: readonly Actor[];
}

/** What is fixed about a tenant while a request runs. It comes from the credential, never from the request's content. */
export interface TenantFacts {
  id: string;
  slug: string;
  plan: string;
  /** ISO 4217 code that amounts get when a request names none. */
  currency: string;
  /**
   * Version of everything about the tenant that processes cache (credentials, roles, plan, configuration). PostgreSQL
   * compares it in the first statement of each transaction, so a cached fact that has changed is never acted on.
   */
  epoch: string;
}

/** Something about the tenant changed after it was cached: read it again and start over. */
export class StaleTenantFacts extends Error {}

/**
 * What belongs to one request or one job: made at its start, carried by the one AsyncLocalStorage of the platform.
 *
 * `tenant` is null until a credential has been accepted; nothing can reach tenant data before.
 */
export class Scope {
  tenant: TenantFacts | null = null;
  /** The credential that was accepted, and what it may do. Owned by libs/auth. */
  principal: object | null = null;
  /** Who has signed in without a tenant. Owned by libs/auth. */
  person: object | null = null;
  actor: Actor = { type: 'anonymous', id: null, name: 'anonymous' };
  /** Id that a credential keeps when it is rotated: the owner of idempotency keys. */
  lineageId: string | null = null;
  clientIp: string | null = null;
  userAgent: string | null = null;
  /** Demands on the credential so far; made again when it turns out to have changed. Owned by libs/auth. */
  readonly required: object[] = [];
  /** What is on record because the answer shows it. Owned by libs/audit. */
  readonly shown: object[] = [];
  /** Trace that the caller's `traceparent` names (W3C Trace Context), for log lines; null without one. */
  traceId: string | null = null;
  /** The instant that everything this request or job changes is stamped with; null until something is. */
  stampedAt: string | null = null;
  /** Operation id, e.g. `sales.deals.create`. */
  operation: string | null = null;
  /** Event that an automation reacts to, which is the cause of those that it emits; null for everybody else. */
  causationId: string | null = null;
  /** Null where the actor themselves asks for what is done. */
  warrant: Warrant | null = null;
  /** How many automations in a row have led here. */
  depth = 0;
  /** Versions that the caller accepts for a change (`If-Match`); null for any. */
  ifMatch: string | null = null;
  /** Whether PostgreSQL has confirmed the tenant's epoch since the scope began. */
  confirmed = false;
  /** Reads the credential again after {@link StaleTenantFacts}; throws the 401 or 403 that is due. Null outside HTTP. */
  refresh: (() => Promise<void>) | null = null;
  /**
   * Whether what runs can begin anew, since nothing of it is committed yet. Then a change of the credential is not only
   * looked up: {@link StaleTenantFacts} leads back to the beginning, so that all is decided by what holds now.
   */
  startsOver = false;
  /** The open transaction, which nested units of work join. Owned by libs/database. */
  transaction: object | null = null;
  /** Called with the result of the unit of work before it commits; what it returns is committed with it. */
  completion: ((result: unknown) => FlightStatement) | null = null;
  /** Goes before what a unit of work reads, and ends it there when it fails. */
  expectation: FlightStatement | null = null;
  /** Does what is open to everyone under the key of the request, once it is known whose it is; null without a key. Owned by libs/http. */
  once: Once | null = null;

  constructor(readonly requestId: string) {}
}

/**
 * Does some work once under an idempotency key, and has what it answered told again otherwise. `again` is asked before that
 * with an answer of success, and throws what is due in its place.
 */
export type Once = <T>(work: () => Promise<T>, again: (answer: T) => Promise<void>) => Promise<T>;

/** A statement that libs/database adds to a unit of work. */
export interface FlightStatement {
  name?: string;
  text: string;
  values: unknown[];
}

const storage = new AsyncLocalStorage<Scope>();

/** Runs `fn` inside the scope; everything it calls or awaits sees it. */
export function runInScope<T>(scope: Scope, fn: () => T): T {
  return storage.run(scope, fn);
}

/** The scope of the running request or job. @throws Error when there is none, which is a bug. */
export function currentScope(): Scope {
  const scope = storage.getStore();
  if (!scope) throw new Error('There is no scope: this code must run inside a request or runAsSystem().');
  return scope;
}

/** The instant that everything the running request or job changes is stamped with. */
export function stamp(clock: Clock): string {
  return (currentScope().stampedAt ??= clock.now().toISOString());
}

/** The tenant of the running scope. @throws Error when no tenant has been established, which is a bug. */
export function currentTenant(): TenantFacts {
  const { tenant } = currentScope();
  if (!tenant) throw new Error('There is no tenant in scope.');
  return tenant;
}

/** Whether a database transaction is open in the running scope; network calls are refused meanwhile. */
export function isTransactionOpen(): boolean {
  return storage.getStore()?.transaction != null;
}

/** Runs `fn` for one tenant as the platform itself: jobs of the worker, commands of the operator. */
export function runAsSystem<T>(tenant: TenantFacts, name: string, requestId: string, fn: () => T): T {
  const scope = new Scope(requestId);
  scope.tenant = tenant;
  scope.actor = { type: 'system', id: null, name };
  return storage.run(scope, fn);
}

/** Id of the running request or job, for log lines; null outside of one. */
export function currentRequestId(): string | null {
  return storage.getStore()?.requestId ?? null;
}
