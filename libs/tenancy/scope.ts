import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '#libs/kernel/clock.js';

/** The actor, as audit entries and events name it. `id` is null for the system itself. */
export interface Actor {
  type: 'api_key' | 'member' | 'scim' | 'automation' | 'system' | 'anonymous';
  id: string | null;
  name: string;
}

/** Why something is done on behalf of somebody who is not acting at the moment. */
export interface Warrant {
  /** Its origin, such as `approval <id>`. */
  grounds: string;
  /** Who allowed it. */
  allowedBy: readonly Actor[];
}

/** Facts about the tenant of a request. They come from the credential, never from the request's content. */
export interface TenantFacts {
  id: string;
  slug: string;
  plan: string;
  /** Default currency of amounts, ISO 4217. */
  currency: string;
  /**
   * Version of everything about the tenant that processes cache (credentials, roles, plan, configuration). PostgreSQL
   * compares it in the first statement of each transaction, so outdated cached facts are never used.
   */
  epoch: string;
}

/** Cached facts about the tenant are outdated: reload them and start over. */
export class StaleTenantFacts extends Error {}

/**
 * The context of one request or job: created at its start and carried by the platform's only AsyncLocalStorage.
 *
 * `tenant` is null until a credential has been accepted; until then, tenant data cannot be accessed.
 */
export class Scope {
  tenant: TenantFacts | null = null;
  /** The accepted credential and its rights. Owned by libs/auth. */
  principal: object | null = null;
  /** The person who has signed in without a tenant. Owned by libs/auth. */
  person: object | null = null;
  actor: Actor = { type: 'anonymous', id: null, name: 'anonymous' };
  /** Id that a credential keeps when it is rotated: the owner of idempotency keys. */
  lineageId: string | null = null;
  clientIp: string | null = null;
  userAgent: string | null = null;
  /** Checks of the credential so far, repeated if the credential has changed. Owned by libs/auth. */
  readonly required: object[] = [];
  /** Audit entries about reads that the response includes. Owned by libs/audit. */
  readonly shown: object[] = [];
  /** The last audited fact; null if there is none yet. Owned by libs/audit. */
  audited: object | null = null;
  /**
   * Place in a trace (W3C Trace Context): the header of the caller, or the running span; null without a trace. Events
   * keep it, so deliveries continue the trace.
   */
  traceparent: string | null = null;
  /** The timestamp of all changes in this request or job; null before the first. */
  stampedAt: string | null = null;
  /** Operation id, e.g. `sales.deals.create`. */
  operation: string | null = null;
  /** The event that an automation reacts to: the cause of the events that it emits; null otherwise. */
  causationId: string | null = null;
  /** Id of the request at the start of the chain of automations; its own outside of automations. */
  correlationId: string;
  /** Null if the actor requests the change directly. */
  warrant: Warrant | null = null;
  /** Length of the chain of automations. */
  depth = 0;
  /** The request as the figures count it; null outside HTTP. Owned by libs/request-counts. */
  counted: object | null = null;
  /** Versions that the caller accepts for a change (`If-Match`); null for any. */
  ifMatch: string | null = null;
  /** Whether PostgreSQL has confirmed the tenant's epoch since the scope began. */
  confirmed = false;
  /**
   * Reloads the credential after {@link StaleTenantFacts}; throws a 401 or 403 if it is no longer sufficient. Null
   * outside HTTP.
   */
  refresh: (() => Promise<void>) | null = null;
  /** Has PostgreSQL confirm the tenant's epoch, unless it has already. Null where {@link refresh} is. */
  confirm: (() => Promise<void>) | null = null;
  /**
   * Whether the request can start over because it has committed nothing. If so, {@link StaleTenantFacts} restarts it
   * instead of only reloading the credential, so that all decisions use current facts.
   */
  startsOver = false;
  /** The open transaction, which nested units of work join. Owned by libs/database. */
  transaction: object | null = null;
  /** Called with the result of the unit of work before it commits. The returned statement is committed with it. */
  completion: ((result: unknown) => FlightStatement) | null = null;
  /** Precedes the reads of a unit of work. If it fails, the unit of work ends. */
  expectation: FlightStatement | null = null;
  /**
   * Runs a public operation under the request's idempotency key, once its owner is known; null without a key. Owned by
   * libs/http.
   */
  once: Once | null = null;

  constructor(readonly requestId: string) {
    this.correlationId = requestId;
  }
}

/**
 * Runs some work once under an idempotency key; later calls replay its response. `again` is called before a successful
 * response is replayed, and throws the error to return instead.
 */
export type Once = <T>(work: () => Promise<T>, again: (answer: T) => Promise<void>) => Promise<T>;

/** A statement that libs/database adds to a unit of work. */
export interface FlightStatement {
  name?: string;
  text: string;
  values: unknown[];
}

const storage = new AsyncLocalStorage<Scope>();

/** Runs `fn` inside the scope; everything that it calls or awaits sees the scope. */
export function runInScope<T>(scope: Scope, fn: () => T): T {
  return storage.run(scope, fn);
}

/** The scope of the running request or job; null outside of both. */
export function scopeOrNull(): Scope | null {
  return storage.getStore() ?? null;
}

/** The scope of the running request or job. @throws Error if there is none, which is a bug. */
export function currentScope(): Scope {
  const scope = storage.getStore();
  if (!scope) throw new Error('There is no scope: this code must run inside a request or runAsSystem().');
  return scope;
}

/** The timestamp of all changes in the current request or job. */
export function stamp(clock: Clock): string {
  return (currentScope().stampedAt ??= clock.now().toISOString());
}

/** The tenant of the running scope. @throws Error if no tenant is set, which is a bug. */
export function currentTenant(): TenantFacts {
  const { tenant } = currentScope();
  if (!tenant) throw new Error('There is no tenant in scope.');
  return tenant;
}

/** Whether a database transaction is open in the running scope. Network calls are refused during a transaction. */
export function isTransactionOpen(): boolean {
  return storage.getStore()?.transaction != null;
}

/** Runs `fn` for one tenant as the platform itself: for jobs of the worker and commands of the operator. */
export function runAsSystem<T>(tenant: TenantFacts, name: string, requestId: string, fn: () => T): T {
  const scope = new Scope(requestId);
  scope.tenant = tenant;
  scope.actor = { type: 'system', id: null, name };
  return storage.run(scope, fn);
}

/** `traceparent` of the running request or job; null without a trace. */
export function currentTraceparent(): string | null {
  return storage.getStore()?.traceparent ?? null;
}

/** Id of the running request or job, for log lines; null outside of one. */
export function currentRequestId(): string | null {
  return storage.getStore()?.requestId ?? null;
}
