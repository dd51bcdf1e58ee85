import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { Answer, Client } from '../harness/client.js';
import { adminPool } from '../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import type { Call, Scene } from './fixture-parts.js';
import { type Json, type Operation, operationsOf } from './operations.js';

/** A running platform with what the generated tests need of it. */
export interface Running extends TestPlatform {
  operations: Operation[];
  /** Past all isolation. */
  admin: pg.Pool;
}

/**
 * Starts the API behind what it takes for a proxy, so that a test can be many addresses. A generated case that asserts
 * nothing fails: it is to be filtered out of its list.
 */
export async function startRunning(): Promise<Running> {
  beforeEach(() => expect.hasAssertions());
  const platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
  const admin = adminPool(platform.database.adminUrl, 4);
  return {
    ...platform,
    operations: operationsOf(platform.document),
    admin,
    close: async () => {
      await admin.end();
      await platform.close();
    },
  };
}

/** The tenant as fixtures need it. */
export function sceneOf({ admin }: Running, tenant: TestTenant, label: string): TestTenant & Scene {
  return { ...tenant, tenantId: tenant.id, admin, label };
}

/** Headers of a request from an address of its own, for which no limit per address is reached. */
export function fromSomewhere(): Record<string, string> {
  return { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}` };
}

/** The path of an operation with `value` for each parameter. */
export function pathWith({ path }: Operation, value: (name: string) => string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => value(name));
}

/** What a call says of a path parameter. Fixtures call the only one of a path `id`, whatever its name in the document is. */
export function pathValueOf({ path }: Operation, call: Call, name: string): string | undefined {
  return call.path?.[name] ?? (path.split('{').length === 2 ? call.path?.['id'] : undefined);
}

/** The URL of a call. A path parameter without a value gets an id that does not exist. */
export function urlOf(operation: Operation, call: Call): string {
  const path = pathWith(operation, (name) => pathValueOf(operation, call, name) ?? NOWHERE);
  const query = new URLSearchParams(call.query).toString();
  return query ? `${path}?${query}` : path;
}

/** An id that no record has. */
export const NOWHERE = '01890000-0000-7000-8000-000000000000';

export function send<T = Json>(
  api: Client,
  operation: Operation,
  call: Call,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  return api.send<T>(operation.method, urlOf(operation, call), call.body, headers);
}

/** How many audit rows and events the tenants of a database have; optionally of one request. */
export interface Effects {
  audit: number;
  events: number;
}

export async function effectsOf(admin: pg.Pool, tenantId: string): Promise<Effects> {
  const { rows } = await admin.query<Effects>(
    `select (select count(*)::int from data.audit_log where tenant_id = $1) as audit,
       (select count(*)::int from data.events where tenant_id = $1) as events`,
    [tenantId],
  );
  return rows[0]!;
}

/** What an answer must match that is a problem: its code, or in SCIM, which has none, its status as text. */
export function problem({ scim }: Operation, status: number, code: string): object {
  return { status, body: scim ? { schemas: [SCIM_ERROR], status: String(status) } : { code } };
}

const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Header with which a credential opens an operation. */
export function credentialFor({ scim }: Operation, text: string): Record<string, string> {
  return scim ? { authorization: `Bearer ${text}` } : { 'x-api-key': text };
}

/** The query of a page with one item: the first one, or the one that a cursor leads to. */
export function pageOfOne({ scim }: Operation, cursor?: string): Record<string, string> {
  if (scim) return { count: '1', cursor: cursor ?? '' };
  return { limit: '1', ...(cursor === undefined ? {} : { cursor }) };
}

/** Where a page says that the next one begins; null on the last. */
export function nextCursorOf({ body }: Answer): string | null {
  const page = body['page'] as { nextCursor?: string | null } | undefined;
  return (body['nextCursor'] as string | undefined) ?? page?.nextCursor ?? null;
}

/** Calls that an operation refuses with 400 whatever the call is about. */
export function malformed({ scim, body }: Operation, call: Call): Call[] {
  if (!scim) {
    const nonsense = { ...call, query: { ...call.query, nonsense: '1' } };
    return [nonsense, ...(body ? [{ ...call, body: { ...call.body, nonsense: 1 } }] : [])];
  }
  if (!body) return [];
  return [{ ...call, body: { ...call.body, displayName: {}, count: 'some', Operations: 1 } }];
}
